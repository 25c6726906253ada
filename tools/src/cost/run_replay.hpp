// SPDX-License-Identifier: MIT

#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "cost/recorded_run.hpp"
#include "cost/replacement.hpp"

namespace bracket::tools {

/// A run that was replayed with other reductions.
struct ReplayedRun {
  double seconds = 0;  ///< from the first start of a rank to the last end
  /// Of each size: seconds from the last recorded entry of a call to its last exit, in all calls.
  /// The entry includes a loop that the schedule does as well.
  std::vector<double> of_size;
  std::int64_t short_gaps = 0;  ///< gaps of a rank in which the loop did not fit
};

/// Replays a run. The gaps of each rank stay as they are, less a loop that the schedule does. A
/// rank whose loop is slower than usual also computes more slowly in the call that replaces it.
/// Each call takes as long as `by_size` of its size under LogGOPS, with the ranks as late as they
/// come. If a size has several replacements, call `number` has its turn. `nodes` has the node of
/// each rank. `progress` gets the number of calls so far, now and then.
ReplayedRun replay(const RecordedRun& run,
                   const std::vector<const std::vector<Replacement>*>& by_size,
                   const std::vector<std::uint32_t>& nodes,
                   const std::function<void(std::size_t)>& progress);

}  // namespace bracket::tools
