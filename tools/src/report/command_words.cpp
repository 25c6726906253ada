// SPDX-License-Identifier: MIT

#include "report/command_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "bracket/support/file.hpp"

namespace bracket::tools {

namespace {

bool needs_no_quotes(const std::string& word) {
  constexpr std::string_view marks = "-_./:,=+@%";
  return !word.empty() && std::all_of(word.begin(), word.end(), [&](const char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           marks.find(c) != std::string_view::npos;
  });
}

bool is_all_utf8(const std::string& word) {
  try {
    static_cast<void>(nlohmann::json(word).dump());
  } catch (const nlohmann::json::type_error&) {
    return false;
  }
  return true;
}

std::string shell_quoted(const std::string& word) {
  if (needs_no_quotes(word)) return word;
  // A page cannot show control characters and bytes that are not UTF-8.
  const bool printable =
      is_all_utf8(word) && std::none_of(word.begin(), word.end(), [](const char c) {
        return static_cast<unsigned char>(c) < ' ' || c == 0x7f;
      });
  std::string all = printable ? "'" : "$'";
  for (const char c : word) {
    const auto byte = static_cast<unsigned char>(c);
    if (printable) {
      all += c == '\'' ? "'\\''" : std::string(1, c);
    } else if (byte < ' ' || byte >= 0x7f || c == '\'' || c == '\\') {
      all += fmt::format("\\x{:02x}", byte);
    } else {
      all += c;
    }
  }
  return all + '\'';
}

}  // namespace

std::vector<std::string> command_words() {
  std::vector<std::string> words;
  std::string word;
  for (const char c : support::read_file("/proc/self/cmdline")) {
    if (c != '\0') {
      word += c;
      continue;
    }
    words.push_back(std::move(word));
    word.clear();
  }
  return words;
}

std::string command_line_of(const std::vector<std::string>& words, int ranks) {
  std::string line = ranks > 1 ? fmt::format("mpiexec -n {} bracket", ranks) : "bracket";
  for (std::size_t i = 1; i < words.size(); ++i) line += ' ' + shell_quoted(words[i]);
  return line;
}

}  // namespace bracket::tools
