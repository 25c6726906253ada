// SPDX-License-Identifier: MIT

#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bracket/model/loggp.hpp"
#include "common/schedule_options.hpp"
#include "compare/compare_options.hpp"
#include "rows/rows.hpp"

namespace bracket::tools {

/// Plans and distributions to compare, with one order and one operation.
struct ComparedPlans {
  ScheduleOptions schedule;
  Order order;
  std::optional<Operation> operation;  ///< unless the options leave it out: the sum of float64
  Rows measured{};
  std::map<Rank, std::map<std::string_view, Rows>> simulated{};  ///< by the name of a model

  ComparedPlans(ScheduleOptions options, Index elements, std::optional<Operation> computed = {});

  /// Setting that is common to the rows of these plans.
  [[nodiscard]] RowSetting setting() const;

  /// Words for `run` and `simulate`.
  [[nodiscard]] std::vector<std::string> arguments() const;

  /// The plan that models predict for `plan`. For a baseline, it has the messages that MPI
  /// libraries send for a single number.
  [[nodiscard]] std::string modelled(const std::string& plan) const;

  /// Whether the operation is a baseline.
  [[nodiscard]] bool of_baseline() const {
    return operation && operation->baseline != Baseline::none;
  }

  /// Adds the keys of the operation, unless the options leave it out.
  void tell(nlohmann::ordered_json& row) const;

  /// Name of a plan over a distribution, with the algorithm if there is one.
  [[nodiscard]] std::string choice(const RowKey& key) const;
};

/// Returns what the options ask for: plans and distributions once for each algorithm or, without an
/// operation, for the sum of float64. With a plan file, also the default plan and distribution, for
/// comparison with the tuned ones. Throws `Error` for operations that make no sense or, unless
/// `options` only predict or read measurements, cannot be measured.
std::vector<ComparedPlans> compared_plans(CompareOptions& options);

}  // namespace bracket::tools
