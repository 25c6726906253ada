// SPDX-License-Identifier: MIT

#include "time_shares.hpp"

#include <cmath>

#include "support/catch.hpp"
#include "support/property.hpp"
#include "time_scale.hpp"
#include "timeline_rows.hpp"

namespace time_shares_test {

using namespace bracket;
using viz::TimelineRow;
using viz::TimeShares;

TEST_CASE("a stack is as high as the shares of its activities together") {
  testing::property("stacks", [] {
    constexpr std::size_t pieces = 20;
    const Rank ranks = *rc::gen::inRange<Rank>(1, 30);
    TimeShares shares(pieces);
    // Busy parts of each piece, by activity, the obvious way.
    std::vector<std::vector<double>> expected(activities, std::vector<double>(pieces, 0));
    for (Rank rank = 0; rank < ranks; ++rank) {
      double at = 0;
      while (at < pieces) {
        const auto activity = *rc::gen::inRange(0, activities);
        const double start = at + *rc::gen::inRange(0, 30) / 10.0;
        const double end = start + *rc::gen::inRange(0, 50) / 10.0;
        shares.add(static_cast<Activity>(activity), start, end);
        for (std::size_t i = 0; i < pieces; ++i) {
          const auto low = static_cast<double>(i);
          const double common = std::min(end, low + 1) - std::max(start, low);
          expected[static_cast<std::size_t>(activity)][i] += std::max(common, 0.0);
        }
        at = end + 0.1;
      }
    }
    const auto stacks = shares.stacks(ranks, 10);
    for (std::size_t i = 0; i < pieces; ++i) {
      double sum = 0;
      double reached = 0;
      for (std::size_t activity = 0; activity < activities; ++activity) {
        sum += expected[activity][i];
        const double height = 10 * sum / ranks;
        const double stack = stacks[activity][i];
        if (stack > 0) reached = stack;
        RC_ASSERT(std::abs(reached - height) <= 0.26);
      }
    }
  });
}

TEST_CASE("rows hold all ranks once, and the ranks of a short critical path alone") {
  testing::property("rows", [] {
    const Rank ranks = *rc::gen::inRange<Rank>(1, 100000);
    const auto most = static_cast<std::size_t>(*rc::gen::inRange(8, 80));
    ScheduleTimes times;
    const auto visits = *rc::gen::container<std::vector<Rank>>(
        static_cast<std::size_t>(*rc::gen::inRange(0, 40)), rc::gen::inRange<Rank>(0, ranks));
    for (const Rank rank : visits) {
      times.critical_path.push_back(times.busy.size());
      times.busy.push_back({rank, Activity::fold, 0, 1});
    }
    const auto rows = viz::timeline_rows(ranks, times, 100, most);
    Rank next = 0;
    std::size_t kept = 0;
    for (const TimelineRow& row : rows) {
      RC_ASSERT(row.first == next);
      RC_ASSERT(row.last >= row.first);
      next = row.last + 1;
      if (row.critical) {
        ++kept;
        RC_ASSERT(row.single());
        RC_ASSERT(std::find(visits.begin(), visits.end(), row.first) != visits.end());
      }
    }
    RC_ASSERT(next == ranks);
    const std::set<Rank> distinct(visits.begin(), visits.end());
    if (ranks <= 100) {
      RC_ASSERT(rows.size() == static_cast<std::size_t>(ranks));
      RC_ASSERT(kept == distinct.size());
    } else {
      RC_ASSERT(rows.size() <= most);
      RC_ASSERT(kept == std::min(distinct.size(), most / 3));
    }
  });
}

TEST_CASE("of a long critical path, the ranks keep rows on which it stays longest") {
  ScheduleTimes times;
  for (Rank rank = 0; rank < 50; ++rank) {
    times.critical_path.push_back(times.busy.size());
    times.busy.push_back({rank * 10, Activity::fold, 0, rank % 2 == 0 ? 1.0 : 2.0});
  }
  std::size_t kept = 0;
  for (const auto& row : viz::timeline_rows(1000, times, 100, 60)) {
    if (row.critical) ++kept;
    if (row.critical) CHECK(row.first % 20 == 10);
  }
  CHECK(kept == 20);
}

TEST_CASE("ticks are round and few, and inside the axis") {
  testing::property("ticks", [] {
    const double end = std::pow(10, *rc::gen::inRange(-9, 4)) * *rc::gen::inRange(1, 1000);
    const double begin = end * *rc::gen::inRange(0, 100) / 101;
    const int most = *rc::gen::inRange(2, 15);
    const viz::TimeScale scale(end);
    const auto ticks = scale.ticks(begin, end, most);
    RC_ASSERT(ticks.size() <= static_cast<std::size_t>(most) + 1);
    RC_ASSERT(ticks.size() * 5 + 5 >= static_cast<std::size_t>(most));
    std::set<std::string> labels;
    for (const auto& tick : ticks) {
      RC_ASSERT(tick.seconds >= begin * (1 - 1e-6));
      RC_ASSERT(tick.seconds <= end * (1 + 1e-6));
      RC_ASSERT(labels.insert(tick.label).second);
    }
  });
  const auto labels = [](double begin, double end, int most) {
    std::string all;
    for (const auto& tick : viz::TimeScale(end).ticks(begin, end, most)) all += tick.label + ' ';
    return all;
  };
  CHECK(labels(0, 10e-6, 5) == "0 2 4 6 8 10 ");
  CHECK(labels(9.1e-6, 10e-6, 5) == "9.2 9.4 9.6 9.8 10.0 ");
  CHECK(labels(0, 0, 5) == "0 ");
}

TEST_CASE("a short stretch at the end of a long time has few ticks") {
  for (const double end : {1.0, 1e6, 2.25e9, 1e18}) {
    for (double length = end; end - length < end; length /= 10) {
      const double begin = end - length;
      const auto ticks = viz::TimeScale(end).ticks(begin, end, 8);
      CAPTURE(begin, end);
      CHECK(ticks.size() <= 9);
      double before = -1;
      for (const auto& tick : ticks) {
        CHECK(tick.seconds > before);
        CHECK(tick.seconds >= begin - 0.01 * length);
        CHECK(tick.seconds <= end + 0.01 * length);
        before = tick.seconds;
      }
    }
  }
}

}  // namespace time_shares_test
