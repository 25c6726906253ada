// SPDX-License-Identifier: MIT

#include "bracket/simulator/timeline.hpp"
#include "traces/trace_words.hpp"

namespace bracket {

namespace {

/// Exact to the last tick.
simulator::Decimal microseconds(Ticks ticks) { return {ticks, 6}; }

}  // namespace

void write_chrome_trace(std::ostream& out, const Timeline& timeline, Rank ranks) {
  out << "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"
      << R"({"ph":"M","name":"process_name","pid":0,"args":{"name":"ranks"}})";
  for (Rank rank = 0; rank < ranks; ++rank) {
    out << ",\n"
        << R"({"ph":"M","name":"thread_name","pid":0,"tid":)" << rank << R"(,"args":{"name":"rank )"
        << rank << "\"}}";
  }
  for (const Interval& interval : timeline) {
    const auto& [rank, kind, start, end, peer, bytes, send] = interval;
    out << ",\n"
        << R"({"ph":"X","pid":0,"tid":)" << rank << R"(,"name":")" << simulator::name_of(kind)
        << R"(","ts":)" << microseconds(start) << R"(,"dur":)" << microseconds(end - start);
    if (kind != Workload::Kind::compute) {
      const bool sends = kind == Workload::Kind::send;
      out << R"(,"args":{")" << (sends ? "to" : "from") << "\":" << peer << R"(,"bytes":)" << bytes
          << "}},\n"
          << R"({"ph":")" << (sends ? "s" : "f") << (sends ? "" : R"(","bp":"e)")
          << R"(","pid":0,"tid":)" << rank << R"(,"cat":"message","name":"message","id":)" << send
          << R"(,"ts":)" << microseconds(start);
    }
    out << '}';
  }
  out << "\n]}\n";
}

}  // namespace bracket
