// SPDX-License-Identifier: MIT

#include "common/swept_command.hpp"

#include <algorithm>
#include <map>
#include <new>

#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "common/unknown_words.hpp"

namespace bracket::tools {

namespace {

std::string dashed(const std::string& option) { return (option.size() == 1 ? "-" : "--") + option; }

/// Returns an option's names, as in `-N (--elements)`.
std::string names_of(const CLI::Option& option) {
  std::string names = option.get_name(false, true);
  if (const auto comma = names.find(','); comma != std::string::npos) {
    names.replace(comma, 1, " (");
    names += ')';
  }
  return names;
}

bool contains(const std::vector<std::string>& all, const std::string& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

/// Returns the words after the subcommand, without the sweeps.
std::vector<std::string> unswept(int argc, char** argv) {
  std::vector<std::string> words;
  for (int i = 2; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--sweep") {
      ++i;
    } else if (!word.starts_with("--sweep=")) {
      words.push_back(word);
    }
  }
  return words;
}

}  // namespace

void add_sweep(CLI::App& command, std::vector<Sweep>& sweeps) {
  command
      .add_option_function<std::vector<std::string>>(
          "--sweep",
          [&sweeps](const std::vector<std::string>& all) {
            for (const std::string& one : all) sweeps.push_back(Sweep::parse(one));
          },
          "run once for each value of an option. VALUES is a list, such as "
          "plan=direct,aggregated:8, or FROM:TO:log:COUNT for values with a constant ratio, such "
          "as t-add=1e-10:1e-8:log:9, or FROM:TO:lin:COUNT for values with a constant difference. "
          "Several --sweep give all combinations. Do not also give the option itself")
      ->allow_extra_args(false)
      ->type_name("OPTION=VALUES");
}

bool asks_for_sweep(std::string_view name, int argc, char** argv) {
  return argc > 2 && argv[1] == name &&
         std::any_of(argv + 2, argv + argc, [](std::string_view word) {
           return word == "--sweep" || word.starts_with("--sweep=");
         });
}

bool is_swept(const std::vector<Sweep>& sweeps, const std::vector<std::string>& names) {
  return std::any_of(sweeps.begin(), sweeps.end(),
                     [&](const Sweep& sweep) { return contains(names, sweep.option); });
}

std::set<std::string> swept_options(const std::vector<Sweep>& sweeps) {
  std::set<std::string> options;
  for (const Sweep& sweep : sweeps) options.insert(dashed(sweep.option));
  return options;
}

SweptCommand::SweptCommand(std::string name, int argc, char** argv,
                           std::vector<std::string> of_whole, std::vector<Sweep> sweeps)
    : name_(std::move(name)),
      words_(unswept(argc, argv)),
      of_whole_(std::move(of_whole)),
      sweeps_(std::move(sweeps)) {
  of_whole_.emplace_back("sweep");
}

void SweptCommand::check(CLI::App& command) {
  command.parse(std::vector<std::string>(words_.rbegin(), words_.rend()));
  std::map<const CLI::Option*, std::string> swept;
  for (const Sweep& sweep : sweeps_) {
    const CLI::Option* const known = command.get_option_no_throw(dashed(sweep.option));
    if (known == nullptr || known->get_items_expected_max() == 0 ||
        contains(of_whole_, sweep.option)) {
      std::vector<std::string> names;
      for (const CLI::Option* const option : command.get_options()) {
        for (const auto& name : option->get_lnames()) names.push_back(name);
      }
      std::erase(names, sweep.option);
      const std::string nearest = suggestion(sweep.option, names);
      throw Error(
          text("--sweep ", sweep.option, ": an option of `bracket ", name_,
               "` that takes a value was expected",
               nearest.empty() ? text("; `bracket help ", name_, "` lists them") : nearest));
    }
    if (known->count() > 0) {
      throw Error(text("--sweep ", sweep.option, " gives the values of ", names_of(*known),
                       ", which is given, too: leave it out"));
    }
    const auto [first, is_new] = swept.emplace(known, sweep.option);
    if (!is_new && first->second != sweep.option) {
      throw Error(text("--sweep ", first->second, " and --sweep ", sweep.option,
                       " set the same option: leave one out"));
    }
  }
  points_ = points_of(sweeps_);
}

std::string SweptCommand::where(std::size_t point) const {
  return text("--sweep ", describe(points_[point]), ": ");
}

void SweptCommand::at_point(std::size_t point, const Use& use) const {
  std::vector<std::string> words = words_;
  for (const auto& [option, value] : points_[point]) {
    words.insert(words.end(), {dashed(option), value});
  }
  std::reverse(words.begin(), words.end());
  try {
    use(point + 1, points_.size(), std::move(words));
  } catch (const std::bad_alloc&) {
    throw Error(where(point) + "there is not enough memory for this size");
  } catch (const std::exception& failure) {
    throw Error(where(point) + failure.what());
  }
}

void SweptCommand::for_each_point(const Use& use) const {
  for (std::size_t point = 0; point < points_.size(); ++point) at_point(point, use);
}

}  // namespace bracket::tools
