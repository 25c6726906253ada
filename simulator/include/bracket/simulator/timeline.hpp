// SPDX-License-Identifier: MIT

#pragma once

#include <ostream>
#include <vector>

#include "bracket/simulator/workload.hpp"

namespace bracket {

/// A time during which a rank's processor is not free for anything else.
struct Interval {
  Rank rank = 0;
  Workload::Kind kind = Workload::Kind::compute;
  Ticks start = 0;
  Ticks end = 0;
  Rank peer = 0;            ///< of a message
  std::uint64_t bytes = 0;  ///< of a message
  std::uint32_t send = 0;   ///< number of a message, the same at both ends

  friend bool operator==(const Interval&, const Interval&) = default;
};

/// Intervals in the sequence of their starts.
using Timeline = std::vector<Interval>;

/// Writes a timeline as Chrome's trace events, which Perfetto (ui.perfetto.dev) shows: a thread for
/// each rank, an arrow for each message; times in microseconds.
void write_chrome_trace(std::ostream& out, const Timeline& timeline, Rank ranks);

/// Writes a timeline as a Paje trace (ViTE, pajeng): a state for each rank, a link for each
/// message; times in seconds.
void write_paje(std::ostream& out, const Timeline& timeline, Rank ranks);

}  // namespace bracket
