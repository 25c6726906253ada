// SPDX-License-Identifier: MIT

#include <bit>
#include <cmath>

#include "record/runs.hpp"
#include "support/catch.hpp"

namespace items_test {

using namespace bracket::testing;
using bracket::record::Cause;
using bracket::record::compare;
using bracket::record::Trace;
using Catch::Contains;

TEST_CASE("a difference beyond the kept bytes has no item") {
  Run a;
  Run b;
  b.of[0][1].input[1] = after(1);
  const auto result = compare(a.trace(-1, 8), b.trace(-1, 8));
  REQUIRE(result.divergences.size() == 1);
  CHECK(result.divergences[0].rank == 0);
  CHECK_FALSE(result.divergences[0].item);
  CHECK_FALSE(result.divergences[0].ulps);
  CHECK_THAT(result.divergences[0].what,
             Contains("beyond the 8 bytes that both runs recorded; ") && Contains("--keep"));
  const auto less = compare(a.trace(-1, 64), b.trace(-1, 8));
  CHECK_THAT(less.divergences.at(0).what, Contains("beyond the 8 bytes that both"));
}

TEST_CASE("of an item that was recorded in part, no value is shown") {
  Run a;
  Run b;
  b.of[0][1].input[1] = -b.of[0][1].input[1];
  for (const std::uint32_t keep : {12U, 15U, 16U}) {
    CAPTURE(keep);
    b.of[0][1].input[1] = keep == 12 ? after(1) : 2;
    const auto one = compare(a.trace(-1, keep), b.trace(-1, keep)).divergences.at(0);
    CHECK(one.cause == Cause::inputs);
    CHECK(one.first.empty() == (keep < 16));
    CHECK(one.ulps.has_value() == (keep == 16));
  }
}

TEST_CASE("infinities have no ulps, and NaNs are shown with their bits") {
  Run a;
  Run b;
  const auto first_of = [&](double x, double y) {
    a.of[1][2].input[0] = x;
    b.of[1][2].input[0] = y;
    return compared(a, b).divergences.at(0);
  };
  CHECK_FALSE(first_of(1, INFINITY).ulps);
  CHECK(first_of(-INFINITY, INFINITY).second == "inf");
  const auto nans = first_of(std::bit_cast<double>(0x7ff8000000000001),
                             std::bit_cast<double>(0xfff8000000000000));
  CHECK_FALSE(nans.ulps);
  CHECK(nans.first == "nan (0x7ff8000000000001)");
  CHECK(nans.second == "-nan (0xfff8000000000000)");
}

TEST_CASE("ulps count the floats between two") {
  const auto ulps = [](double x, double y) {
    Run a(1);
    Run b(1);
    a.of[0][0].input[0] = x;
    b.of[0][0].input[0] = y;
    return compared(a, b).divergences.at(0).ulps;
  };
  const double least = 4.9406564584124654e-324;
  CHECK(ulps(1, after(1)) == 1u);
  CHECK(ulps(-1, 1) == 2 * 0x3FF0000000000000u);
  CHECK(ulps(-least, least) == 2u);
  CHECK(ulps(-0.0, 0.0) == 0u);
  CHECK(ulps(1, 2) == std::uint64_t{1} << 52);
  CHECK_FALSE(ulps(1, NAN));
  CHECK_FALSE(ulps(1.7976931348623157e308, INFINITY));
}

}  // namespace items_test
