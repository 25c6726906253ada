// SPDX-License-Identifier: MIT

#include "bracket/simulator/watts.hpp"

#include "bracket/support/error.hpp"
#include "support/catch.hpp"

namespace watts_test {

using namespace bracket;
using Catch::Contains;

TEST_CASE("watts are two numbers or three") {
  CHECK(NodeWatts::parse("10:200") == NodeWatts{10, 10, 200});
  CHECK(NodeWatts::parse("10:50.5:2e2") == NodeWatts{10, 50.5, 200});
  CHECK(NodeWatts::parse("0:0") == NodeWatts{});
  CHECK(LinkWatts::parse("1:1.5") == LinkWatts{1, 1.5});
}

TEST_CASE("what is no watts is refused with what would be right") {
  const auto refused = [](const std::string& written, const std::string& cause) {
    CAPTURE(written);
    CHECK_THROWS_WITH(NodeWatts::parse(written),
                      Contains("'" + written + "'") && Contains(cause) &&
                          Contains("IDLE:ALL_CORES or IDLE:EPSILON:ALL_CORES"));
  };
  refused("", "'' is not a number");
  refused("10", "1 number");
  refused("1:2:3:4", "4 numbers");
  refused("1:", "'' is not a number");
  refused(":1", "'' is not a number");
  refused("a:b", "'a' is not a number");
  refused(" 1:2", "' 1' is not a number");
  refused("1:2 ", "'2 ' is not a number");
  refused("1:2W", "'2W' is not a number");
  refused("1:nan", "not a finite number");
  refused("1:inf", "not a finite number");
  refused("1:1e400", "1e400");
  refused("-1:2", "must not be negative");
  refused("3:2", "must not decrease");
  refused("1:3:2", "must not decrease");
  CHECK_THROWS_WITH(LinkWatts::parse("1:2:3"), Contains("3 numbers") && Contains("IDLE:BUSY"));
  CHECK_THROWS_AS(LinkWatts::parse("2:1"), Error);
}

}  // namespace watts_test
