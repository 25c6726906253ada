#pragma once

#include <string>
#include <vector>

#include "bracket/model/schedule.hpp"

namespace bracket {

/// One reason why a schedule is refused.
struct Violation {
  Rank rank = -1;            ///< −1 if it concerns no single rank
  std::ptrdiff_t step = -1;  ///< position in the rank's part; −1 if it concerns no single step
  std::string what;
};

/// Prints `rank 3, step 2 (send to 0: [4,8)): …`.
std::string describe(const Schedule& schedule, const Violation& violation);

/// The outcome of a symbolic execution.
struct Verdict {
  std::vector<Violation> violations;  ///< empty: the schedule is right
  /// The schedule also ends if every send blocks until its message is received. Only meaningful
  /// without violations.
  bool ends_with_blocking_sends = false;

  [[nodiscard]] bool ok() const { return violations.empty(); }
};

/// Executes the schedule symbolically: every fold is of elements at hand and a bracket, every
/// join is one the order allows of partials the rank holds, every message is matched by one of
/// the same partials, no rank makes a partial that it holds already (receiving it again is
/// allowed), every rank reaches its end (sends do not block), and the result rank(s) end with
/// `[0, N)`. A schedule that passes yields the same bits for every distribution.
/// Throws `Error` if the schedule's order is not known.
Verdict verify(const Schedule& schedule);

}  // namespace bracket
