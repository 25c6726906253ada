// SPDX-License-Identifier: MIT

#pragma once

#include <memory>

#include "bracket.h"
#include "bracket/runtime/own_operator.hpp"

namespace bracket {

/// An operator of a C program, for elements of `bytes` bytes, 1 to `BRACKET_MOST_BYTES`. `join` may
/// be null: the operator is then not callable.
std::unique_ptr<runtime::OwnOperator> make_c_operator(std::size_t bytes, bracket_join* join,
                                                      void* context);

}  // namespace bracket
