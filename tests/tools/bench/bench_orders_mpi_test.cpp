// SPDX-License-Identifier: MIT

#include "tools/cli.hpp"

namespace bench_orders_mpi_test {

#if BRACKET_HAS_MPI

using namespace bracket::testing;

TEST_CASE("bench and run reduce by an explicit order with plans and by the MPI library") {
  const Words once{"--json", "--repetitions", "1", "--warm-up", "1"};
  const Words explicit_order{"--order", "explicit:0:1:2:0:4:5:6:0"};
  const auto collected = rows_of(
      cli(Words{"run", "--synthetic", "9"} + explicit_order + Words{"--plan", "gather"} + once));
  REQUIRE(collected.size() == 1);
  const auto check = [&](const std::vector<nlohmann::ordered_json>& rows, std::size_t first) {
    REQUIRE(rows.size() == first + 2);
    for (std::size_t i = first; i < rows.size(); ++i) {
      CAPTURE(rows[i].dump());
      CHECK(rows[i].at("result_bits") == collected[0].at("result_bits"));
    }
  };
  check(rows_of(cli(Words{"run", "--synthetic", "9", "--all", "--plan", "butterfly,native"} +
                    explicit_order + once)),
        0);
  check(rows_of(cli(Words{"bench", "-N", "9", "--candidates", "butterfly,native"} + explicit_order +
                    once)),
        1);
}

#endif

}  // namespace bench_orders_mpi_test
