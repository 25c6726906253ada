// SPDX-License-Identifier: MIT

#include <random>

#include "bracket/record/compare.hpp"
#include "bracket/support/error.hpp"
#include "record/trace_bytes.hpp"
#include "support/catch.hpp"

namespace parse_rank_test {

using namespace bracket::testing;
using bracket::record::End;
using bracket::record::parse_rank;
using bracket::record::Trace;
using Catch::Contains;

namespace {

/// A file with every kind of record.
TraceBytes example() {
  TraceBytes file(0, 2);
  file.communicator({{0, 1}}, 3);
  file.reduction({.sequence = 0, .input = {1.5, 2}, .output = {3, 4}});
  file.sends(5);
  file.reduction({.sequence = 0, .input = {1}, .output = {1}, .communicator = 1, .site = 2});
  file.reduction({.sequence = 1, .input = std::vector<double>(20, 7), .output = {}});
  file.end();
  return file;
}

/// Reads a file as one rank of a run, and compares the run with itself: nothing but an `Error` may
/// happen. Returns whether the file was accepted.
bool survives(const Bytes& bytes) {
  try {
    Trace trace;
    trace.ranks.push_back(parse_rank(bytes, "file"));
    trace.ranks[0].rank = 0;
    const auto result = bracket::record::compare(trace, trace);
    CHECK(result.divergences.empty());
    return true;
  } catch (const bracket::Error& failure) {
    CHECK_THAT(failure.what(), Catch::StartsWith("file: "));
    return false;
  }
}

}  // namespace

TEST_CASE("a rank's file has what was written") {
  const auto trace = example().parsed();
  CHECK(trace.ranks == 2);
  CHECK(trace.end == End::finalize);
  REQUIRE(trace.reductions.size() == 3);
  const auto& first = trace.reductions[0];
  CHECK(first.name() == "MPI_Allreduce");
  CHECK(first.count == 2);
  CHECK(first.input.kept.size() == 16);
  CHECK(first.output.present);
  CHECK(trace.communicators[first.communicator].members == std::vector<int>{0, 1});
  const auto& second = trace.reductions[1];
  CHECK(trace.communicators[second.communicator].members == std::vector<int>{0});
  CHECK(trace.communicators[second.communicator].number == 3);
  CHECK(trace.sites[second.site].text() == "main+0x0 (app+0x20)");
  const auto& third = trace.reductions[2];
  CHECK(third.input.bytes == 160);
  CHECK(third.input.kept.size() == 64);
  CHECK_FALSE(third.output.present);
  REQUIRE(trace.others.size() == 1);
  CHECK(trace.others[0].count == 5);
}

TEST_CASE("a file is read up to a cut") {
  const auto file = example();
  const auto& all = file.bytes();
  for (std::size_t size = sizeof(format::header); size < all.size(); ++size) {
    const auto trace =
        parse_rank({all.begin(), all.begin() + static_cast<std::ptrdiff_t>(size)}, "file");
    CHECK(trace.end == End::cut);
    // Reductions are the records 8, 10 and 11.
    std::size_t complete = 0;
    for (const std::size_t k : {8, 10, 11}) complete += file.records()[k + 1] <= size ? 1 : 0;
    REQUIRE(trace.reductions.size() == complete);
  }
  CHECK_THROWS_WITH(parse_rank({all.begin(), all.begin() + 100}, "file"),
                    Contains("file: cut at byte 100, in the header of 512 bytes"));
  CHECK_THROWS_WITH(parse_rank({all.begin(), all.begin() + 7}, "file"),
                    Contains("file: not a trace file of `bracket record`"));
}

TEST_CASE("damage is an error with file and offset") {
  const auto file = example();
  auto bytes = file.bytes();
  const std::size_t at = file.records()[8];
  bytes[at + 60] ^= 1;
  CHECK_THROWS_WITH(parse_rank(bytes, "file"), "file: damaged at byte " + std::to_string(at) +
                                                   ": a record does not match its check");
  bytes = file.bytes();
  bytes.push_back(0);
  CHECK_THROWS_WITH(parse_rank(bytes, "file"), Contains("the file goes on after its end"));
}

TEST_CASE("5000 mutated files give an error or a trace, never a crash") {
  const auto file = example();
  std::mt19937 random(1);
  const auto below = [&](std::size_t limit) { return random() % limit; };
  int accepted = 0;
  for (int k = 0; k < 5000; ++k) {
    CAPTURE(k);
    auto bytes = file.bytes();
    const std::size_t index = below(file.records().size());
    const std::size_t at = file.records()[index];
    const std::size_t next =
        index + 1 < file.records().size() ? file.records()[index + 1] : bytes.size();
    // Bytes of one record change. Every other file then gets a right check, so that the reader
    // itself must find what is wrong.
    for (std::size_t changes = 1 + below(3); changes > 0; --changes) {
      bytes[at + 8 + below(next - at - 8)] = static_cast<unsigned char>(random());
    }
    if (k % 2 == 0) TraceBytes::seal(bytes, at, next - at);
    if (k % 5 == 0) bytes.resize(below(bytes.size() + 1));
    if (k % 7 == 0 && !bytes.empty()) bytes[below(bytes.size())] ^= 1U << below(8);
    accepted += survives(bytes) ? 1 : 0;
  }
  CHECK(accepted > 500);
  CHECK(accepted < 4500);
}

}  // namespace parse_rank_test
