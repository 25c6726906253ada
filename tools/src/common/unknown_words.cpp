// SPDX-License-Identifier: MIT

#include "common/unknown_words.hpp"

#include <algorithm>
#include <string_view>

#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

namespace bracket::tools {

namespace {

/// Returns the number of edits that make one word the other (optimal string alignment), or more
/// than `most` if it exceeds `most`.
std::size_t edits_between(std::string_view one, std::string_view other, std::size_t most) {
  const auto [shorter, longer] = std::minmax({one.size(), other.size()});
  if (longer - shorter > most) return most + 1;
  std::vector<std::vector<std::size_t>> edits(one.size() + 1,
                                              std::vector<std::size_t>(other.size() + 1));
  for (std::size_t i = 0; i <= one.size(); ++i) {
    for (std::size_t k = 0; k <= other.size(); ++k) {
      if (i == 0 || k == 0) {
        edits[i][k] = i + k;
        continue;
      }
      const bool same = one[i - 1] == other[k - 1];
      edits[i][k] = std::min(
          {edits[i - 1][k] + 1, edits[i][k - 1] + 1, edits[i - 1][k - 1] + (same ? 0 : 1)});
      if (i > 1 && k > 1 && one[i - 1] == other[k - 2] && one[i - 2] == other[k - 1]) {
        edits[i][k] = std::min(edits[i][k], edits[i - 2][k - 2] + 1);
      }
    }
  }
  return edits[one.size()][other.size()];
}

bool is_option(const std::string& word) { return word.size() > 1 && word[0] == '-'; }

/// Returns an option as written, without its value.
std::string option_of(const std::string& word) {
  return is_option(word) ? word.substr(0, word.find('=')) : word;
}

std::string suggested_option(const CLI::App& command, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::Option* const option : command.get_options()) {
    if (option->get_group().empty()) continue;  // not in the help either
    for (const auto& name : option->get_lnames()) names.push_back("--" + name);
  }
  const std::string written = option_of(word);
  std::erase(names, written);  // a known option is unknown only after `--`, which ends the options
  // `-json` and `json` are also near to `--json`.
  return suggestion("--" + written.substr(std::min(written.find_first_not_of('-'), written.size())),
                    names);
}

std::string unknown_words_of(const CLI::App& command, const std::string& called) {
  std::vector<std::string> words = command.remaining();
  std::erase(words, "--");  // ends the options and is not an argument
  if (words.empty()) return "";
  // A word after an unknown option is most likely its value.
  if (is_option(words[0]) && (words.size() == 1 || (words.size() == 2 && !is_option(words[1])))) {
    return text("unknown option ", excerpt(option_of(words[0])), " of ", called,
                suggested_option(command, words[0]));
  }
  if (words.size() == 1) {
    return text("unexpected argument '", excerpt(words[0]), "' of ", called,
                suggested_option(command, words[0]));
  }
  std::string all;
  for (const std::string& word : words) {
    all += (all.empty() ? "" : ", ") + excerpt(word);
    const std::string nearest = is_option(word) ? suggested_option(command, word) : "";
    if (!nearest.empty()) all += " (" + nearest.substr(2) + ")";
  }
  return text("unknown words of ", called, ": ", all);
}

}  // namespace

std::string suggestion(const std::string& written, const std::vector<std::string>& names) {
  const auto bare = [](std::string_view name) {
    return name.substr(std::min(name.find_first_not_of('-'), name.size()));
  };
  const std::string_view word = bare(written);
  std::size_t fewest = std::max<std::size_t>(1, word.size() / 3);
  std::size_t longest = 0;
  const std::string* nearest = nullptr;
  for (const std::string& full : names) {
    const std::string_view name = bare(full);
    if (name.size() < 2 || word.size() < 2) continue;
    const std::size_t edits = edits_between(word, name, fewest);
    // Among equally near names, take the one with the longest common beginning.
    const std::size_t begins_alike = static_cast<std::size_t>(
        std::mismatch(word.begin(), word.end(), name.begin(), name.end()).first - word.begin());
    if (edits > fewest) continue;
    if (edits == fewest && nearest != nullptr && begins_alike <= longest) continue;
    fewest = edits;
    longest = begins_alike;
    nearest = &full;
  }
  return nearest == nullptr ? "" : "; did you mean " + *nearest + "?";
}

std::string unknown_words(const CLI::App& app) {
  // First the subcommand: what follows an unknown option of it may be left to the program.
  std::string why;
  for (const CLI::App* const command : app.get_subcommands()) {
    // Such words are for the program that the subcommand starts.
    if (!why.empty() || command->get_prefix_command() || command->get_allow_extras()) continue;
    why = unknown_words_of(*command, "bracket " + command->get_name());
  }
  return why.empty() ? unknown_words_of(app, "bracket") : why;
}

}  // namespace bracket::tools
