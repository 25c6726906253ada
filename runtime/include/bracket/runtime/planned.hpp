#pragma once

#include "bracket/model/planned.hpp"
#include "bracket/runtime/any_reducer.hpp"

namespace bracket {

/// The settings of a reducer that reduces as planned, which refuses fields that are held otherwise.
/// Of an order without a bracketing the algorithm is `integer`: floats need another in its place.
/// Throws `Error` for what an `Executor` does alone, blocks of the result and elements of several
/// items.
Settings settings_of(const PlannedReduction& planned);

}  // namespace bracket
