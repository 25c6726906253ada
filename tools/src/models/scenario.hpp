// SPDX-License-Identifier: MIT

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "bracket/model/allreduce_rounds.hpp"
#include "bracket/model/loggp.hpp"
#include "bracket/model/messages.hpp"
#include "bracket/model/operation.hpp"
#include "bracket/model/plan.hpp"
#include "bracket/simulator/disturbance.hpp"
#include "bracket/simulator/platforms.hpp"
#include "bracket/simulator/workload.hpp"

namespace bracket::tools {

/// Conditions that a schedule runs under, as far as cost models take them into account.
struct Conditions {
  Machine machine{};
  ScoreCosts costs{};  ///< costs of the score; an addition adds two numbers
  Network network{};
  bool placed = false;  ///< `network` places ranks on nodes; otherwise the computing time of a rank
                        ///< does not depend on its node
  Disturbance disturbance{};
  bool timeline = false;  ///< whether predictions have a timeline
  Operation operation{};  ///< whose costs `machine` has; models that execute the code compute it
  int threads = 1;        ///< that make a workload; its content does not depend on them
};

/// Input of a cost model: a schedule, a plan's schedule, a distribution or an algorithm's rounds,
/// under conditions. Keeps references to its arguments. Computes the schedule and the workload
/// once, when a model first needs them.
class Scenario {
 public:
  Scenario(const Schedule& schedule, const Conditions& conditions);

  /// Takes the schedule that the plan makes.
  Scenario(const Problem& problem, const Plan& plan, const Conditions& conditions);

  /// Takes only a distribution, for models without paths.
  Scenario(const Problem& problem, const Conditions& conditions);

  /// Takes rounds that all ranks execute together, with vectors of length `items`.
  Scenario(const std::vector<Round>& rounds, Index items, Rank ranks, const Conditions& conditions);

  [[nodiscard]] const Conditions& conditions() const { return conditions_; }

  /// Returns null if there is none, as do the next two functions.
  [[nodiscard]] const Schedule* given_schedule() const { return given_; }
  [[nodiscard]] const Problem* problem() const { return problem_ ? &*problem_ : nullptr; }
  [[nodiscard]] const Plan* plan() const { return plan_; }

  /// Returns the given schedule, or the plan's. Throws `Error` in the cases of `make_schedule`.
  [[nodiscard]] const Schedule& schedule() const;

  /// Returns the workload of the schedule, without the need to make the whole schedule. Throws
  /// `Error` in the cases of `Workload`.
  [[nodiscard]] const Workload& workload() const;

  struct Rounds {
    const std::vector<Round>& rounds;
    Index items;
    Rank ranks;
  };
  [[nodiscard]] const std::optional<Rounds>& rounds() const { return rounds_; }

 private:
  [[nodiscard]] std::vector<std::uint32_t> sites(Rank ranks) const;

  const Conditions& conditions_;
  const Schedule* given_ = nullptr;
  std::optional<Problem> problem_;
  const Plan* plan_ = nullptr;
  std::optional<Rounds> rounds_;
  mutable std::optional<Schedule> made_;
  mutable std::optional<Workload> workload_;
};

}  // namespace bracket::tools
