// SPDX-License-Identifier: MIT

#include "bracket/model/makespan_bound.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>
#include <vector>

#include "bracket/support/error.hpp"

namespace bracket {

namespace {

/// Costs of a message of one value: for each figure, the minimum of inside a node and between
/// nodes.
struct Cheapest {
  double way;  ///< seconds from the start of a send to the end of its receive
  double gap;  ///< seconds between two receives of a rank
  double overhead;
};

Cheapest cheapest(const Machine& machine) {
  const double value = machine.message_bytes(1);
  const auto between = machine.between_nodes().least(value);
  const auto inside = machine.within_node().least(value);
  const double overhead = std::min(between.overhead, inside.overhead);
  return {std::min(between.way, inside.way),
          std::max(overhead, std::min(between.spacing, inside.spacing)), overhead};
}

/// Enumerates ranks by their distance from the result, nearest first. The distance is the least
/// time, in seconds, from the start of a rank's last message to the completion of the result, as in
/// a reversed broadcast of minimum time. A rank that the result hears of over a messages, which
/// wait for b others on the way, is a · way + b · gap away. The number of such ranks is the number
/// of ways to distribute b over a.
class Distances {
 public:
  explicit Distances(const Cheapest& message) : message_(message) { ahead_.push({0, 0, 0}); }

  /// The next distance in seconds and the number of ranks at it.
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

  /// Binomial coefficient (a + b − 1) over b in double precision. It is too small by rounding at
  /// most.
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

/// Number of ranks at a distance (in seconds) from the result.
struct Hearing {
  double seconds;
  double ranks;
};

/// Lower bound on the time to combine one number. Between two measured sizes, the time per number
/// lies between the two measured times per number.
double least_join(const MeasuredWork& work) {
  double least = work.seconds_per_join;
  for (const auto& join : work.joins) {
    least = std::min(least, join.seconds / static_cast<double>(join.elements));
  }
  return least;
}

/// Upper bound on the numbers that a rank can process in `seconds`. The rank may fold some of them,
/// in any number of pieces, and join the rest one by one, as in a plan that sends elements
/// unreduced.
double most_numbers(const MeasuredWork& work, double seconds) {
  const double each = least_join(work);
  const auto joined = [each](double rest) {
    return each > 0 ? rest / each : std::numeric_limits<double>::infinity();
  };
  // Between two measured sizes both grow linearly.
  double most = joined(seconds);
  double below = 0;
  double below_seconds = work.folds.front().seconds;
  for (const auto& fold : work.folds) {
    if (fold.seconds > seconds) break;
    below = static_cast<double>(fold.elements);
    below_seconds = fold.seconds;
    most = std::max(most, below + joined(seconds - below_seconds));
  }
  if (below == 0) return most;
  const auto above = std::upper_bound(
      work.folds.begin(), work.folds.end(), seconds,
      [](double wanted, const MeasuredWork::Fold& fold) { return wanted < fold.seconds; });
  if (above == work.folds.end()) {
    return std::max(most, below_seconds > 0 ? below / below_seconds * seconds
                                            : std::numeric_limits<double>::infinity());
  }
  const double rate =
      (static_cast<double>(above->elements) - below) / (above->seconds - below_seconds);
  return std::max(most, below + rate * (seconds - below_seconds));
}

/// Lower bound on the seconds in which these ranks can process `numbers`. Each rank can work until
/// its last message must leave.
double least_seconds(const MeasuredWork& work, double numbers,
                     const std::vector<Hearing>& hearings) {
  const auto enough = [&](double seconds) {
    double done = 0;
    for (const Hearing& hearing : hearings) {
      if (hearing.seconds > seconds || done >= numbers) break;
      done += hearing.ranks * most_numbers(work, seconds - hearing.seconds);
    }
    return done >= numbers;
  };
  double too_few = 0;
  double plenty = 1e-9;
  while (!enough(plenty) && std::isfinite(plenty)) plenty *= 2;
  constexpr int halvings = 60;
  for (int i = 0; i < halvings; ++i) {
    const double middle = too_few + (plenty - too_few) / 2;
    (enough(middle) ? plenty : too_few) = middle;
  }
  return too_few;
}

}  // namespace

double makespan_bound(const BoundaryWindows& windows, Delivery delivery, Items items,
                      const Machine& machine) {
  machine.check();
  check_items(windows.elements(), items);
  const Rank ranks = windows.ranks();
  Rank occupied = 0;  // lower bound
  for (Index k = 0; k < ranks; ++k) {
    if (windows.lowest(k + 1) > windows.highest(k)) ++occupied;
  }
  occupied = std::max<Rank>(occupied, 1);
  // The first number of each item needs no addition.
  const double numbers = static_cast<double>(windows.elements() - 1) * static_cast<double>(items);
  const double additions =
      numbers * machine.seconds_per_addition / static_cast<double>(machine.threads);
  const auto& measured = machine.work;
  if (delivery.collective == Collective::reduce_scatter) {
    return machine.start(ranks, delivery.collective, 0) +
           (measured ? least_seconds(*measured, numbers, {{0, double(ranks)}}) : additions / ranks);
  }
  const Cheapest message = cheapest(machine);
  // Each rank but one sends a message, and another rank receives it.
  const double work = additions + (occupied - 1) * message.overhead;
  Distances distances(message);
  std::vector<Hearing> hearings;
  double hearing = 0;  // number of ranks
  double away = 0;     // sum of the distances in seconds
  double bound = 0;
  while (hearing < ranks) {
    const auto [seconds, count] = distances.next();
    if (hearing < occupied) {
      bound = seconds;
    } else if (!measured && (work + away) / hearing <= seconds) {
      break;  // more ranks would not help
    }
    const double more = std::min(count, ranks - hearing);
    hearings.push_back({seconds, more});
    hearing += more;
    away += seconds * more;
  }
  const double done =
      measured ? least_seconds(*measured, numbers, hearings) : (work + away) / hearing;
  return machine.start(ranks, delivery.collective, 0) + std::max(bound, done);
}

}  // namespace bracket
