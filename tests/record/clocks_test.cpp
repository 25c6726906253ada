// SPDX-License-Identifier: MIT

#include "bracket/record/clocks.hpp"

#include "record/trace_bytes.hpp"
#include "support/catch.hpp"

namespace clocks_test {

using namespace bracket::testing;
using bracket::record::Trace;

namespace {

struct Times {
  std::int64_t entry;
  std::int64_t exit;
};

/// A rank on a host with all-reduces at these times.
bracket::record::RankTrace rank_with(int rank, const std::string& host,
                                     const std::vector<Times>& calls) {
  TraceBytes file(rank, 2, 64, host);
  std::uint64_t sequence = 0;
  for (const auto& [entry, exit] : calls) {
    file.reduction(
        {.sequence = sequence++, .input = {1}, .output = {2}, .entry = entry, .completed = exit});
  }
  file.end(10'000);
  return file.parsed();
}

std::vector<std::int64_t> offsets_of(const Trace& trace) {
  return bracket::record::clock_offsets(trace, bracket::record::calls_of(trace));
}

}  // namespace

TEST_CASE("clocks of hosts differ by the middle of what all-reduces permit") {
  Trace trace;
  trace.ranks.push_back(rank_with(0, "a", {{100, 300}, {500, 520}}));
  // Its clock is ahead by 1000. The first call permits -1190 to -900, the second -1015 to -985.
  trace.ranks.push_back(rank_with(1, "b", {{1200, 1290}, {1505, 1515}}));
  CHECK(offsets_of(trace) == std::vector<std::int64_t>{0, -1000});
}

TEST_CASE("ranks of a host have one clock") {
  Trace trace;
  trace.ranks.push_back(rank_with(0, "a", {{100, 300}}));
  trace.ranks.push_back(rank_with(1, "a", {{1200, 1290}}));
  CHECK(offsets_of(trace) == std::vector<std::int64_t>{0, 0});
}

TEST_CASE("hosts without all-reduces in common differ by the time of day") {
  Trace trace;
  trace.ranks.push_back(rank_with(0, "a", {}));
  trace.ranks.push_back(rank_with(1, "b", {}));
  trace.ranks[0].realtime = 5000;
  trace.ranks[0].monotonic = 1000;
  trace.ranks[1].realtime = 5100;
  trace.ranks[1].monotonic = 7000;
  // At 5000, the clock of b shows 6900, and that of a 1000.
  CHECK(offsets_of(trace) == std::vector<std::int64_t>{0, -5900});
}

}  // namespace clocks_test
