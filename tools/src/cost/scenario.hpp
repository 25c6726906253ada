#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "bracket/model/allreduce_rounds.hpp"
#include "bracket/model/loggp.hpp"
#include "bracket/model/messages.hpp"
#include "bracket/model/plan.hpp"
#include "bracket/simulator/disturbance.hpp"
#include "bracket/simulator/platforms.hpp"
#include "bracket/simulator/workload.hpp"

namespace bracket::tools {

/// What a schedule runs on, as far as cost models take it into account.
struct Conditions {
  Machine machine{};
  ScoreCosts costs{};  ///< of the score; an addition adds two numbers
  Network network{};
  bool placed = false;  ///< ranks sit on nodes as `network` says; otherwise the time that a rank
                        ///< computes does not depend on its node
  Disturbance disturbance{};
  bool timeline = false;  ///< whether predictions have a timeline
};

/// What a cost model predicts: a schedule, a plan's schedule or an algorithm's rounds, under
/// conditions. Refers to all of them. Makes what models ask for when they ask for it, once.
class Scenario {
 public:
  Scenario(const Schedule& schedule, const Conditions& conditions);

  /// The schedule that the plan makes.
  Scenario(const Problem& problem, const Plan& plan, const Conditions& conditions);

  /// A distribution alone, for models that know no paths.
  Scenario(const Problem& problem, const Conditions& conditions);

  /// Rounds that all ranks go through together, with vectors of `items` numbers.
  Scenario(const std::vector<Round>& rounds, Index items, Rank ranks, const Conditions& conditions);

  [[nodiscard]] const Conditions& conditions() const { return conditions_; }

  /// Null if there is none, as for the next two.
  [[nodiscard]] const Schedule* given_schedule() const { return given_; }
  [[nodiscard]] const Problem* problem() const { return problem_ ? &*problem_ : nullptr; }
  [[nodiscard]] const Plan* plan() const { return plan_; }

  /// The given schedule, or the plan's. Throws `Error` as `make_schedule` does.
  [[nodiscard]] const Schedule& schedule() const;

  /// The workload of the schedule, which need not be made whole for it. Throws `Error` as
  /// `Workload` does.
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
