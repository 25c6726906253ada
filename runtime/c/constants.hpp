#pragma once

#include "bracket/runtime/any_reducer.hpp"

namespace bracket {

/// What the constants of bracket.h stand for. Each throws `Error` for any other number, with the
/// name of the constant if it is one of another kind.
Type type_of(int number);
Op op_of(int number);
Algorithm algorithm_of(int number);

}  // namespace bracket
