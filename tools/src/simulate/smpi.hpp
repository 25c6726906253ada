#pragma once

#include <vector>

#include "bracket/model/loggp.hpp"
#include "bracket/model/plan.hpp"
#include "bracket/model/schedule.hpp"
#include "bracket/simulator/platforms.hpp"
#include "bracket/simulator/simulation.hpp"
#include "bracket/simulator/workload.hpp"

namespace bracket::tools {

struct SmpiRun {
  Simulation simulation;
  std::vector<double> result;  ///< every item
};

/// Executes a schedule for real, on made-up numbers, by the runtime on a simulated network.
/// `workload` is the schedule's and says how long the ranks compute. Throws `Error` as `run_smpi`
/// and `Executor`.
SmpiRun execute_on_smpi(const Schedule& schedule, const Workload& workload, const Machine& machine,
                        const Network& network);

/// The same of the schedule that a plan makes, of which each rank makes its part.
SmpiRun execute_on_smpi(const Problem& problem, const Plan& plan, const Workload& workload,
                        const Machine& machine, const Network& network);

}  // namespace bracket::tools
