#include "schedule_layout.hpp"

#include <algorithm>

namespace bracket {

std::vector<Arrow> messages_of(const ScheduleGraph& graph) {
  const auto place = [&](StepId id) -> Place {
    const auto [rank, step] = graph.place(id);
    return {static_cast<std::size_t>(rank), step};
  };
  std::vector<Arrow> arrows;
  for (StepId id = 0; id < graph.size(); ++id) {
    if (graph.step(id).kind == StepKind::send) {
      arrows.emplace_back(place(id), place(graph.partner(id)));
    }
  }
  return arrows;
}

namespace {

bool idle(const Schedule& schedule, Rank rank) {
  return schedule.parts[static_cast<std::size_t>(rank)].steps().empty() &&
         schedule.distribution.range(rank).empty();
}

}  // namespace

ScheduleLayout::ScheduleLayout(const ScheduleGraph& graph,
                               const std::map<Place, std::string>& labels) {
  place_columns(graph.schedule(), labels);
  const std::vector<std::uint32_t> levels = graph.levels();
  const auto row_of = [&](const Place& place) -> std::size_t {
    return levels[graph.id(static_cast<Rank>(place.rank), place.step)];
  };
  std::vector<Index> heights;
  for (const auto& [place, label] : labels) {
    heights.resize(std::max(heights.size(), row_of(place) + 1), 0);
    heights[row_of(place)] = std::max(heights[row_of(place)], dot::height_of(label));
  }
  constexpr Index gap = 24;
  std::vector<Index> middles;
  Index y = 0;
  for (const Index height : heights) {
    middles.push_back(y - gap / 2 - height / 2);
    y -= height + gap;
  }
  for (auto& [place, point] : place_) point.y = middles[row_of(place)];
  for (Column& column : columns_) {
    column.box.low.y = y;
    column.box.high.y = 40;
    column.box.label_y = 20;
  }
}

void ScheduleLayout::place_columns(const Schedule& schedule,
                                   const std::map<Place, std::string>& labels) {
  constexpr Index margin = 16;
  constexpr Index between = 10;
  Index x = 0;
  for (Rank rank = 0; rank < schedule.ranks(); ++rank) {
    const Rank first = rank;
    while (idle(schedule, rank) && rank + 1 < schedule.ranks() && idle(schedule, rank + 1)) ++rank;
    const std::string label = dot::rank_label(first, rank, schedule.distribution.range(first));
    Index width = dot::width_of(label);
    const auto i = static_cast<std::size_t>(first);
    const std::size_t steps = schedule.parts[i].steps().size();
    for (std::size_t step = 0; step < steps; ++step) {
      width = std::max(width, dot::width_of(labels.at({i, step})));
    }
    width += 2 * margin;
    for (std::size_t step = 0; step < steps; ++step) place_[{i, step}].x = x + width / 2;
    columns_.push_back({first, label, {{x, 0}, {x + width, 0}, 0}});
    x += width + between;
  }
}

}  // namespace bracket
