// SPDX-License-Identifier: MIT

#include "tools/record/recorded.hpp"

namespace cost_command_mpi_test {

using namespace bracket::testing;

TEST_CASE("cost predicts a recorded run of conjugate gradients") {
  Scratch scratch;
  const auto folder = scratch.path() / "cg.trace";
  REQUIRE(record_on(2, folder, {BRACKET_CG, "mpi", "1000", "5"}).code == 0);
  const Json row = rows_of(cli({"cost", folder.string(), "--json", "--elements", "1000", "--terms",
                                "squares,products", "--t-add", "1e-10"}))
                       .at(0);
  const double recorded = row.at("recorded_seconds").get<double>();
  const double inside = row.at("reductions_seconds").get<double>();
  CHECK(inside > 0);
  CHECK(inside < recorded);
  CHECK(row.at("library_seconds").get<double>() > 0);
  CHECK(row.at("notes").empty());
  // A dot product before the iterations, and two in each.
  std::int64_t calls = 0;
  for (const Json& site : row.at("sites")) calls += site.at("calls").get<std::int64_t>();
  CHECK(calls == 11);
  CHECK(row.at("sizes").at(0).at("calls") == 11);
  CHECK(row.at("plans").size() > 4);
}

}  // namespace cost_command_mpi_test
