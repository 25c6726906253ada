// SPDX-License-Identifier: MIT

#pragma once

#include <optional>
#include <string>

#include "bracket/model/algorithm.hpp"
#include "bracket/model/distribution.hpp"
#include "bracket/model/element.hpp"

namespace bracket {

/// Settings of a reducer. They must be the same on every rank, except `threads`, `kernel` and
/// `memory`.
struct Settings {
  /// As `make_algorithm` takes it: an order such as "chunked-tree:64", "binned:4", "double-double"
  /// or "stochastic". "binned-exact" adds products that are not rounded; for elements, it is
  /// "binned". "pre-rounded" reduces twice, and calls a function of elements twice. If empty, the
  /// tree. Minima and maxima accept "binned", too: their bits never depend on it.
  std::string algorithm = {};
  bool widened = false;  ///< compute float32 and complex64 in float64 and round once at the end, as
                         ///< all algorithms but orders always do.
                         ///< BRACKET_WIDENED=1 in the environment widens all reducers of a program
                         ///< that can be widened
  bool checked = false;  ///< integer sums and products that do not fit throw; otherwise they wrap
  std::optional<Rank> root = {};  ///< rank that gets the results; without a value, every rank
  std::string plan = {};          ///< if empty, one that suits the number of ranks
  int threads = 1;                ///< that fold the elements of this rank
  std::string kernel = {};        ///< if empty, the fastest that the processor supports
  std::optional<Distribution> held = {};  ///< required distribution of each field, for which a plan
                                          ///< was chosen; without a value, any
  std::string memory = {};  ///< where this rank's arrays lie: "host" or "cuda"; if empty, as their
                            ///< addresses say. "emulated" folds those of the host by the code of
                            ///< devices, for tests
};

/// Returns the settings, with `widened` set if BRACKET_WIDENED is 1 and a reducer with this type
/// and operator can be widened. Throws `Error` if BRACKET_WIDENED is not 0, 1 or empty.
Settings with_environment(Settings settings, Type type, Op op);

}  // namespace bracket
