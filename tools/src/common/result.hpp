#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>

namespace bracket::tools {

/// Returns the bits of `value` as hexadecimal text: "0x3FF0000000000000" for 1.
std::string bits_text(double value);

/// Adds a result to a row: a number, its bits and its hexadecimal form, or the digest of
/// all bits if there are several items.
void tell_result(nlohmann::ordered_json& row, std::span<const double> items);

}  // namespace bracket::tools
