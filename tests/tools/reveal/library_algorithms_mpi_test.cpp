// SPDX-License-Identifier: MIT

#include <set>

#include "tools/cli.hpp"

namespace library_algorithms_mpi_test {

#if BRACKET_HAS_MPI

using namespace bracket::testing;
using Catch::Contains;

namespace {

/// The names that the rows have, in their sequence.
Words names_of(const std::vector<Json>& rows) {
  Words names;
  for (const Json& row : rows) names.push_back(row.at("library_algorithm"));
  return names;
}

}  // namespace

TEST_CASE("algorithms in reveal have the orders of the library") {
  const auto rows = rows_of(cli_on(3, {"reveal", "--algorithms", "all", "--json", "--time",
                                       "--warm-up", "0", "--repetitions", "2", "--checks", "2"}));
  const bool open_mpi = rows.at(0).at("library").get<std::string>().starts_with("Open MPI");
  // The names of coll_tuned_allreduce_algorithm or of MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM.
  const Words expected =
      open_mpi
          ? Words{"default", "basic_linear",         "nonoverlapping",         "recursive_doubling",
                  "ring",    "segmented_ring:65536", "segmented_ring:1048576", "rabenseifner"}
          : Words{"default", "recursive_doubling", "reduce_scatter_allgather"};
  CHECK(names_of(rows) == expected);
  for (const Json& row : rows) {
    CAPTURE(row.dump());
    CHECK(row.at("measured_seconds") > 0);
    CHECK(content_of(row.at("library_file").get<std::string>())
              .starts_with("\x7F"
                           "ELF"));
    const std::string name = row.at("library_algorithm");
    if (name == "recursive_doubling") CHECK(row.at("tree") == "((0+1)+2)");
    // Rank 0 begins with the last rank.
    if (name == "basic_linear") {
      CHECK(row.at("tree") == "(0+(1+2))");
      CHECK(row.at("algorithm_number") == 1);
    }
  }
}

TEST_CASE("reveal: algorithms that do not exist are refused") {
  check_refused({"reveal", "--algorithms", "quick"}, "--algorithms quick: no algorithm for ");
  check_refused({"reveal", "--algorithms", "recursive_doubling:8"}, "recursive_doubling");
  check_refused({"reveal", "--algorithms", "default", "--collective", "scan"},
                "only for all-reduce, reduce and reduce-scatter");
  check_refused({"reveal", "--algorithms", "all", "--order", "x.json"},
                "--order requires one algorithm");
  check_refused({"reveal", "--library", "mvapich"}, "--library mvapich: openmpi or mpich was");
  check_refused({"reveal", "--warm-up", "1"}, "--time");
  Setting setting;
  setting.environment = {{"OMPI_MCA_coll_tuned_dynamic_rules_filename", "/x"}};
  check_refused(cli({"reveal", "--algorithms", "all"}, setting),
                "the environment has OMPI_MCA_coll_tuned_dynamic_rules_filename=/x, which chooses");
}

TEST_CASE("reveal: the component of Open MPI's algorithms must be in use") {
  const auto row = rows_of(cli({"reveal", "--checks", "0", "--json"})).at(0);
  if (!row.at("library").get<std::string>().starts_with("Open MPI")) return;
  for (const auto& [value, right] : {std::pair{"^tuned", "unset it"},
                                     {"^sm,tuned", "unset it"},
                                     {"basic,libnbc,self", "add tuned or unset it"}}) {
    Setting setting;
    setting.environment = {{"OMPI_MCA_coll", value}};
    check_refused(
        cli({"reveal", "--algorithms", "all"}, setting),
        "OMPI_MCA_coll=" + std::string(value) + ", which switches off the component tuned");
    CHECK_THAT(cli({"reveal", "--algorithms", "all"}, setting).err, Contains(right));
  }
}

#endif

}  // namespace library_algorithms_mpi_test
