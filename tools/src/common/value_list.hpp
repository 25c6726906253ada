// SPDX-License-Identifier: MIT

#pragma once

#include <string>
#include <vector>

namespace bracket::tools {

/// Splits `written` at each character `at`.
std::vector<std::string> split(const std::string& written, char at);

/// Throws `Error` that begins with `where` if a value is empty or occurs twice, even if the two are
/// written differently.
void check_values(const std::vector<std::string>& values, const std::string& where);

}  // namespace bracket::tools
