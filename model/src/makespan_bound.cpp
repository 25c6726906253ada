#include "bracket/model/makespan_bound.hpp"

#include <algorithm>
#include <limits>
#include <queue>

#include "bracket/model/error.hpp"

namespace bracket {

namespace {

/// Messages of one value, each figure the lower one of those inside a node and between nodes.
struct Cheapest {
  double way;  ///< from the start of a send to the end of its receive
  double gap;  ///< between two receives of a rank
  double overhead;
};

Cheapest cheapest(const Machine& machine) {
  const MessageCosts between = machine.between_nodes();
  const MessageCosts inside = machine.within_node();
  const double rest = machine.message_bytes(1) - 1;
  const auto way = [&](const MessageCosts& costs) {
    return 2 * costs.overhead + costs.latency + rest * costs.gap_per_byte;
  };
  const auto gap = [&](const MessageCosts& costs) {
    return std::max(costs.overhead, costs.gap + rest * costs.gap_per_byte);
  };
  return {std::min(way(between), way(inside)), std::min(gap(between), gap(inside)),
          std::min(between.overhead, inside.overhead)};
}

/// Ranks, the nearest first, that the result hears of no later than so many seconds before it is
/// complete: in the fastest broadcast, back from the result, a rank of which the result hears over
/// a messages, having waited for b others on the way, is a · way + b · gap away, and there are as
/// many of them as ways to share b among a.
class Distances {
 public:
  explicit Distances(const Cheapest& message) : message_(message) { ahead_.push({0, 0, 0}); }

  /// The next distance in seconds, and of how many ranks.
  std::pair<double, double> next() {
    const Away away = ahead_.top();
    ahead_.pop();
    if (away.waits == 0) push(away.messages + 1, 0);
    if (away.messages > 0) push(away.messages, away.waits + 1);
    return {away.seconds, count(away)};
  }

 private:
  struct Away {
    double seconds;
    Index messages;
    Index waits;
    bool operator<(const Away& other) const { return seconds > other.seconds; }
  };

  void push(Index messages, Index waits) {
    ahead_.push(
        {static_cast<double>(messages) * message_.way + static_cast<double>(waits) * message_.gap,
         messages, waits});
  }

  /// (a + b − 1) over b, as near as a double is, and never below it by more than its rounding.
  [[nodiscard]] double count(const Away& away) const {
    if (away.messages == 0) return 1;
    constexpr double all = std::numeric_limits<Rank>::max();
    if (message_.gap == 0) return all;
    double ranks = 1;
    const Index others = std::min(away.waits, away.messages - 1);
    const auto sum = static_cast<double>(away.messages + away.waits - 1);
    for (Index i = 0; i < others; ++i) {
      ranks = ranks * (sum - static_cast<double>(i)) / static_cast<double>(i + 1);
      if (ranks > all) break;
    }
    return ranks;
  }

  Cheapest message_;
  std::priority_queue<Away> ahead_;
};

/// What folding takes for each number, at least, where no rank folds fewer or more than these.
double least_seconds_per_number(const MeasuredWork& work, double fewest, double most) {
  double least = std::min(work.fold(fewest) / fewest, work.fold(most) / most);
  // Between two that are measured it goes up or down.
  for (const auto& fold : work.folds) {
    const auto elements = static_cast<double>(fold.elements);
    if (fewest < elements && elements < most) least = std::min(least, fold.seconds / elements);
  }
  return least;
}

}  // namespace

double makespan_bound(const BoundaryWindows& windows, Delivery delivery, Index items,
                      const Machine& machine) {
  machine.check();
  check_items(windows.elements(), items);
  const Rank ranks = windows.ranks();
  Index fewest = windows.elements();
  Rank occupied = 0;  // at least
  for (Index k = 0; k < ranks; ++k) {
    const Index least = std::max<Index>(0, windows.lowest(k + 1) - windows.highest(k));
    if (least > 0) ++occupied;
    fewest = std::min(fewest, least);
  }
  occupied = std::max<Rank>(occupied, 1);
  const auto numbers = static_cast<double>(windows.elements()) * static_cast<double>(items);
  double work = (numbers - static_cast<double>(items)) * machine.seconds_per_addition;
  if (machine.work) {
    const auto most = static_cast<double>(windows.most_largest_share());
    const auto each = static_cast<double>(items);
    work = numbers *
           least_seconds_per_number(
               *machine.work, static_cast<double>(std::max<Index>(1, fewest)) * each, most * each);
  }
  if (delivery.collective == Collective::reduce_scatter) return machine.start() + work / ranks;
  const Cheapest message = cheapest(machine);
  // Each rank but one sends, and somebody receives it.
  work += (occupied - 1) * message.overhead;
  Distances distances(message);
  double hearing = 0;  // ranks
  double away = 0;     // seconds, of all of them together
  double bound = 0;
  while (hearing < ranks) {
    const auto [seconds, count] = distances.next();
    if (hearing < occupied) {
      bound = seconds;
    } else if ((work + away) / hearing <= seconds) {
      break;  // more ranks would not help
    }
    const double more = std::min(count, ranks - hearing);
    hearing += more;
    away += seconds * more;
  }
  return machine.start() + std::max(bound, (work + away) / hearing);
}

}  // namespace bracket
