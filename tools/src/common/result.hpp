// SPDX-License-Identifier: MIT

#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "bracket/model/element.hpp"

namespace bracket::tools {

/// Returns the bits of `value` as hexadecimal text: "0x3FF0000000000000" for 1.
std::string bits_text(double value);

/// Adds a result to a row: a number, its bits and its hexadecimal form, or the digest of
/// all bits if there are several items.
void tell_result(nlohmann::ordered_json& row, std::span<const double> items);

/// Size in bytes of one result of an operator on elements of a type: a number, a number with its
/// index, or a digest.
std::size_t result_bytes(Type type, Op op);

/// Adds results of any type to a report's row: a float in three forms, the forms of the two parts
/// of a complex number with a space between them, or the digest of all bits if there are several.
void tell_result(nlohmann::ordered_json& row, Type type, Op op, std::span<const std::byte> results);

}  // namespace bracket::tools
