// SPDX-License-Identifier: MIT

#pragma once

#include <string>
#include <vector>

#include "bracket/model/schedule.hpp"

namespace bracket {

/// One reason why a schedule is refused.
struct Violation {
  Rank rank = -1;            ///< −1 if it does not concern one rank
  std::ptrdiff_t step = -1;  ///< position in the rank's part; −1 if it does not concern one step
  std::string what;
};

/// Prints `rank 3, step 2 (send to 0: [4,8)): …`.
std::string describe(const Schedule& schedule, const Violation& violation);

/// The outcome of a symbolic execution.
struct Verdict {
  std::vector<Violation> violations;  ///< empty if the schedule is right
  /// Whether the schedule also ends if every send blocks until its message is received. Only
  /// meaningful without violations.
  bool ends_with_blocking_sends = false;

  [[nodiscard]] bool ok() const { return violations.empty(); }
};

/// Executes the schedule symbolically and checks that
///
/// - every fold is a bracket, of elements that the rank holds,
/// - every join is allowed by the order, of partials that the rank holds,
/// - every message is matched by one with the same partials,
/// - no rank makes a partial that it holds already (it may receive it again),
/// - every rank reaches its end (sends do not block),
/// - the result rank or ranks end with `[0, N)`.
///
/// A schedule that passes gives the same bits for every distribution. Throws `Error` if the
/// schedule's order is unknown.
Verdict verify(const Schedule& schedule);

}  // namespace bracket
