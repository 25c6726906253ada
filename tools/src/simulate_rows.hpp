#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bracket/simulator/simulation.hpp"
#include "bracket/simulator/timeline.hpp"
#include "bracket/simulator/workload.hpp"
#include "engines.hpp"
#include "report.hpp"
#include "simulate_options.hpp"

namespace bracket::tools {

class Subject;

/// The rows of one set of options: of every distribution, plan and engine.
class SimulateRows {
 public:
  /// Gets each row before it is simulated, and says whether it need not be.
  using IsKnown = std::function<bool(const nlohmann::ordered_json&)>;
  using Take = std::function<void(nlohmann::ordered_json)>;

  /// `where` begins what is said of the progress. Throws `Error` for options that do not go
  /// together.
  SimulateRows(const SimulateOptions& options, Progress& progress, std::string where);

  /// Throws `Error` for what cannot be simulated.
  void run(const IsKnown& is_known, const Take& take) const;

 private:
  void check_traces() const;
  void check_platform() const;
  void check_watts() const;
  void simulate_one(const Subject& subject, const std::string& distribution,
                    const IsKnown& is_known, const Take& take) const;
  [[nodiscard]] nlohmann::ordered_json settings(const Subject& subject,
                                                const std::string& distribution,
                                                const std::string& engine) const;
  [[nodiscard]] Simulation by_loggops(const Workload& workload, Timeline* timeline) const;
  [[nodiscard]] Simulation by_simgrid(const Workload& workload, Timeline* timeline) const;
  /// Says the result in the row, too.
  [[nodiscard]] Simulation by_smpi(const Subject& subject, const Workload& workload,
                                   nlohmann::ordered_json& row) const;
  void write_traces(const Workload& workload, const Timeline& timeline) const;

  const SimulateOptions& options_;
  Progress& progress_;
  std::string where_;
  std::vector<Engine> engines_;
};

}  // namespace bracket::tools
