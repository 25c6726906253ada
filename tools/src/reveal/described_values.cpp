// SPDX-License-Identifier: MIT

#include "reveal/described_values.hpp"

#include <regex>
#include <string_view>

namespace bracket::tools {

std::vector<std::pair<std::string, int>> values_described_by(const std::string& words,
                                                             std::span<const char* const> wanted) {
  static const std::regex line("(\\w+)\\s+-\\s");
  std::vector<std::pair<std::string, int>> values;
  int value = 0;
  for (std::sregex_iterator at(words.begin(), words.end(), line); at != std::sregex_iterator();
       ++at, ++value) {
    const std::string word = (*at)[1].str();
    std::string_view longest;
    for (const std::string_view name : wanted) {
      if (word.ends_with(name) && name.size() > longest.size()) longest = name;
    }
    if (!longest.empty()) values.emplace_back(longest, value);
  }
  return values;
}

}  // namespace bracket::tools
