#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bracket/model/distribution.hpp"
#include "bracket/model/machine_json.hpp"
#include "bracket/model/planned.hpp"
#include "bracket/model/schedule.hpp"

namespace bracket {

/// "bracket 0.1.0"
std::string library_and_version();

/// What a tuner chose for numbers of elements from `from` to `to`.
struct TunedPlan {
  Index from = 0;
  Index to = 0;       ///< included
  std::string order;  ///< with every parameter
  int order_version = 0;
  std::string plan;                  ///< with every parameter
  std::string distribution;          ///< by name; empty if `held` says it
  std::optional<Distribution> held;  ///< of one number of elements only
  std::vector<std::pair<std::string, double>>
      predicted;  ///< seconds, by objective, none twice; of a range for some number in it

  friend bool operator==(const TunedPlan&, const TunedPlan&) = default;
};

/// What a tuner found for a number of ranks, and what it found it with.
struct PlanFile {
  std::string made_by = library_and_version();
  std::string objective;  ///< what was minimised, one of `objectives` (tune.hpp)
  Rank ranks = 0;
  Delivery delivery = {};
  Index items = 1;
  NamedMachine machine;
  Index budget = 0;              ///< as the tuner counts it
  Index seed = 0;                ///< of what it drew
  std::vector<TunedPlan> plans;  ///< by ascending numbers of elements, none in two of them

  /// Throws `Error`, naming the place in the JSON form, unless everything is known by name and
  /// makes sense for the fewest and the most elements of each plan. Whether an order has the version
  /// which this library has, and whether there is a distribution of that name for so many ranks, only
  /// those below ask.
  void check() const;

  /// The number of elements, if all is for one.
  [[nodiscard]] std::optional<Index> only_elements() const;

  /// What was chosen for so many elements on so many ranks. Throws `Error`, saying what it is for,
  /// if nothing was, or if this library's order of that name gives other bits.
  [[nodiscard]] const TunedPlan& plan_for(Index elements, Rank ranks) const;

  /// That, ready for use. Throws as `plan_for` and `make_distribution` do.
  [[nodiscard]] PlannedReduction reduction(Index elements, Rank ranks) const;
};

/// `{"format": "bracket-plan", "version": 1, "made_by", "objective", "ranks", "collective", "root",
/// "items", "machine": {a bracket-machine}, "budget", "seed", "plans": [{"elements": [from, to],
/// "order", "order_version", "plan", "distribution", "predicted": {"score": seconds, …}}, …]}`;
/// "distribution" is a name or a bracket-distribution, "collective" as in a schedule. Both throw
/// `Error` as `PlanFile::check` does, the reader naming the place of what else is wrong.
nlohmann::ordered_json to_json(const PlanFile& file);
PlanFile plan_file_from_json(const nlohmann::ordered_json& json);

/// A `bracket-plan` file.
PlanFile read_plan_file(const std::filesystem::path& path);

/// What it says for so many elements on so many ranks. Throws `Error` as reading and
/// `PlanFile::reduction` do, naming the file.
PlannedReduction read_planned_reduction(const std::filesystem::path& path, Index elements,
                                        Rank ranks);

}  // namespace bracket
