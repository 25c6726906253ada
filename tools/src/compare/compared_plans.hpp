#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bracket/model/loggp.hpp"
#include "common/arithmetic.hpp"
#include "common/options.hpp"
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

  /// Returns `machine` with the costs of the operation. Throws `Error` as `Machine::computing`.
  [[nodiscard]] Machine computing(const Machine& machine) const;

  /// Adds the keys of the operation, unless the options leave it out.
  void tell(nlohmann::ordered_json& row) const;

  /// Name of a plan over a distribution, with the algorithm if there is one.
  [[nodiscard]] std::string choice(const RowKey& key) const;
};

}  // namespace bracket::tools
