#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>

namespace bracket::tools {

/// "0x3FF0000000000000".
std::string bits_text(double value);

/// Says in a report's row what came out: a number, its bits and its hexadecimal form, or of several
/// items the digest of all bits.
void tell_result(nlohmann::ordered_json& row, std::span<const double> items);

}  // namespace bracket::tools
