#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "bracket/model/operation.hpp"
#include "common/options.hpp"

namespace bracket::tools {

/// Options of the operation, if it is not the sum of float64: `--algorithm`, `--op`, `--type`,
/// `--widened`, `--checked`.
struct ArithmeticOptions {
  std::optional<std::string> algorithm{};
  std::string op = "sum";
  std::string type = "float64";
  bool widened = false;
  bool checked = false;

  void add_to(CLI::App& command);

  /// Returns whether any of these options was given.
  [[nodiscard]] bool given() const;

  /// Returns the operation of these options and of `schedule`'s order, for `elements` elements.
  /// Without `--algorithm`, the order determines the algorithm; `order_given` says whether it was
  /// given. Throws `Error` for unknown names, for an order that contradicts the algorithm, and as
  /// `Operation::check` does.
  [[nodiscard]] Operation operation(const ScheduleOptions& schedule, bool order_given,
                                    Index elements) const;

  /// Sets the order of `schedule` to that of the operation, and its plan, unless it was given, to
  /// one that carries frontiers: the default plan requires an order. Returns the operation.
  Operation settle(ScheduleOptions& schedule, Index elements) const;

 private:
  const CLI::App* command_ = nullptr;
};

/// Returns the operation of a row, whose keys are those of `run`. The order of plain arithmetic is
/// `tree`, whatever the row has. Throws `Error` for a bad value.
Operation operation_of(const nlohmann::ordered_json& row);

/// Adds the keys of an operation to a row.
void tell_operation(nlohmann::ordered_json& row, const Operation& operation);

}  // namespace bracket::tools
