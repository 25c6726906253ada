#include "schedule_layout.hpp"

#include <algorithm>

#include "bracket/model/matching.hpp"
#include "bracket/support/error.hpp"

namespace bracket {

std::vector<Arrow> messages_of(const Schedule& schedule) {
  const Matching matching = match(schedule);
  std::vector<Arrow> arrows;
  arrows.reserve(matching.messages.size());
  for (const Message& message : matching.messages) {
    arrows.push_back({{static_cast<std::size_t>(message.from), message.send_step},
                      {static_cast<std::size_t>(message.to), message.recv_step}});
  }
  return arrows;
}

namespace {

/// The row of each step, the first row 0.
std::map<Place, std::size_t> rows_of(const Schedule& schedule, const std::vector<Arrow>& messages) {
  std::map<Place, Place> send_of;
  for (const auto& [send, recv] : messages) send_of[recv] = send;
  std::map<Place, std::size_t> rows;
  std::vector<std::size_t> next(schedule.parts.size(), 0);
  std::size_t left = 0;
  for (const auto& part : schedule.parts) left += part.steps().size();
  while (left > 0) {
    const std::size_t before = left;
    for (std::size_t rank = 0; rank < next.size(); ++rank) {
      for (std::size_t& i = next[rank]; i < schedule.parts[rank].steps().size(); ++i, --left) {
        std::size_t row = i == 0 ? 0 : rows.at({rank, i - 1}) + 1;
        if (const auto send = send_of.find({rank, i}); send != send_of.end()) {
          const auto sent = rows.find(send->second);
          if (sent == rows.end()) break;
          row = std::max(row, sent->second + 1);
        }
        rows[{rank, i}] = row;
      }
    }
    if (left == before) {
      throw Error("the schedule's ranks wait for each other in a cycle: it does not verify");
    }
  }
  return rows;
}

bool idle(const Schedule& schedule, Rank rank) {
  return schedule.parts[static_cast<std::size_t>(rank)].steps().empty() &&
         schedule.distribution.range(rank).empty();
}

}  // namespace

ScheduleLayout::ScheduleLayout(const Schedule& schedule, const std::vector<Arrow>& messages,
                               const std::map<Place, std::string>& labels) {
  place_columns(schedule, labels);
  const auto rows = rows_of(schedule, messages);
  std::vector<Index> heights;
  for (const auto& [place, row] : rows) {
    heights.resize(std::max(heights.size(), row + 1), 0);
    heights[row] = std::max(heights[row], dot::height_of(labels.at(place)));
  }
  constexpr Index gap = 24;
  std::vector<Index> middles;
  Index y = 0;
  for (const Index height : heights) {
    middles.push_back(y - gap / 2 - height / 2);
    y -= height + gap;
  }
  for (const auto& [place, row] : rows) place_.at(place).y = middles[row];
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
