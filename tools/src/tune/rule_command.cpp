// SPDX-License-Identifier: MIT

#include "tune/rule_command.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <set>
#include <string_view>

#include "bracket/support/error.hpp"
#include "bracket/support/file.hpp"
#include "bracket/support/text.hpp"
#include "common/programs.hpp"
#include "rows/row_table.hpp"
#include "tune/rule_options.hpp"
#include "tune/rule_rows.hpp"

namespace bracket::tools {

namespace {

using Json = nlohmann::ordered_json;

/// Rules that are not verified yet, in a file beside the output. It is removed at the end, also if
/// a signal ends the program. There is one at a time.
class UnverifiedFile {
 public:
  UnverifiedFile(const std::string& output, std::string_view content)
      : path_(std::filesystem::absolute(output + ".unverified")) {
    to_remove = path_.c_str();
    struct sigaction action {};
    action.sa_handler = [](int signal) {
      ::unlink(to_remove);
      std::signal(signal, SIG_DFL);
      std::raise(signal);
    };
    for (std::size_t i = 0; i < signals.size(); ++i) {
      ::sigaction(signals[i], nullptr, &before_[i]);
      if (before_[i].sa_handler != SIG_IGN) ::sigaction(signals[i], &action, nullptr);
    }
    support::write_file(path_, content);
  }
  ~UnverifiedFile() {
    std::error_code none;
    std::filesystem::remove(path_, none);
    for (std::size_t i = 0; i < signals.size(); ++i) ::sigaction(signals[i], &before_[i], nullptr);
  }
  UnverifiedFile(const UnverifiedFile&) = delete;
  UnverifiedFile& operator=(const UnverifiedFile&) = delete;

  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  static constexpr std::array signals{SIGINT, SIGTERM, SIGHUP};
  inline static const char* to_remove = nullptr;
  std::filesystem::path path_;
  std::array<struct sigaction, signals.size()> before_{};
};

/// What was found and chosen on one number of ranks.
struct ChoiceOnRanks {
  Rank ranks;
  RevealedAlgorithms found;
  AlgorithmChoice choice;
};

class RuleCommand {
 public:
  explicit RuleCommand(const RuleOptions& options)
      : options_(options), program_(locate(command_named("reveal")).string()) {}

  void run() {
    std::vector<ChoiceOnRanks> all;
    std::vector<RankRules> rules;
    for (const Rank ranks : options_.launch.ranks) {
      all.push_back(choose(ranks));
      rules.push_back(rules_of(all.back().found, all.back().choice, ranks));
    }
    const std::string content = content_of(all, rules);
    std::size_t lengths = 0;
    {
      const UnverifiedFile file(options_.output, content);
      for (const ChoiceOnRanks& one : all) lengths += verify(one, file.path());
    }
    support::write_file(options_.output, content);
    progress_.clear();
    for (const auto& [ranks, found, choice] : all) {
      if (options_.json) {
        print_choice_as_json(found, choice, ranks);
      } else {
        print_choice(found, choice, ranks, options_.same_for_size());
        std::cout << '\n';
      }
    }
    if (!options_.json) print_use(lengths);
  }

 private:
  [[nodiscard]] std::vector<std::string> reveal_command(
      const std::vector<Index>& lengths, const std::vector<std::string>& more) const {
    std::vector<std::string> words{program_,
                                   "reveal",
                                   "--json",
                                   "--library",
                                   options_.library_name,
                                   "--collective",
                                   options_.collective_name,
                                   "--items",
                                   fmt::format("{}", fmt::join(lengths, ",")),
                                   "--root",
                                   std::to_string(options_.root),
                                   "--seed",
                                   std::to_string(options_.seed)};
    if (options_.collective() != SumCollective::reduce) {
      const auto root = std::find(words.begin(), words.end(), "--root");
      words.erase(root, root + 2);
    }
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  /// Reveals and measures all algorithms, and chooses.
  ChoiceOnRanks choose(Rank ranks) {
    progress_.say(fmt::format("measuring on {} ...", counted(ranks, "rank")));
    const auto lengths = options_.lengths(ranks);
    std::vector<std::string> more{"--time", "--algorithms",
                                  fmt::format("{}", fmt::join(options_.algorithms, ","))};
    const auto measured = options_.measurement.arguments();
    more.insert(more.end(), measured.begin(), measured.end());
    auto found = revealed_algorithms(
        options_.launch.rows_on(ranks, reveal_command(lengths, more),
                                "bracket reveal --algorithms --time --json", is_algorithm_row),
        lengths);
    auto choice = choose_algorithms(found.algorithms, options_.same_for_size());
    if (!choice) refuse(found, ranks);
    return {ranks, std::move(found), std::move(*choice)};
  }

  [[noreturn]] void refuse(const RevealedAlgorithms& found, Rank ranks) const {
    std::vector<std::string> names;
    for (const MeasuredAlgorithm& one : found.algorithms) {
      if (one.candidate) names.push_back(one.name);
    }
    throw Error(text("none of the algorithms of ", found.library(), " for ",
                     options_.collective_name, " on ", ranks, " ranks (",
                     fmt::format("{}", fmt::join(names, ", ")), ") has ",
                     options_.same_for_size() ? "one order for all items" : "fixed orders",
                     " at these lengths: try --algorithms all",
                     options_.same_for_size() ? " or --same-order run" : ""));
  }

  [[nodiscard]] std::string content_of(const std::vector<ChoiceOnRanks>& all,
                                       const std::vector<RankRules>& rules) const {
    const RevealedAlgorithms& found = all.front().found;
    if (options_.library() == MpiLibrary::mpich) {
      const std::string file = found.rows.front().at("library_file");
      return mpich_rules(selection_in(support::read_file(file), file), options_.collective(),
                         rules);
    }
    std::vector<std::string> comments{
        text("bracket tune: ", options_.collective_name, " of ", found.library())};
    for (const ChoiceOnRanks& one : all) {
      if (one.choice.order.empty()) continue;
      comments.push_back(text(one.ranks, " ranks add float64 in the order ", one.choice.order));
    }
    return open_mpi_rules(options_.collective(), rules, comments);
  }

  /// The measured lengths, those between them, and the last ones before the algorithm changes.
  static std::vector<Index> lengths_to_verify(const ChoiceOnRanks& one) {
    const auto& lengths = one.found.lengths;
    std::set<Index> all(lengths.begin(), lengths.end());
    for (std::size_t i = 0; i + 1 < lengths.size(); ++i) {
      all.insert(static_cast<Index>(
          std::sqrt(static_cast<double>(lengths[i]) * static_cast<double>(lengths[i + 1]))));
      if (one.choice.chosen[i] != one.choice.chosen[i + 1]) all.insert(lengths[i + 1] - 1);
    }
    return {all.begin(), all.end()};
  }

  /// Reveals the orders with the file in effect. Returns the number of lengths. Throws `Error` if
  /// they are not as promised.
  std::size_t verify(const ChoiceOnRanks& one, const std::string& file) {
    progress_.say(fmt::format("verifying on {} ...", counted(one.ranks, "rank")));
    const auto lengths = lengths_to_verify(one);
    std::vector<std::string> command{"env"};
    for (const std::string& setting :
         rule_settings(options_.library(), options_.collective(), file)) {
      command.push_back(setting);
    }
    const auto words = reveal_command(lengths, {});
    command.insert(command.end(), words.begin(), words.end());
    const auto rows =
        options_.launch.rows_on(one.ranks, command, "bracket reveal --json", is_revealed_row);
    for (const Json& row : rows) {
      const std::string wrong = fault_of(row, rows.front(), one);
      if (wrong.empty()) continue;
      throw Error(text("with the rules, ", one.ranks, " ranks sum ", row.at("items").dump(),
                       " items ", wrong, ": no file was written"));
    }
    return rows.size();
  }

  /// Says what is wrong with the orders of a row; empty if nothing is.
  [[nodiscard]] std::string fault_of(const Json& row, const Json& first,
                                     const ChoiceOnRanks& one) const {
    if (!has_fixed_orders(row)) return "in an order that varies from run to run, or between ranks";
    if (options_.same_for_size()) {
      const std::string order = order_of_items(row);
      const std::string expected =
          options_.same_for_run() ? one.choice.order : order_of_items(first);
      if (order.empty()) return "in several orders";
      if (order != expected) return text("in the order ", order, ", not ", expected);
      return "";
    }
    const auto& lengths = one.found.lengths;
    const auto at = std::find(lengths.begin(), lengths.end(), row.at("items").get<Index>());
    if (at == lengths.end()) return "";
    const auto length = static_cast<std::size_t>(at - lengths.begin());
    const Json& measured = one.found.row(one.choice.chosen[length], length);
    return row.at("trees") == measured.at("trees") ? "" : "in other orders than in the run before";
  }

  void print_use(std::size_t lengths) const {
    const std::string file = std::filesystem::absolute(options_.output).string();
    std::cout << fmt::format(
        "{}: {}, as revealed for {} with the file in effect. To use it, set:\n", options_.output,
        options_.same_for_size() ? "the order does not depend on the length"
                                 : "the orders are the same in another run",
        counted(static_cast<std::int64_t>(lengths), "length"));
    for (const std::string& setting :
         rule_settings(options_.library(), options_.collective(), file)) {
      std::cout << fmt::format("  export {}\n", setting);
    }
  }

  const RuleOptions& options_;
  std::string program_;
  Progress progress_;
};

}  // namespace

bool asks_for_rules(int argc, char** argv) {
  return std::any_of(argv + std::min(argc, 2), argv + argc, [](const char* word) {
    return word == std::string_view("--for") || std::string_view(word).starts_with("--for=");
  });
}

void add_rules(CLI::App& command) {
  const auto options = std::make_shared<RuleOptions>();
  options->add_to(command);
  command.callback([options, &command] {
    options->check(command);
    RuleCommand(*options).run();
  });
}

}  // namespace bracket::tools
