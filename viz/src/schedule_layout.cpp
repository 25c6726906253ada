// SPDX-License-Identifier: MIT

#include "schedule_layout.hpp"

#include <algorithm>

namespace bracket::viz {

std::vector<Arrow> messages_of(const ScheduleGraph& graph) {
  std::vector<Arrow> arrows;
  for (StepId id = 0; id < graph.size(); ++id) {
    if (graph.step(id).kind == StepKind::send) arrows.emplace_back(id, graph.partner(id));
  }
  return arrows;
}

namespace {

bool idle(const Schedule& schedule, Rank rank) {
  return schedule.parts[static_cast<std::size_t>(rank)].steps().empty() &&
         schedule.distribution.range(rank).empty();
}

}  // namespace

ScheduleLayout::ScheduleLayout(const ScheduleGraph& graph, std::span<const std::string> labels)
    : points_(graph.size()) {
  place_columns(graph, labels);
  const std::vector<std::uint32_t> levels = graph.levels();
  std::vector<Index> heights;
  for (StepId id = 0; id < graph.size(); ++id) {
    heights.resize(std::max<std::size_t>(heights.size(), levels[id] + 1), 0);
    heights[levels[id]] = std::max(heights[levels[id]], dot::height_of(labels[id]));
  }
  constexpr Index gap = 24;
  std::vector<Index> middles;
  Index y = 0;
  for (const Index height : heights) {
    middles.push_back(y - gap / 2 - height / 2);
    y -= height + gap;
  }
  for (StepId id = 0; id < graph.size(); ++id) points_[id].y = middles[levels[id]];
  for (RankColumn& column : columns_) {
    column.box.low.y = y;
    column.box.high.y = 40;
    column.box.label_y = 20;
  }
}

void ScheduleLayout::place_columns(const ScheduleGraph& graph,
                                   std::span<const std::string> labels) {
  const Schedule& schedule = graph.schedule();
  constexpr Index margin = 16;
  constexpr Index between = 10;
  Index x = 0;
  for (Rank rank = 0; rank < schedule.ranks(); ++rank) {
    const Rank first = rank;
    while (idle(schedule, rank) && rank + 1 < schedule.ranks() && idle(schedule, rank + 1)) ++rank;
    const std::string label = dot::rank_label(first, rank, schedule.distribution.range(first));
    Index width = dot::width_of(label);
    const std::size_t steps = schedule.parts[static_cast<std::size_t>(first)].steps().size();
    for (std::size_t step = 0; step < steps; ++step) {
      width = std::max(width, dot::width_of(labels[graph.id(first, step)]));
    }
    width += 2 * margin;
    for (std::size_t step = 0; step < steps; ++step) {
      points_[graph.id(first, step)].x = x + width / 2;
    }
    columns_.push_back({first, label, {{x, 0}, {x + width, 0}, 0}});
    x += width + between;
  }
}

}  // namespace bracket::viz
