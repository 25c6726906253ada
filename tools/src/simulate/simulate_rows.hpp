#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bracket/model/distribution.hpp"
#include "cost/prediction.hpp"
#include "simulate/simulate_options.hpp"

namespace bracket::tools {

class Subject;

/// The rows of one set of options: of every distribution, plan and engine.
class SimulateRows {
 public:
  struct Uses {
    /// Gets each row before it is simulated, and says whether it need not be.
    std::function<bool(const nlohmann::ordered_json&)> is_known;
    std::function<void(nlohmann::ordered_json)> take;
    std::function<void(const std::string& progress)> say;
  };

  /// `where` begins what is said of the progress. Throws `Error` for options that do not go
  /// together.
  SimulateRows(const SimulateOptions& options, std::string where);

  /// How many distributions there are, and how many plans for each of them.
  [[nodiscard]] std::size_t distributions() const;
  [[nodiscard]] std::size_t plans() const;

  /// Every engine's row of one of each, by their numbers from 0. Throws `Error` for what cannot be
  /// simulated.
  void run(std::size_t distribution, std::size_t plan, const Uses& uses);

  /// All rows, the engines changing fastest, then the plans.
  void run(const Uses& uses);

 private:
  void check_traces() const;
  void check_platform() const;
  void check_watts() const;
  void simulate_one(const Subject& subject, const std::string& distribution,
                    const Uses& uses) const;
  [[nodiscard]] nlohmann::ordered_json settings(const Subject& subject,
                                                const std::string& distribution,
                                                const CostModel& engine) const;
  void write_traces(const Workload& workload, const Prediction& prediction) const;

  const SimulateOptions& options_;
  std::string where_;
  std::vector<const CostModel*> engines_;
  Conditions conditions_;
  std::optional<std::pair<std::size_t, Distribution>> made_;  // the last, which may take long
};

}  // namespace bracket::tools
