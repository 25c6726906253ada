// SPDX-License-Identifier: MIT

#include "common/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "bracket/model/json.hpp"
#include "bracket/model/plan.hpp"
#include "bracket/model/rank_order.hpp"
#include "bracket/model/spec.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "bracket/support/whole_number.hpp"
#include "common/help.hpp"
#include "common/value_list.hpp"
#include "models/cost_models.hpp"

namespace bracket::tools {

namespace {

std::string first_of(const std::string& names) { return names.substr(0, names.find(',')); }

/// Reads whole numbers strictly. CLI11 reads 2^63 as 2^63 - 1, 010 as 8, an empty word as 0 and
/// 1e400 as infinity.
template <class Number>
CLI::Validator whole_number(const std::string& name, Number least) {
  return {[name, least](std::string& written) {
            const Index value =
                support::parse_count(written, name, std::numeric_limits<Number>::max());
            if (value < least) {
              throw Error(text(name, " must be at least ", least, ", not ", value));
            }
            written = std::to_string(value);
            return std::string();
          },
          ""};
}

}  // namespace

template <class Number>
CLI::Option* add_whole(CLI::App& command, const std::string& name, Number& value,
                       const std::string& help, Number least) {
  return command.add_option(name, value, help)->transform(whole_number(first_of(name), least));
}

template CLI::Option* add_whole(CLI::App&, const std::string&, Rank&, const std::string&, Rank);
template CLI::Option* add_whole(CLI::App&, const std::string&, Index&, const std::string&, Index);

CLI::Option* add_number(CLI::App& command, const std::string& name, double& value,
                        const std::string& help) {
  return command.add_option(name, value, help)
      ->check([name](const std::string& written) {
        parse_number(written, name);
        return std::string();
      })
      ->capture_default_str();
}

// The values of a list are separated by commas. Its option takes one word, so a file may follow.

template <class Number>
CLI::Option* add_whole_list(CLI::App& command, const std::string& name, std::vector<Number>& values,
                            const std::string& help, Number least) {
  return command.add_option(name, values, help)
      ->transform(whole_number(first_of(name), least))
      ->delimiter(',')
      ->allow_extra_args(false);
}

template CLI::Option* add_whole_list(CLI::App&, const std::string&, std::vector<Index>&,
                                     const std::string&, Index);

CLI::Option* add_name_list(CLI::App& command, const std::string& name,
                           std::vector<std::string>& names, const std::string& help) {
  return command.add_option(name, names, help)
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("NAME,...");
}

void check_lists(const CLI::App& app, int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const auto commands = app.get_subcommands(
      [&](const CLI::App* command) { return !words.empty() && command->check_name(words[0]); });
  if (commands.empty()) return;
  for (std::size_t i = 1; i < words.size() && words[i] != "--"; ++i) {
    const std::string& word = words[i];
    if (!word.starts_with('-')) continue;
    // The word may be `--plan=a,b`, `--plan a,b`, `-N1,2` or `-N 1,2`.
    const std::size_t end = word.starts_with("--") ? word.find('=') : 2;
    const std::string name = word.substr(0, end);
    std::string value = i + 1 < words.size() ? words[i + 1] : "";
    if (end < word.size()) value = word.substr(word.starts_with("--") ? end + 1 : end);
    const auto lists = commands[0]->get_options([&](const CLI::Option* option) {
      return option->get_delimiter() != '\0' && option->check_name(name);
    });
    if (lists.empty() || value.find(',') == std::string::npos) continue;
    check_values(split(value, ','), text(name, " '", excerpt(value), "'"));
  }
}

void check_dashes(const CLI::App& app, int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  for (const CLI::App* const command : app.get_subcommands(
           [&](const CLI::App* one) { return !words.empty() && one->check_name(words[0]); })) {
    for (std::size_t i = 1; i < words.size() && words[i] != "--"; ++i) {
      const std::string name = words[i].substr(0, words[i].find('='));
      if (name.size() < 3 || name[0] != '-' || name[1] == '-') continue;
      if (command->get_option_no_throw("-" + name) == nullptr) continue;
      throw Error(text("unknown option ", excerpt(name), " of bracket ", words[0],
                       "; did you mean -", name, "?"));
    }
  }
}

void refuse_pipes(CLI::Option& option, const std::function<bool()>& again) {
  const auto check = [again, name = option.get_name()](const std::string& file) {
    std::error_code none;
    const auto status = std::filesystem::status(file, none);
    const bool is_pipe = std::filesystem::exists(status) &&
                         !std::filesystem::is_regular_file(status) &&
                         !std::filesystem::is_directory(status);
    if (is_pipe && again()) {
      throw Error(
          text(name, ' ', file, " is read more than once: a file was expected, not a pipe"));
    }
    return file;
  };
  option.transform(check);  // runs before other checks and before the file is read
}

void read_orders(CLI::Option& option, std::string (*words)(const RankedOrder& order)) {
  option.transform([words](std::string written) {
    return written.ends_with(".json") ? words(read_ranked_order(written)) : written;
  });
}

CLI::Option* add_order(CLI::App& command, std::string& order) {
  auto* const option =
      command
          .add_option("--order", order,
                      "bracketing of the reduction; it determines the bits; `bracket list orders` "
                      "explains each. A file.json of `bracket reveal` has the order of a library")
          ->capture_default_str()
          ->type_name("NAME");
  read_orders(*option, [](const RankedOrder& read) { return read.order.spec(); });
  return option;
}

CLI::Option* add_rank_counts(CLI::App& command, std::vector<Rank>& ranks, const std::string& help) {
  return add_whole_list(command, "-p,--ranks", ranks, help, 1)->type_name("P,...");
}

namespace {
constexpr const char* elements_help = "number of elements; the plan file's if not given";
constexpr const char* ranks_help = "number of ranks; the plan file's if not given";
}  // namespace

void add_sizes(CLI::App& command, std::vector<Index>& elements, std::vector<Rank>& ranks) {
  const HelpGroup group(command, "Reduction");
  // Numbers that are too small are refused where they are used, as for a single number.
  constexpr auto any = std::numeric_limits<Index>::min();
  constexpr auto any_rank = std::numeric_limits<Rank>::min();
  add_whole_list(command, "-N,--elements", elements, elements_help, any)->type_name("N,...");
  add_whole_list(command, "-p,--ranks", ranks, ranks_help, any_rank)->type_name("P,...");
}

void add_threads(CLI::App& command, int& threads) {
  add_whole(command, "--threads", threads,
            "number of threads on each rank that reduce its elements", 1)
      ->capture_default_str()
      ->type_name("T");
}

std::string of_threads(int threads) {
  return threads == 1 ? "" : text(" of ", threads, " threads");
}

void add_sizes(CLI::App& command, Index& elements, Rank& ranks, CLI::Option* instead) {
  const HelpGroup group(command, "Reduction");
  auto* const size = add_whole(command, "-N,--elements", elements, elements_help);
  auto* const count = add_whole(command, "-p,--ranks", ranks, ranks_help);
  size->type_name("N");
  count->type_name("P");
  if (instead == nullptr) return;
  size->excludes(instead);
  count->excludes(instead);
}

void require_unless_planned(const CLI::App& command, const std::string& option) {
  if (command.count(option) > 0 || command.count("--plan-file") > 0) return;
  throw Error(text(option, " is required, unless a --plan-file gives it"));
}

void add_json(CLI::App& command, bool& json) {
  const HelpGroup group(command, "Output");
  command.add_flag("--json", json, "print JSON in place of text: one object on each line");
}

void InputOptions::add_to(CLI::App& command, const std::string& synthetic_names) {
  const HelpGroup group(command, "Reduction");
  command
      .add_option("file", file,
                  "file of elements, little-endian: .f64 (float64 alone), .binpsllh (their number "
                  "in 8 bytes, then float64) or .npy (one-dimensional float64 or float32, which is "
                  "widened to float64 without --type float32)")
      ->type_name("FILE");
  add_whole(command, synthetic_names, synthetic, "generate N synthetic elements in place of a file",
            Index{1})
      ->type_name("N");
  seed_option_ = add_whole(command, "--seed", seed, "seed of the synthetic elements", Index{0})
                     ->capture_default_str()
                     ->type_name("S");
}

std::unique_ptr<input::Input> InputOptions::open(Index items, Index fields) const {
  const std::string form = text(items > 1 ? text(" of ", items, " items") : "",
                                fields > 1 ? text(" in ", fields, " fields") : "");
  if (file.empty() == (synthetic == 0)) {
    throw Error(file.empty() ? "a file of elements, or --synthetic N with N >= 1, must be given"
                             : text(file, " and --synthetic are given: one of them was expected"));
  }
  if (file.empty()) {
    if (synthetic > std::numeric_limits<Index>::max() / items / fields) {
      throw Error(text("--synthetic ", synthetic, ": too many elements", form));
    }
    return input::synthetic_input(synthetic * items * fields, static_cast<std::uint64_t>(seed));
  }
  if (seed_option_ != nullptr && seed_option_->count() > 0) {
    throw Error(text("--seed is for synthetic elements, not for those of ", file));
  }
  auto input = input::open_input(file);
  if (input->elements() % (items * fields) != 0) {
    throw Error(
        text(file, ": ", input->elements(), " numbers are no whole number of elements", form));
  }
  return input;
}

}  // namespace bracket::tools
