// SPDX-License-Identifier: MIT

#include "message_levels.hpp"

#include <algorithm>

namespace bracket::viz {

std::vector<std::uint32_t> message_levels(const ScheduleGraph& graph) {
  // The messages of the longest chain that is behind a rank when it has done a step.
  std::vector<std::uint32_t> behind(graph.size(), 0);
  std::vector<std::uint32_t> levels(graph.size(), 0);
  for (const StepId id : graph.topological_order()) {
    const StepId previous = graph.previous(id);
    const std::uint32_t before = previous == no_step ? 0 : behind[previous];
    behind[id] = before;
    levels[id] = before;
    const StepKind kind = graph.step(id).kind;
    if (kind == StepKind::send) levels[id] = before + 1;
    if (kind == StepKind::recv) {
      levels[id] = levels[graph.partner(id)];
      behind[id] = std::max(before, levels[id]);
    }
  }
  return levels;
}

std::vector<LevelSums> sums_of_levels(const TimedSchedule& schedule, std::size_t most) {
  const ScheduleGraph& graph = schedule.graph();
  const auto levels = message_levels(graph);
  std::uint32_t highest = 0;
  for (const std::uint32_t level : levels) highest = std::max(highest, level);
  const auto count = std::min<Index>(highest, static_cast<Index>(most));
  std::vector<LevelSums> sums;
  std::vector<std::size_t> row_of(highest + std::size_t{1}, 0);
  for (Index i = 0; i < count; ++i) {
    const Range of_row = block(highest, i, count);
    LevelSums row;
    row.first = static_cast<std::uint32_t>(of_row.begin) + 1;
    row.last = static_cast<std::uint32_t>(of_row.end);
    row.start = schedule.times().makespan;
    for (Index level = of_row.begin; level < of_row.end; ++level) {
      row_of[static_cast<std::size_t>(level) + 1] = static_cast<std::size_t>(i);
    }
    sums.push_back(row);
  }
  // For each row, the last rank that was counted: the ends of messages come rank by rank.
  std::vector<Rank> counted(sums.size(), -1);
  for (StepId id = 0; id < graph.size(); ++id) {
    const Step& step = graph.step(id);
    if (!step.is_message()) continue;
    const std::size_t place = row_of[levels[id]];
    LevelSums& row = sums[place];
    const Rank rank = graph.place(id).rank;
    if (counted[place] != rank) ++row.ranks;
    counted[place] = rank;
    if (step.kind == StepKind::send) {
      ++row.messages;
      row.bytes += schedule.bytes(id);
    }
    if (const BusyTime* const busy = schedule.of(id)) {
      row.start = std::min(row.start, busy->start);
      row.end = std::max(row.end, busy->end);
    }
  }
  return sums;
}

}  // namespace bracket::viz
