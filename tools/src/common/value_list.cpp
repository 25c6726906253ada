// SPDX-License-Identifier: MIT

#include "common/value_list.hpp"

#include <fmt/format.h>

#include <cmath>
#include <unordered_set>

#include "bracket/model/spec.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "bracket/support/whole_number.hpp"

namespace bracket::tools {

namespace {

/// Returns one text for all ways to write a number, and other words unchanged.
std::string normal_form(const std::string& value) {
  constexpr double most_exact = 0x1p53;
  try {
    const double number = parse_number(value, "");
    if (std::abs(number) < most_exact) return fmt::format("{}", number);
  } catch (const Error&) {
  }
  try {
    return std::to_string(support::parse_count(value, ""));  // 10k
  } catch (const Error&) {
    return value;
  }
}

}  // namespace

std::vector<std::string> split(const std::string& written, char at) {
  std::vector<std::string> parts(1);
  for (const char c : written) {
    if (c == at) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

void check_values(const std::vector<std::string>& values, const std::string& where) {
  std::unordered_set<std::string> seen;
  for (const std::string& value : values) {
    if (value.empty()) throw Error(text(where, ": a value is empty"));
    if (!seen.insert(normal_form(value)).second) {
      throw Error(text(where, ": ", value, " is there twice"));
    }
  }
}

}  // namespace bracket::tools
