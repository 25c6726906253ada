#pragma once

#include <compare>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "bracket/model/schedule_graph.hpp"
#include "dot.hpp"

namespace bracket {

/// A step by rank and position in the rank's part.
struct Place {
  std::size_t rank = 0;
  std::size_t step = 0;

  friend auto operator<=>(const Place&, const Place&) = default;
};

/// A pair of steps, from the first to the second.
using Arrow = std::pair<Place, Place>;

/// Each message's send and recv, in order of sending rank and step.
std::vector<Arrow> messages_of(const ScheduleGraph& graph);

/// Layout of the picture: a column for each rank, the steps in rows. Each step is below the
/// previous one, and a recv is below its send.
class ScheduleLayout {
 public:
  /// `labels` must contain the label of every step. Throws `Error` if the ranks wait for each other
  /// in a cycle.
  ScheduleLayout(const ScheduleGraph& graph, const std::map<Place, std::string>& labels);

  /// A column. Adjacent ranks without elements and steps share a column.
  struct Column {
    Rank first = 0;
    std::string label;
    dot::Box box;
  };
  [[nodiscard]] const std::vector<Column>& columns() const { return columns_; }

  [[nodiscard]] dot::Point of(Place place) const { return place_.at(place); }

 private:
  void place_columns(const Schedule& schedule, const std::map<Place, std::string>& labels);

  std::vector<Column> columns_;
  std::map<Place, dot::Point> place_;
};

}  // namespace bracket
