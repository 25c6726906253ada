// SPDX-License-Identifier: MIT

#include "reveal/described_values.hpp"

#include "support/catch.hpp"

namespace described_values_test {

using bracket::tools::values_described_by;
using Values = std::vector<std::pair<std::string, int>>;

TEST_CASE("values that MPICH describes are numbered in their sequence") {
  // As MPI_T gives it: the lines are joined without spaces.
  const std::string words =
      "Variable to select allreduce algorithmauto - Internal algorithm selection (can be "
      "overridden with MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE)nb                       - Force "
      "nonblocking algorithmsmp                      - Force smp algorithmrecursive_doubling"
      "       - Force recursive doubling algorithmreduce_scatter_allgather - Force reduce scatter "
      "allgather algorithm";
  const char* const all[] = {"reduce_scatter_allgather", "recursive_doubling", "smp", "ring"};
  CHECK(values_described_by(words, all) ==
        Values{{"smp", 2}, {"recursive_doubling", 3}, {"reduce_scatter_allgather", 4}});
  // A name at the end of another one is not taken for it.
  const char* const ends[] = {"doubling", "recursive_doubling"};
  CHECK(values_described_by(words, ends) == Values{{"recursive_doubling", 3}});
  CHECK(values_described_by("no values", all).empty());
}

}  // namespace described_values_test
