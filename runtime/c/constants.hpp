// SPDX-License-Identifier: MIT

#pragma once

#include "bracket/runtime/any_reducer.hpp"

namespace bracket {

/// Enumerators of the constants of bracket.h. Each function throws `Error` for any other number,
/// with the name of the constant if the number is a constant of another kind.
Type type_of(int number);
Op op_of(int number);

}  // namespace bracket
