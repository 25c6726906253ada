// SPDX-License-Identifier: MIT

#include <numeric>
#include <set>

#include "tools/record/recorded.hpp"

namespace communicators_mpi_test {

using namespace bracket::testing;

TEST_CASE("record numbers communicators by how they are made") {
  const Scratch scratch;
  const auto outcome = record_on(3, scratch.path() / "run", {BRACKET_RECORD_COMMUNICATORS_C});
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  const auto trace = bracket::record::read_trace(scratch.path() / "run");
  const auto lines = lines_of(trace.ranks[0]);
  CHECK(lines_of(trace.ranks[1]) == lines);
  CHECK(lines_of(trace.ranks[2]) == lines);
  std::vector<std::uint32_t> numbers;
  for (const auto& reduction : trace.ranks[0].reductions) {
    numbers.insert(numbers.begin(), trace.ranks[0].communicators[reduction.communicator].number);
  }
  REQUIRE(numbers.size() == 15);
  std::vector<std::uint32_t> sorted = numbers;
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::uint32_t> all(15);
  std::iota(all.begin(), all.end(), 1U);
  CHECK(sorted == all);
  // Those made from MPI_COMM_WORLD by all ranks, in their sequence; then those made from these.
  CHECK(std::is_sorted(numbers.begin(), numbers.begin() + 10));
  CHECK(std::set(numbers.end() - 3, numbers.end()) == std::set<std::uint32_t>{13, 14, 15});
}

TEST_CASE("diff finds no difference if threads begin to reduce in another sequence") {
  const Scratch scratch;
  for (const std::string sequence : {"threads", "threads-swapped"}) {
    const auto outcome =
        record_on(3, scratch.path() / sequence, {BRACKET_RECORD_COMMUNICATORS_C, sequence});
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    if (outcome.out == "no threads\n") return;
  }
  const auto outcome = cli({"diff", (scratch.path() / "threads").string(),
                            (scratch.path() / "threads-swapped").string()});
  CHECK(outcome.code == 0);
  CHECK(outcome.out == "the runs are equal: 2 calls, with the same inputs and outputs\n");
}

TEST_CASE("diff pairs communicators that were made from others in their sequence") {
  const Scratch scratch;
  for (const std::string steps : {"10", "7"}) {
    const auto outcome =
        record_on(3, scratch.path() / steps, {BRACKET_RECORD_COMMUNICATORS_C, "nested", steps});
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
  }
  const auto differ =
      cli({"diff", (scratch.path() / "10").string(), (scratch.path() / "7").string(), "--json"});
  CHECK(differ.code == 1);
  // Two groups have three steps of three calls more.
  CHECK(occurrences(differ.out, "\n") == 18);
  CHECK(occurrences(differ.out, R"("cause":"structure")") == 18);
}

}  // namespace communicators_mpi_test
