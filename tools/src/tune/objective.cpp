#include "tune/objective.hpp"

#include "bracket/model/loggp.hpp"
#include "bracket/simulator/loggops.hpp"
#include "bracket/support/error.hpp"
#include "common/engines.hpp"
#ifdef BRACKET_HAS_SIMGRID
#include "bracket/simulator/simgrid.hpp"
#endif

namespace bracket::tools {

Objective objective_of(const std::string& name, const Machine& machine,
                       const NetworkOptions& network, const ScoreCosts& costs) {
  machine.check();
  if (name != "simgrid" && network.platform != NetworkOptions{}.platform) {
    throw Error(text("--platform is of --objective simgrid: ", name, " knows no links"));
  }
  const NetworkOptions usual;
  const bool placed = network.cores != usual.cores || network.placement != usual.placement;
  if (placed && (name == "score" || name == "loggp")) {
    throw Error(text("--cores and --placement are of --objective loggops and simgrid: ", name,
                     " knows no nodes"));
  }
  if (name == "score") {
    return [costs](const Problem& problem, const Plan& plan) {
      return plan_score(problem, plan, costs);
    };
  }
  if (name == "loggp") {
    return [machine](const Problem& problem, const Plan& plan) {
      return paper_cost(make_schedule(problem, plan), machine).makespan;
    };
  }
  if (name == "loggops") {
    return [machine, network](const Problem& problem, const Plan& plan) {
      const Workload workload(problem, plan, machine, {},
                              network.sites(problem.distribution.ranks()));
      return replay_loggops(workload, machine, network.nodes(workload.ranks(), machine)).makespan;
    };
  }
  if (name == "simgrid") {
    engine_of(name);
#ifdef BRACKET_HAS_SIMGRID
    return [machine, network, simulated = network.network()](const Problem& problem,
                                                             const Plan& plan) {
      const Workload workload(problem, plan, machine, {},
                              network.sites(problem.distribution.ranks()));
      return replay_simgrid(workload, machine, simulated).makespan;
    };
#endif
  }
  throw Error(unknown_name("objective", name, objectives()));
}

}  // namespace bracket::tools
