// SPDX-License-Identifier: MIT

#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bracket/model/distribution.hpp"
#include "bracket/model/machine_json.hpp"
#include "bracket/model/operation.hpp"
#include "bracket/model/schedule.hpp"

namespace bracket {

/// "bracket 0.1.0"
std::string library_and_version();

/// A tuner's choice for numbers of elements from `from` to `to`.
struct TunedPlan {
  Index from = 0;
  Index to = 0;       ///< included
  std::string order;  ///< with every parameter
  int order_version = 0;
  std::string plan;                  ///< with every parameter
  std::string distribution;          ///< by name; empty if there is `held`
  std::optional<Distribution> held;  ///< of one number of elements only
  std::vector<std::pair<std::string, double>>
      predicted;  ///< seconds by objective, each objective once; for one number of a range

  friend bool operator==(const TunedPlan&, const TunedPlan&) = default;
};

/// A tuner's choices for a number of ranks, with the tuning's inputs.
struct PlanFile {
  std::string made_by = library_and_version();
  std::string objective;  ///< minimised: the name of a cost model, whichever the tuner knows
  Rank ranks = 0;
  Delivery delivery = {};
  Items items{};
  /// Operation that the plans are for. Without a value, it is the sum of float64. If its arithmetic
  /// is plain, each plan has its own order.
  std::optional<Operation> operation{};
  NamedMachine machine;
  Index budget = 0;              ///< as the tuner counts it
  Index seed = 0;                ///< of the tuner's random numbers
  std::vector<TunedPlan> plans;  ///< by ascending numbers of elements; ranges do not overlap

  /// Throws `Error`, which names the place in the JSON form, if a name is unknown, or if a plan
  /// makes no sense for its fewest or its most elements. Does not check the versions of orders, nor
  /// whether a distribution can be made for so many ranks: `plan_for` and `reduction` do.
  void check() const;

  /// The number of elements, if all plans are for the same one.
  [[nodiscard]] std::optional<Index> only_elements() const;

  /// The plan for so many elements on so many ranks. Throws `Error` if there is no such plan, with
  /// the sizes for which there are plans, and if this library's order of that name gives other
  /// bits.
  [[nodiscard]] const TunedPlan& plan_for(Index elements, Rank ranks) const;

  /// The operation of a plan, with its order. Throws as `plan_for` does.
  [[nodiscard]] Operation operation_for(Index elements, Rank ranks) const;

  /// The plan as a reduction. Throws as `plan_for` and `make_distribution` do.
  [[nodiscard]] ScheduleHeader reduction(Index elements, Rank ranks) const;
};

/// `{"format": "bracket-plan", "version": 1, "made_by", "objective", "ranks", "collective", "root",
/// "items", "operation", "machine": {a bracket-machine}, "budget", "seed", "plans": [{"elements":
/// [from, to], "order", "order_version", "plan", "distribution", "predicted": {"score": seconds,
/// …}}, …]}`; "distribution" is a name or a bracket-distribution, "collective" as in a schedule.
/// Several fields are "fields" in place of "items".
/// "operation" is as in `Operation::spec`, and is left out for the sum of float64. Both functions
/// throw `Error` as `PlanFile::check` does; the reader also names the place of any other fault.
nlohmann::ordered_json to_json(const PlanFile& file);
PlanFile plan_file_from_json(const nlohmann::ordered_json& json);

/// Reads a `bracket-plan` file.
PlanFile read_plan_file(const std::filesystem::path& path);

/// Reads a `bracket-plan` file and returns its reduction for so many elements on so many ranks.
/// Throws `Error`, which names the file, as `read_plan_file` and `PlanFile::reduction` do.
ScheduleHeader read_planned_reduction(const std::filesystem::path& path, Index elements,
                                      Rank ranks);

}  // namespace bracket
