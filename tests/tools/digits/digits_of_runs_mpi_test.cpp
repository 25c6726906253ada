// SPDX-License-Identifier: MIT

#include "tools/cli.hpp"

namespace digits_of_runs_mpi_test {

#if BRACKET_HAS_MPI

using namespace bracket::testing;

TEST_CASE("digits has the sums of run") {
  for (const char* const type : {"float64", "float32"}) {
    const Words input{"--synthetic", "1237", "--seed", "5", "--type", type};
    const auto all = rows_of(cli(Words{"digits", "--json"} + input)).at(0);
    REQUIRE(all.at("rows").size() == 6);
    for (const Json& row : all.at("rows")) {
      const auto algorithm = row.at("algorithm").get<std::string>();
      const auto run = rows_of(cli_on(2, Words{"run", "--json", "--algorithm", algorithm,
                                               "--repetitions", "2", "--warm-up", "0"} +
                                             input))
                           .at(0);
      CAPTURE(type, algorithm);
      CHECK(row.at("sum") == run.at("result_hex"));
    }
  }
}

#endif

}  // namespace digits_of_runs_mpi_test
