// SPDX-License-Identifier: MIT

#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "bracket/model/messages.hpp"
#include "bracket/model/plan.hpp"
#include "bracket/model/plan_file.hpp"
#include "bracket/model/schedule.hpp"
#include "common/options.hpp"

/// Options of a schedule, and the model objects that they select.
namespace bracket::tools {

/// Adds `--rank-order`.
CLI::Option* add_rank_order(CLI::App& command, std::optional<std::string>& rank_order);

/// Returns `distribution` in the given rank order, or unchanged without one.
Distribution in_rank_order(const Distribution& distribution,
                           const std::optional<std::string>& rank_order);

/// Adds `--all`, `--scatter`, `--root`, `--items` and `--fields`, and returns them.
std::vector<CLI::Option*> add_delivery(CLI::App& command, Delivery& delivery, Items& items);

/// Adds `--plan-file`, with help text `what`. With it, -N and -p are optional.
CLI::Option* add_plan_file(CLI::App& command, std::string& file, const std::string& what);

/// Reads a plan file. Throws `Error`, which names the file, in the cases of `read_plan_file` and
/// for an objective that `tune` does not offer.
PlanFile read_tuning(const std::string& file);

/// Returns the number of elements of `file`, whose name is `name`. Throws `Error` if it has plans
/// for several.
Index elements_of(const PlanFile& file, const std::string& name);

/// `--order`, `--plan`, `--distribution`, `--rank-order`, `--root`, `--all`, `--scatter`,
/// `--items`, `--fields`, or `--plan-file` in place of all of them.
struct ScheduleOptions {
  std::string order = "tree";
  std::vector<std::string> plans{default_plan};
  std::vector<std::string> distributions{"upper"};
  std::optional<std::string> rank_order{};
  Delivery delivery;
  Items items{};
  std::string plan_file{};
  std::optional<PlanFile> tuned{};  ///< content of the plan file, once it was read
  bool takes_one = false;           ///< whether the command takes one plan and one distribution

  /// Adds the options, and returns `--plan-file`. They exclude `instead`, an option that gives a
  /// whole schedule.
  CLI::Option* add_to(CLI::App& command, CLI::Option* instead = nullptr);

  /// Reads the plan file if one is given and was not read before, and takes the delivery and the
  /// items from it. Throws `Error` in the cases of `read_tuning`.
  void read_tuned();

  /// Takes order, plan and distribution for `elements` and `ranks` from the plan file, if it was
  /// read. Throws `Error`, which names the file, in the cases of `PlanFile::plan_for`.
  void take_tuned(Index elements, Rank ranks);

  /// Calls `read_tuned` and `take_tuned`. Replaces an N or p of 0 by the plan file's number. Throws
  /// `Error` if the file has plans for several N and N is 0.
  void take_tuned_of(Index& elements, Rank& ranks);

  /// Returns the options as words of a command line. With `named`, an algorithm is given in place
  /// of the order.
  [[nodiscard]] std::vector<std::string> arguments(bool named = false) const;

  /// Names the source of the order, for messages: `--order` or a plan file.
  [[nodiscard]] std::string order_said() const {
    return plan_file.empty() ? "--order" : plan_file + ": the order";
  }

  [[nodiscard]] Problem problem(const Order& over, const Distribution& held) const {
    return {over, held, delivery, items};
  }

  /// Returns the distribution that `name` and the rank order give.
  [[nodiscard]] Distribution distribution(const std::string& name, Index elements,
                                          Rank ranks) const;

  /// Returns the rank order's name for a row; empty for the identity.
  [[nodiscard]] std::string rank_order_name() const;

  /// Adds the delivery, the items, and a rank order other than the identity to a row.
  void tell(nlohmann::ordered_json& row) const;

  /// Returns the schedule for a distribution and a plan.
  [[nodiscard]] Schedule schedule(const Distribution& distribution, const std::string& plan) const;
};

/// Adds a delivery and the items to a row.
void tell_delivery(nlohmann::ordered_json& row, Delivery delivery, Items items);

/// Returns the option that gives these items: `--items 5` or `--fields 3`.
std::string option_of(Items items);

}  // namespace bracket::tools
