// SPDX-License-Identifier: MIT

#include "bracket/record/trace.hpp"

#include <fstream>

#include "record/trace_bytes.hpp"
#include "support/catch.hpp"
#include "support/scratch.hpp"

namespace trace_test {

using namespace bracket::testing;

namespace {

/// The numbers of the communicators of each rank, read from files.
std::vector<std::vector<std::uint32_t>> numbers_of(const std::vector<TraceBytes>& files) {
  const Scratch scratch;
  for (std::size_t rank = 0; rank < files.size(); ++rank) {
    const auto& bytes = files[rank].bytes();
    std::ofstream file(scratch.path() / ("rank-" + std::to_string(rank) + ".trace"));
    file.write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
  }
  std::vector<std::vector<std::uint32_t>> numbers;
  for (const auto& rank : bracket::record::read_trace(scratch.path()).ranks) {
    numbers.emplace_back();
    for (const auto& one : rank.communicators) numbers.back().push_back(one.number);
  }
  return numbers;
}

}  // namespace

TEST_CASE("communicators have the same number on ranks that used them in another sequence") {
  TraceBytes first(0, 2);
  first.communicator({{0, 2}}, {7}, 100);    // the eighth that was made from MPI_COMM_WORLD
  first.communicator({{0, 2}}, {3, 0}, 50);  // the first that was made from another one
  first.communicator({{0, 1}}, {8}, 30);
  first.communicator({{0, 2}}, {2}, 300);
  TraceBytes second(1, 2);
  second.communicator({{0, 2}}, {2}, 300);
  second.communicator({{0, 2}}, {3, 0}, 50);
  second.communicator({{0, 2}}, {0}, 0, format::unseen_depth);
  // Rank 1 has not used the eighth.
  using Numbers = std::vector<std::uint32_t>;
  CHECK(numbers_of({first, second}) == std::vector{Numbers{0, 2, 3, 0, 1}, Numbers{0, 1, 3, 4}});
}

TEST_CASE("communicators made from others have the sequence of these, whatever their identities") {
  TraceBytes file(0, 1);
  file.communicator({{0, 1}}, {0, 10, 0}, 1);
  file.communicator({{0, 1}}, {0, 2, 1}, 2);
  file.communicator({{0, 1}}, {1, 0, 0}, 3);
  file.communicator({{0, 1}}, {0, 2, 0}, 4);
  file.communicator({{0, 1}}, {5, 0}, 5);
  CHECK(numbers_of({file}).at(0) == std::vector<std::uint32_t>{0, 4, 3, 5, 2, 1});
}

TEST_CASE("files of other versions are refused") {
  for (const std::uint32_t version : {3U, 5U}) {
    CHECK_THROWS_WITH(numbers_of({TraceBytes(0, 1, 64, "", version)}),
                      Catch::Contains("version " + std::to_string(version) + " of the format; " +
                                      "this program reads version 4: record the run again"));
  }
}

}  // namespace trace_test
