#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <limits>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "bracket/input/input.hpp"
#include "bracket/model/messages.hpp"
#include "bracket/model/plan.hpp"
#include "bracket/model/plan_file.hpp"
#include "bracket/model/schedule.hpp"

/// Options that several subcommands share, and what they amount to.
namespace bracket::tools {

/// A whole number, as `parse_count` reads it, from `least` to what `Number` holds: `Index` or
/// `Rank`.
template <class Number>
CLI::Option* add_whole(CLI::App& command, const std::string& name, Number& value,
                       const std::string& help, Number least = std::numeric_limits<Number>::min());

/// A finite number, as `parse_number` reads it.
CLI::Option* add_number(CLI::App& command, const std::string& name, double& value,
                        const std::string& help);

/// Whole numbers with commas between them.
template <class Number>
CLI::Option* add_whole_list(CLI::App& command, const std::string& name, std::vector<Number>& values,
                            const std::string& help, Number least);

/// Names with commas between them.
CLI::Option* add_name_list(CLI::App& command, const std::string& name,
                           std::vector<std::string>& names, const std::string& help);

/// Throws `Error` if a list on the command line has an empty value, which CLI11 leaves out.
void check_lists(const CLI::App& app, int argc, char** argv);

/// Throws `Error` for an option of several letters that is written with one dash: `-plan`.
void check_dashes(const CLI::App& app, int argc, char** argv);

/// Has `option`, which names files, refuse pipes and the like before they are opened, where
/// `again()`: what is read more than once must be there again. Comes before what reads them.
void refuse_pipes(CLI::Option& option, const std::function<bool()>& again);

/// `--order`.
CLI::Option* add_order(CLI::App& command, std::string& order);

/// `-p` as a list.
CLI::Option* add_rank_counts(CLI::App& command, std::vector<Rank>& ranks, const std::string& help);

/// `-N` and `-p`, which may be left out where a `--plan-file` says them, and where `instead` is
/// given, which excludes them.
void add_sizes(CLI::App& command, Index& elements, Rank& ranks, CLI::Option* instead = nullptr);

/// The same for lists of both.
void add_sizes(CLI::App& command, std::vector<Index>& elements, std::vector<Rank>& ranks);

/// Throws `Error` unless `command` was given this option, or a `--plan-file`, which says it.
void require_unless_planned(const CLI::App& command, const std::string& option);

/// `--rank-order`.
CLI::Option* add_rank_order(CLI::App& command, std::optional<std::string>& rank_order);

/// `distribution` in the rank order asked for; as it is if none was.
Distribution in_rank_order(const Distribution& distribution,
                           const std::optional<std::string>& rank_order);

/// `--all`, `--scatter`, `--root`, `--items`.
std::vector<CLI::Option*> add_delivery(CLI::App& command, Delivery& delivery, Index& items);

/// `--plan-file`, with which -N and -p need not be given.
CLI::Option* add_plan_file(CLI::App& command, std::string& file, const std::string& what);

/// Reads a plan file. Throws `Error`, which names the file, as `read_plan_file` does, and for an
/// objective that `tune` does not offer.
PlanFile read_tuning(const std::string& file);

/// The number of elements that the plan file of this name is for. Throws `Error` if not one.
Index elements_of(const PlanFile& file, const std::string& name);

/// `--order`, `--plan`, `--distribution`, `--rank-order`, `--root`, `--all`, `--scatter`,
/// `--items`, or `--plan-file` in place of all of them.
struct ScheduleOptions {
  std::string order = "tree";
  std::vector<std::string> plans{default_plan};
  std::vector<std::string> distributions{"upper"};
  std::optional<std::string> rank_order{};
  Delivery delivery;
  Index items = 1;
  std::string plan_file{};
  std::optional<PlanFile> tuned{};  ///< what is in it, once it was read

  /// `instead` is an option that gives a whole schedule and excludes these. Returns `--plan-file`.
  CLI::Option* add_to(CLI::App& command, CLI::Option* instead = nullptr);

  /// Reads the plan file, if one is given and was not read, and takes the delivery and the items
  /// from it. Throws `Error` as `read_tuning` does.
  void read_tuned();

  /// Takes the rest from it, for so many elements on so many ranks. Throws `Error` as
  /// `PlanFile::plan_for` does, naming the file.
  void take_tuned(Index elements, Rank ranks);

  /// Both. Where N or p is 0 it is the plan file's, if that is for one. Throws `Error` if not.
  void take_tuned_of(Index& elements, Rank& ranks);

  /// As they are written on the command line.
  [[nodiscard]] std::vector<std::string> arguments() const;

  /// What said the order: `--order`, or a plan file.
  [[nodiscard]] std::string order_said() const {
    return plan_file.empty() ? "--order" : plan_file + ": the order";
  }

  [[nodiscard]] Problem problem(const Order& over, const Distribution& held) const {
    return {over, held, delivery, items};
  }

  /// The distribution that `name` and the rank order give.
  [[nodiscard]] Distribution distribution(const std::string& name, Index elements,
                                          Rank ranks) const;

  /// The rank order as a row has it: empty for the identity.
  [[nodiscard]] std::string rank_order_name() const;

  /// Says in a report's row what was asked for: the delivery, and items and rank order if there is
  /// anything to say.
  void tell(nlohmann::ordered_json& row) const;

  /// The schedule for one plan and distribution of those asked for.
  [[nodiscard]] Schedule schedule(const Distribution& distribution, const std::string& plan) const;
};

/// Says a delivery in a report's row.
void tell_delivery(nlohmann::ordered_json& row, Delivery delivery, Index items);

/// `--json`.
void add_json(CLI::App& command, bool& json,
              const std::string& help = "one JSON object for each row, on a line of its own");

/// A file of elements, or `--synthetic N --seed S`.
struct InputOptions {
  std::string file;
  Index synthetic = 0;
  Index seed = 1;

  void add_to(CLI::App& command);
  [[nodiscard]] bool given() const { return !file.empty() || synthetic != 0; }
  /// The numbers of elements of `items` each. Throws `Error` if neither or both were given, or if
  /// they make up no whole number of elements.
  [[nodiscard]] std::unique_ptr<Input> open(Index items) const;
};

}  // namespace bracket::tools
