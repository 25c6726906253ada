// SPDX-License-Identifier: MIT

#include <algorithm>
#include <numeric>
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
  file.communicator({{0, 1}}, {3, 2});
  file.reduction({.sequence = 0, .input = {1.5, 2}, .output = {3, 4}});
  file.sends(5);
  file.reduction({.sequence = 0, .input = {1}, .output = {1}, .communicator = 1, .site = 2});
  file.reduction({.sequence = 1, .input = std::vector<double>(20, 7), .output = {}});
  file.repeat({.input = {5}, .output = {6}, .site = 2, .entry = 9000, .completed = 9700});
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
  REQUIRE(trace.reductions.size() == 4);
  const auto& first = trace.reductions[0];
  CHECK(first.name() == "MPI_Allreduce");
  CHECK(first.count == 2);
  CHECK(first.input.kept.size() == 16);
  CHECK(first.output.present);
  CHECK(trace.communicators[first.communicator].members == std::vector<int>{0, 1});
  const auto& second = trace.reductions[1];
  CHECK(trace.communicators[second.communicator].members == std::vector<int>{0});
  CHECK(trace.communicators[second.communicator].origin.path == std::vector<std::uint32_t>{3, 2});
  CHECK(trace.sites[second.site].text() == "main+0x0 (app+0x20)");
  const auto& third = trace.reductions[2];
  CHECK(third.input.bytes == 160);
  CHECK(third.input.kept.size() == 64);
  CHECK_FALSE(third.output.present);
  const auto& fourth = trace.reductions[3];
  CHECK(fourth.communicator == 1);
  CHECK(fourth.sequence == 1);
  CHECK(fourth.completed == 9700);
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
    // Reductions are the records 8 and 10 to 12.
    std::size_t complete = 0;
    for (const std::size_t k : {8, 10, 11, 12}) complete += file.records()[k + 1] <= size ? 1 : 0;
    REQUIRE(trace.reductions.size() == complete);
  }
  CHECK_THROWS_WITH(parse_rank({all.begin(), all.begin() + 100}, "file"),
                    Contains("file: cut at byte 100, in the header of 512 bytes"));
  CHECK_THROWS_WITH(parse_rank({all.begin(), all.begin() + 7}, "file"),
                    Contains("file: not a trace file of `bracket record`"));
}

TEST_CASE("a repeat reads as the reduction that it stands for") {
  std::mt19937 random(2);
  const auto numbers = [&](std::size_t count) {
    std::vector<double> some(count);
    for (double& one : some) one = static_cast<double>(random()) / 7;
    return some;
  };
  TraceBytes full(0, 2);
  TraceBytes brief(0, 2);
  for (TraceBytes* file : {&full, &brief}) file->communicator({{0, 1}}, {3});
  // Site 0 is on communicator 0, sites 1 and 2 on 1; a site repeats the sizes that it had last.
  std::vector<std::size_t> items(3, 0);
  std::vector<std::uint64_t> sequences(2, 0);
  for (int k = 0; k < 200; ++k) {
    const std::uint32_t site = random() % 3;
    const std::uint32_t communicator = site == 0 ? 0 : 1;
    const bool repeat = items[site] > 0 && random() % 3 > 0;
    if (!repeat) items[site] = 1 + random() % 8;
    if (!repeat && random() % 4 == 0) ++sequences[communicator];  // one that has not ended
    const std::int64_t entry = 1000 * (k + 1);
    const Written one{.sequence = sequences[communicator]++,
                      .input = numbers(items[site]),
                      .output = numbers(items[site]),
                      .communicator = communicator,
                      .site = site,
                      .entry = entry,
                      .completed = entry + static_cast<std::int64_t>(random() % 900),
                      .recording = static_cast<std::uint32_t>(random())};
    full.reduction(one);
    if (repeat) brief.repeat(one);
    if (!repeat) brief.reduction(one);
  }
  CHECK(brief.bytes().size() < full.bytes().size() * 3 / 4);
  const auto expected = full.parsed();
  const auto read = brief.parsed();
  REQUIRE(read.reductions.size() == expected.reductions.size());
  for (std::size_t k = 0; k < read.reductions.size(); ++k) {
    CAPTURE(k);
    const auto& one = read.reductions[k];
    const auto& other = expected.reductions[k];
    CHECK(one.name() == other.name());
    CHECK(one.site == other.site);
    CHECK(one.communicator == other.communicator);
    CHECK(one.sequence == other.sequence);
    CHECK(one.count == other.count);
    CHECK(one.entry == other.entry);
    CHECK(one.returned == other.returned);
    CHECK(one.completed == other.completed);
    CHECK(one.recording == other.recording);
    CHECK(one.input.same(other.input));
    CHECK(one.output.same(other.output));
    CHECK(std::ranges::equal(one.input.kept, other.input.kept));
    CHECK(std::ranges::equal(one.output.kept, other.output.kept));
  }
}

TEST_CASE("a short record needs a full one before it, with all bytes and of the same size") {
  TraceBytes early(0, 2);
  early.repeat({.input = {1}, .output = {2}});
  CHECK_THROWS_WITH(early.parsed(), Contains("a repeat of a reduction that nothing is known of"));
  TraceBytes cut(0, 2, 8);
  cut.reduction({.input = {1, 2}, .output = {3, 4}});
  cut.repeat({.input = {1}, .output = {3}});
  CHECK_THROWS_WITH(cut.parsed(), Contains("a repeat of a reduction that nothing is known of"));
  TraceBytes longer(0, 2);
  longer.reduction({.input = {1}, .output = {3}});
  longer.repeat({.input = {1, 2}, .output = {3, 4}});
  CHECK_THROWS_WITH(longer.parsed(), Contains("a record whose parts have another size"));
}

TEST_CASE("damage is an error with file and offset") {
  const auto file = example();
  auto bytes = file.bytes();
  const std::size_t at = file.records()[8];
  bytes[at + 60] ^= 1;
  CHECK_THROWS_WITH(parse_rank(bytes, "file"), "file: damaged at byte " + std::to_string(at) +
                                                   ": record 9 does not match its check: it was "
                                                   "changed, or one before it is missing");
  bytes = file.bytes();
  bytes.push_back(0);
  CHECK_THROWS_WITH(parse_rank(bytes, "file"), Contains("the file goes on after its end"));
}

TEST_CASE("a missing or moved record or one that is there twice is damage") {
  const auto file = example();
  auto bounds = file.records();
  bounds.push_back(file.bytes().size());
  const auto begin = file.bytes().begin();
  const auto record = [&](std::size_t k) {
    return Bytes(begin + static_cast<std::ptrdiff_t>(bounds[k]),
                 begin + static_cast<std::ptrdiff_t>(bounds[k + 1]));
  };
  const std::size_t count = file.records().size();
  const auto with = [&](const std::vector<std::size_t>& order) {
    Bytes bytes(begin, begin + static_cast<std::ptrdiff_t>(bounds[0]));
    for (const std::size_t k : order) {
      const Bytes one = record(k);
      bytes.insert(bytes.end(), one.begin(), one.end());
    }
    return bytes;
  };
  std::vector<std::size_t> all(count);
  std::iota(all.begin(), all.end(), std::size_t{0});
  CHECK(with(all) == file.bytes());
  const auto place = [](std::size_t k) { return static_cast<std::ptrdiff_t>(k); };
  for (std::size_t k = 0; k + 1 < count; ++k) {
    CAPTURE(k);
    const auto reason = [](std::size_t number) {
      return Contains("record " + std::to_string(number) + " does not match its check");
    };
    auto missing = all;
    missing.erase(missing.begin() + place(k));
    CHECK_THROWS_WITH(parse_rank(with(missing), "file"), reason(k + 1));
    auto moved = all;
    std::swap(moved[k], moved[k + 1]);
    CHECK_THROWS_WITH(parse_rank(with(moved), "file"), reason(k + 1));
    auto twice = all;
    twice.insert(twice.begin() + place(k), k);
    CHECK_THROWS_WITH(parse_rank(with(twice), "file"), reason(k + 2));
  }
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
    if (k % 2 == 0) TraceBytes::seal(bytes, at, next - at, index + 1);
    if (k % 5 == 0) bytes.resize(below(bytes.size() + 1));
    if (k % 7 == 0 && !bytes.empty()) bytes[below(bytes.size())] ^= 1U << below(8);
    accepted += survives(bytes) ? 1 : 0;
  }
  CHECK(accepted > 500);
  CHECK(accepted < 4500);
}

}  // namespace parse_rank_test
