// SPDX-License-Identifier: MIT

#include "common/exclusions.hpp"

#include <algorithm>
#include <utility>

#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

namespace bracket::tools {

namespace {

/// Returns the short name if there is one, and the value of an argument without a name.
std::string name_of(const CLI::Option& option) {
  if (!option.get_snames().empty()) return "-" + option.get_snames().front();
  if (!option.get_lnames().empty()) return "--" + option.get_lnames().front();
  return text(option.get_name(), ' ', excerpt(option.results().front()));
}

/// Returns the names as in `-N, -p and --root`.
std::string listed(const std::vector<std::string>& names) {
  std::string all = names.front();
  for (std::size_t i = 1; i < names.size(); ++i) {
    all += (i + 1 < names.size() ? ", " : " and ") + names[i];
  }
  return all;
}

}  // namespace

std::string exclusion(const CLI::App& command) {
  for (const CLI::Option* const option : command.get_options()) {
    if (option->count() == 0) continue;
    const auto excluded = option->get_excludes();
    std::vector<std::string> names;
    // The set has the sequence of addresses, which differs between runs.
    for (const CLI::Option* const other : command.get_options()) {
      const bool is_excluded = std::find(excluded.begin(), excluded.end(), other) != excluded.end();
      if (is_excluded && other->count() > 0) names.push_back(name_of(*other));
    }
    if (names.empty()) continue;
    return text(name_of(*option), " excludes ", listed(names), ": leave out ", name_of(*option),
                ", or ", listed(names));
  }
  return "";
}

void parse_words(CLI::App& command, std::vector<std::string> words) {
  try {
    command.parse(std::move(words));
  } catch (const CLI::ExcludesError&) {
    throw Error(exclusion(command));
  }
}

}  // namespace bracket::tools
