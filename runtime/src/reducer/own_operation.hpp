// SPDX-License-Identifier: MIT

#pragma once

#include <memory>

#include "bracket/runtime/field_operation.hpp"
#include "bracket/runtime/own_operator.hpp"
#include "bracket/runtime/settings.hpp"

namespace bracket::runtime {

/// The operation of a program's operator, which must exist until it is prepared, with these
/// settings. `of_products`: whether any field consists of products.
std::unique_ptr<FieldOperation> make_own_operation(const OwnOperator& own, const Settings& settings,
                                                   bool of_products);

}  // namespace bracket::runtime
