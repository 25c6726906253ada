// SPDX-License-Identifier: MIT

#include "cost/run_replay.hpp"

#include <algorithm>

#include "bracket/simulator/loggops.hpp"

namespace bracket::tools {

ReplayedRun replay(const RecordedRun& run,
                   const std::vector<const std::vector<Replacement>*>& by_size,
                   const std::vector<std::uint32_t>& nodes,
                   const std::function<void(std::size_t)>& progress) {
  constexpr std::size_t now_and_then = 100'000;  // entries of ranks into calls
  std::size_t entries = 0;
  std::size_t calls = 0;
  ReplayedRun replayed;
  replayed.of_size.resize(run.sizes.size());
  std::vector<double> clocks = run.starts;
  std::vector<std::uint32_t> nodes_of_members;
  Disturbance skew;
  for (const RecordedCall& call : run.calls) {
    if (entries >= now_and_then) {
      progress(calls);
      entries = 0;
    }
    entries += call.members.size();
    ++calls;
    const std::vector<Replacement>& turns = *by_size[call.size];
    const Replacement& replacement = turns[call.number % turns.size()];
    double last_entry = 0;
    nodes_of_members.clear();
    skew.delays.clear();
    skew.slowdowns.clear();
    for (std::size_t k = 0; k < call.members.size(); ++k) {
      const auto member = static_cast<std::size_t>(call.members[k]);
      const double entry = clocks[member] + call.gaps[k];
      double loop = 0;
      if (!replacement.loop.empty()) {
        const double slowdown = call.slowdowns[k];
        loop = slowdown * replacement.loop[k];
        skew.slowdowns.push_back(slowdown);
      }
      if (loop > call.gaps[k]) {
        ++replayed.short_gaps;
        loop = call.gaps[k];
      }
      last_entry = std::max(last_entry, entry);
      skew.delays.push_back(entry - loop);
      nodes_of_members.push_back(nodes[member]);
    }
    const double first_entry = *std::min_element(skew.delays.begin(), skew.delays.end());
    for (double& delay : skew.delays) delay -= first_entry;
    const Workload workload(replacement.schedule, replacement.machine, skew, nodes_of_members);
    const Simulation simulated = replay_loggops(workload, replacement.machine, nodes_of_members);
    for (std::size_t k = 0; k < call.members.size(); ++k) {
      clocks[static_cast<std::size_t>(call.members[k])] = first_entry + simulated.finish[k];
    }
    replayed.of_size[call.size] += first_entry + simulated.makespan - last_entry;
  }
  for (std::size_t rank = 0; rank < clocks.size(); ++rank) {
    replayed.seconds = std::max(replayed.seconds, clocks[rank] + run.tails[rank]);
  }
  return replayed;
}

}  // namespace bracket::tools
