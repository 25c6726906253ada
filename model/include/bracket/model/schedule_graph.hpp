// SPDX-License-Identifier: MIT

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bracket/model/schedule.hpp"

namespace bracket {

/// Position of a step among the steps of all ranks: those of rank 0, then those of rank 1, and so
/// on.
using StepId = std::uint32_t;
inline constexpr StepId no_step = static_cast<StepId>(-1);

/// Dependency graph of a schedule: its steps are the vertices. A step depends on the step before it
/// on its rank, and a receive also on the send of its message. The schedule must outlive the graph.
class ScheduleGraph {
 public:
  /// Matches the messages. Throws `Error` that names rank and step for a message without a partner
  /// or without values, to the rank itself or to a rank that does not exist; and for a schedule
  /// without a part for each rank or of 2^32 − 1 steps or more.
  explicit ScheduleGraph(const Schedule& schedule);

  struct Place {
    Rank rank = 0;
    std::size_t step = 0;  ///< position in the rank's part
  };

  [[nodiscard]] const Schedule& schedule() const { return schedule_; }

  /// Number of steps.
  [[nodiscard]] StepId size() const { return first_.back(); }

  [[nodiscard]] StepId id(Rank rank, std::size_t step) const {
    return first_[static_cast<std::size_t>(rank)] + static_cast<StepId>(step);
  }
  [[nodiscard]] Place place(StepId id) const;
  [[nodiscard]] const Step& step(StepId id) const;

  /// The step before this one on the same rank, or `no_step`.
  [[nodiscard]] StepId previous(StepId id) const;

  /// The other end of the message, or `no_step` for a step that is no end of a message.
  [[nodiscard]] StepId partner(StepId id) const { return partner_[id]; }

  /// All steps, each after the steps that it depends on. Throws `Error` if ranks wait for each
  /// other in a cycle.
  [[nodiscard]] std::vector<StepId> topological_order() const;

  /// Number of steps on the longest path that ends before each step. Throws `Error` as
  /// `topological_order`.
  [[nodiscard]] std::vector<std::uint32_t> levels() const;

 private:
  const Schedule& schedule_;
  std::vector<StepId> first_;  // of each rank, and the number of all
  std::vector<Rank> rank_;     // of each step
  std::vector<StepId> partner_;
};

}  // namespace bracket
