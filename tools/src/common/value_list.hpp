#pragma once

#include <string>
#include <vector>

namespace bracket::tools {

/// The parts of `written` between the characters `at`.
std::vector<std::string> split(const std::string& written, char at);

/// Throws `Error` that begins with `where` if a value is empty or there twice, however written.
void check_values(const std::vector<std::string>& values, const std::string& where);

}  // namespace bracket::tools
