// SPDX-License-Identifier: MIT

#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "bracket/model/operation.hpp"
#include "common/options.hpp"
#include "common/schedule_options.hpp"

namespace bracket::tools {

/// Options of the operation, if it is not the sum of float64: `--algorithm`, `--op`, `--type`,
/// `--widened`, `--checked`.
struct ArithmeticOptions {
  /// Whether the command takes baselines as algorithms: only those that plan nothing for them do.
  bool takes_baselines = false;
  bool takes_several = false;  ///< whether the command takes several algorithms
  bool predicts = true;        ///< whether the command predicts a single reduction, and says so of
                               ///< algorithms that need two
  std::vector<std::string> algorithms{};
  std::string op = "sum";
  std::string type = "float64";
  bool widened = false;
  bool checked = false;

  void add_to(CLI::App& command);

  /// Takes the operation of the plan file, if it was read and has one. Throws `Error` if an option
  /// was given as well, and for products.
  void take_tuned(const ScheduleOptions& schedule);

  /// Returns whether any of these options was given, or the plan file has an operation.
  [[nodiscard]] bool given() const;

  /// Returns whether the first algorithm is a baseline.
  [[nodiscard]] bool baseline_given() const;

  /// Returns the operation of these options and of `schedule`'s order, for `elements` elements.
  /// Without `--algorithm`, the order determines the algorithm; `order_given` says whether it was
  /// given. Of several algorithms, takes that with the number `which`. Throws `Error` for unknown
  /// names, for an order that contradicts the algorithm, and as `Operation::check` does.
  [[nodiscard]] Operation operation(const ScheduleOptions& schedule, bool order_given,
                                    Index elements, std::size_t which = 0) const;

  /// Takes the operation of the plan file, if it was read, and sets the order of `schedule` to that
  /// of the operation. Returns nothing if no option and no plan file gives an operation. Throws
  /// `Error` as `take_tuned` and `operation` do.
  std::optional<Operation> take_order(ScheduleOptions& schedule, Index elements,
                                      std::size_t which = 0);

  /// Calls `take_order`. If there is an operation and no plan was given, sets the plan of
  /// `schedule` to `plan_without_order`. A baseline has the plan `native` if the command
  /// `measures`: it is what the MPI library does.
  std::optional<Operation> settle(ScheduleOptions& schedule, Index elements, std::size_t which = 0,
                                  bool measures = false);

  /// The type of the elements. Throws `Error` for an unknown name.
  [[nodiscard]] Type element_type() const;

 private:
  [[nodiscard]] const char* given_option() const;  // null if none was given
  /// Whether the option or a plan file was given.
  [[nodiscard]] bool is_given(const ScheduleOptions& schedule, const char* option) const;

  const CLI::App* command_ = nullptr;
  std::optional<Operation> tuned_;
};

/// The default plan for other operations than the sum of float64. It requires no order. Its
/// messages are those of MPI libraries for single numbers: recursive doubling or a binomial tree.
const char* plan_without_order(Collective collective);

/// Returns the operation of a row, whose keys are those of `run`. The order of plain arithmetic is
/// `tree`, whatever the row has. Throws `Error` for a bad value.
Operation operation_of(const nlohmann::ordered_json& row);

/// Returns the options of an operation as words of a command line.
std::vector<std::string> arguments_of(const Operation& operation);

/// Adds the keys of an operation to a row.
void tell_operation(nlohmann::ordered_json& row, const Operation& operation);

}  // namespace bracket::tools
