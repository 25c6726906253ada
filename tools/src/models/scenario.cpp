// SPDX-License-Identifier: MIT

#include "models/scenario.hpp"

namespace bracket::tools {

Scenario::Scenario(const Schedule& schedule, const Conditions& conditions)
    : conditions_(conditions), given_(&schedule) {}

Scenario::Scenario(const Problem& problem, const Plan& plan, const Conditions& conditions)
    : conditions_(conditions), problem_(problem), plan_(&plan) {}

Scenario::Scenario(const Problem& problem, const Conditions& conditions)
    : conditions_(conditions), problem_(problem) {}

Scenario::Scenario(const std::vector<Round>& rounds, Index items, Rank ranks,
                   const Conditions& conditions)
    : conditions_(conditions), rounds_(Rounds{rounds, items, ranks}) {}

const Schedule& Scenario::schedule() const {
  if (given_ != nullptr) return *given_;
  if (!made_) made_ = make_schedule(problem_.value(), *plan_);
  return *made_;
}

const Workload& Scenario::workload() const {
  if (workload_) return *workload_;
  const Machine& machine = conditions_.machine;
  const Disturbance& disturbance = conditions_.disturbance;
  const Schedule* const whole = made_ ? &*made_ : given_;
  if (whole != nullptr) {
    workload_.emplace(*whole, machine, disturbance, sites(whole->distribution.ranks()));
  } else {
    const Problem& problem = problem_.value();
    workload_.emplace(problem, *plan_, machine, disturbance, sites(problem.distribution.ranks()),
                      conditions_.threads);
  }
  return *workload_;
}

/// Returns the node of each rank; empty if ranks are not placed, or if a platform file defines the
/// nodes.
std::vector<std::uint32_t> Scenario::sites(Rank ranks) const {
  const Network& network = conditions_.network;
  if (!conditions_.placed || network.platform.kind == PlatformSpec::Kind::file) return {};
  return network.placement.place(ranks, network.cores);
}

}  // namespace bracket::tools
