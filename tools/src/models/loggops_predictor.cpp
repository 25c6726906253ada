// SPDX-License-Identifier: MIT

#include "bracket/simulator/loggops.hpp"

#include "models/prediction.hpp"

namespace bracket::tools {

namespace {

/// Returns the node of each rank for `replay_loggops`; empty if the nodes make no difference.
std::vector<std::uint32_t> nodes_of(const Conditions& conditions, Rank ranks) {
  const auto& [platform, cores, placement, watts, link_watts] = conditions.network;
  const bool alike = cores == 1 && !conditions.machine.inside_node;
  // A placement file is checked even if it does not affect the result.
  if (alike && !placement.listed()) return {};
  auto nodes = placement.place(ranks, cores);
  return alike ? std::vector<std::uint32_t>() : nodes;
}

Prediction predict_loggops(const Scenario& scenario) {
  const Conditions& conditions = scenario.conditions();
  const Workload& workload = scenario.workload();
  std::optional<Timeline> timeline;
  if (conditions.timeline) timeline.emplace();
  auto simulation =
      replay_loggops(workload, conditions.machine, nodes_of(conditions, workload.ranks()),
                     timeline ? &*timeline : nullptr);
  return prediction_of(std::move(simulation), std::move(timeline));
}

const Predictor loggops_predictor("loggops", predict_loggops);

}  // namespace

}  // namespace bracket::tools
