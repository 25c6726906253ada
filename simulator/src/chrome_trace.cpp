#include <array>
#include <cinttypes>
#include <cstdio>

#include "bracket/simulator/timeline.hpp"

namespace bracket {

namespace {

/// Microseconds to the last tick.
class Microseconds {
 public:
  explicit Microseconds(Ticks ticks) {
    std::snprintf(text_.data(), text_.size(), "%" PRIu64 ".%06" PRIu64, ticks / 1000000,
                  ticks % 1000000);
  }
  friend std::ostream& operator<<(std::ostream& out, const Microseconds& time) {
    return out << time.text_.data();
  }

 private:
  std::array<char, 32> text_{};
};

const char* name_of(Workload::Kind kind) {
  switch (kind) {
    case Workload::Kind::compute:
      return "compute";
    case Workload::Kind::send:
      return "send";
    default:
      return "receive";
  }
}

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
        << R"({"ph":"X","pid":0,"tid":)" << rank << R"(,"name":")" << name_of(kind) << R"(","ts":)"
        << Microseconds(start) << R"(,"dur":)" << Microseconds(end - start);
    if (kind != Workload::Kind::compute) {
      const bool sends = kind == Workload::Kind::send;
      out << R"(,"args":{")" << (sends ? "to" : "from") << "\":" << peer << R"(,"bytes":)" << bytes
          << "}},\n"
          << R"({"ph":")" << (sends ? "s" : "f") << (sends ? "" : R"(","bp":"e)")
          << R"(","pid":0,"tid":)" << rank << R"(,"cat":"message","name":"message","id":)" << send
          << R"(,"ts":)" << Microseconds(start);
    }
    out << '}';
  }
  out << "\n]}\n";
}

}  // namespace bracket
