// SPDX-License-Identifier: MIT

#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bracket/model/schedule_graph.hpp"
#include "dot.hpp"

namespace bracket::viz {

/// An arrow from one step to another.
using Arrow = std::pair<StepId, StepId>;

/// Each message's send and recv, in order of sending rank and step.
std::vector<Arrow> messages_of(const ScheduleGraph& graph);

/// Positions of a schedule's steps: a column for each rank, and rows in which each step is below
/// the step before it and a recv below its send.
class ScheduleLayout {
 public:
  /// `labels` has the label of every step. Throws `Error` if the ranks wait for each other in a
  /// cycle.
  ScheduleLayout(const ScheduleGraph& graph, std::span<const std::string> labels);

  /// Adjacent ranks without elements and steps share a column.
  struct RankColumn {
    Rank first = 0;
    std::string label;
    dot::Box box;
  };
  [[nodiscard]] const std::vector<RankColumn>& columns() const { return columns_; }

  [[nodiscard]] dot::Point of(StepId id) const { return points_[id]; }

 private:
  void place_columns(const ScheduleGraph& graph, std::span<const std::string> labels);

  std::vector<RankColumn> columns_;
  std::vector<dot::Point> points_;  // of each step
};

}  // namespace bracket::viz
