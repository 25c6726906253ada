// SPDX-License-Identifier: MIT

#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bracket/model/distribution.hpp"
#include "models/prediction.hpp"
#include "simulate/simulate_options.hpp"

namespace bracket::tools {

class Subject;

/// The rows of one set of options, one for each distribution, plan and engine.
class SimulateRows {
 public:
  struct RowUses {
    /// Returns whether a row, given before its simulation, need not be simulated.
    std::function<bool(const nlohmann::ordered_json&)> is_known;
    std::function<void(nlohmann::ordered_json)> take;
    std::function<void(const std::string& progress)> say;
    /// Gets the timeline of each row that has one, before `take`. May be empty.
    std::function<void(const nlohmann::ordered_json&, const Timeline&, Rank ranks)> show = {};
  };

  /// Progress messages begin with `where`. Throws `Error` if options contradict each other.
  SimulateRows(const SimulateOptions& options, std::string where);

  /// Number of distributions, and number of plans for each distribution.
  [[nodiscard]] std::size_t distributions() const;
  [[nodiscard]] std::size_t plans() const;

  /// Makes every engine's row of one distribution and one plan, given by their numbers from 0.
  /// Throws `Error` if they cannot be simulated.
  void run(std::size_t distribution, std::size_t plan, const RowUses& uses);

  /// Makes all rows. Engines change fastest, then plans.
  void run(const RowUses& uses);

 private:
  void check_traces() const;
  void check_platform() const;
  void check_watts() const;
  void simulate_one(const Subject& subject, const std::string& distribution,
                    const RowUses& uses) const;
  [[nodiscard]] nlohmann::ordered_json settings(const Subject& subject,
                                                const std::string& distribution,
                                                const CostModel& engine) const;
  void write_traces(const Workload& workload, const Prediction& prediction) const;

  const SimulateOptions& options_;
  std::string where_;
  std::vector<const CostModel*> engines_;
  Conditions conditions_;
  std::optional<std::pair<std::size_t, Distribution>> made_;  // the last one: slow to make
};

}  // namespace bracket::tools
