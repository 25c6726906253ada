// SPDX-License-Identifier: MIT

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include "bracket/model/tune.hpp"
#include "bracket/support/error.hpp"
#include "support/catch.hpp"
#include "support/objectives.hpp"
#include "support/property.hpp"
#include "support/shuffled_weigher.hpp"

namespace tune_range_test {

using namespace bracket;
using testing::by_paper_cost;
using testing::by_score;

TEST_CASE("a range is tuned without gaps, each part for a number in it") {
  testing::property("tune_range", [] {
    const Index from = *rc::gen::inRange<Index>(1, 300);
    const Index to = from + *rc::gen::inRange<Index>(0, 3000);
    const Rank ranks = *rc::gen::inRange<Rank>(1, 12);
    const auto task = [&](Index elements) {
      return TuneTask{{.elements = elements, .ranks = ranks, .plans = {"direct", "aggregated"}},
                      by_paper_cost()};
    };
    Index told = 0;
    const auto parts = tune_range(from, to, task, [&](const TuneStatus& status) {
      const Index count = status.evaluations;
      RC_ASSERT(count >= told);
      RC_ASSERT(count <= told + 1);
      told = count;
      return true;
    });
    testing::ShuffledWeigher weigher(
        *rc::gen::inRange<Index>(1, 6), *rc::gen::arbitrary<std::uint64_t>(),
        [&](const Weighable& what) { return cost_of(task(what.held.elements()), what); });
    const auto request = [&](Index elements) { return task(elements).request; };
    const auto together = tune_range(from, to, request, weigher);
    RC_ASSERT(together.size() == parts.size());
    for (std::size_t i = 0; i < parts.size(); ++i) {
      RC_ASSERT(together[i].from == parts[i].from);
      RC_ASSERT(together[i].to == parts[i].to);
      RC_ASSERT(together[i].best.plan == parts[i].best.plan);
      RC_ASSERT(together[i].best.held == parts[i].best.held);
      RC_ASSERT(together[i].best.seconds == parts[i].best.seconds);
    }
    RC_ASSERT(parts.front().from == from);
    RC_ASSERT(parts.back().to == to);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const auto& [begin, end, at, best] = parts[i];
      const Index inside = *rc::gen::inRange<Index>(begin, end + 1);
      const BoundaryWindows windows(inside, ranks, 0.2);
      const auto held = make_distribution(best.distribution, inside, ranks);
      for (Index k = 0; k <= ranks; ++k) {
        const Index place = held.boundaries()[static_cast<std::size_t>(k)];
        RC_ASSERT(windows.lowest(k) <= place);
        RC_ASSERT(place <= windows.highest(k));
      }
      RC_ASSERT(begin <= at);
      RC_ASSERT(at <= end);
      if (i > 0) RC_ASSERT(begin == parts[i - 1].to + 1);
      if (i > 0) {
        RC_ASSERT((best.plan != parts[i - 1].best.plan ||
                   best.distribution != parts[i - 1].best.distribution));
      }
      RC_ASSERT(make_distribution(best.distribution, at, ranks) == best.held);
      const auto order = make_order(best.order, at);
      const auto plan = make_plan(best.plan);
      RC_ASSERT(best.seconds == by_paper_cost()({order, best.held, {}, 1}, *plan));
    }
    // Between two powers of two times the beginning, no candidate that is distinct in the middle
    // has a smaller worst-case slowdown.
    for (Index begin = from; begin <= to;) {
      const Index end = std::min(2 * begin, to);
      const auto part = std::find_if(parts.begin(), parts.end(),
                                     [&](const TunedRange& one) { return begin <= one.to; });
      RC_ASSERT(end <= part->to);
      std::vector<Index> sizes;
      for (int step = 0; step <= 8; ++step) {
        const double ratio = std::pow(double(end) / double(begin), step / 8.0);
        sizes.push_back(std::clamp(static_cast<Index>(double(begin) * ratio), begin, end));
      }
      const auto upper = upper_distribution(sizes[4], ranks);
      const auto order = make_order("tree", upper.elements());
      std::vector<const char*> names;
      std::vector<Distribution> held_there;
      for (const char* name : {"upper", "optimized:0.2", "optimal:0.2"}) {
        const auto held = make_distribution(name, upper.elements(), ranks);
        if (std::count(held_there.begin(), held_there.end(), held) > 0) continue;
        names.push_back(name);
        held_there.push_back(held);
      }
      std::map<std::pair<std::string, std::string>, double> worst;
      for (const Index size : sizes) {
        std::map<std::pair<std::string, std::string>, double> seconds;
        double least = std::numeric_limits<double>::infinity();
        for (const char* name : {"direct", "aggregated"}) {
          for (const auto& plan : plan_variants(name, {order, upper, {}, 1})) {
            for (const char* held : names) {
              const auto ordered = make_order("tree", size);
              const auto distribution = make_distribution(held, size, ranks);
              const double cost = by_paper_cost()({ordered, distribution, {}, 1}, *make_plan(plan));
              seconds[{plan, held}] = cost;
              least = std::min(least, cost);
            }
          }
        }
        for (const auto& [choice, cost] : seconds) {
          worst[choice] = std::max(worst[choice], cost > least ? cost / least : 1);
        }
      }
      const double chosen = worst.at({part->best.plan, part->best.distribution});
      for (const auto& [choice, ratio] : worst) RC_ASSERT(chosen <= ratio * (1 + 1e-12));
      begin = end + 1;
    }
  });
  const auto none = [](Index elements) { return TuneTask{{.elements = elements, .ranks = 2}, {}}; };
  CHECK_THROWS_WITH(tune_range(5, 4, none), Catch::Contains("from 5 to 4"));
  CHECK_THROWS_WITH(tune_range(0, 4, none), Catch::Contains("N must be"));
}

TEST_CASE("a range is given no distribution that breaks alpha for some number in it") {
  // Prefers two distributions that are inside their windows for some numbers of elements and
  // outside them for others.
  const Objective prefers_others = [](const Problem& problem, const Plan&) {
    const Distribution& held = problem.distribution;
    const bool other = held == lower_distribution(held.elements(), held.ranks()) ||
                       held == power2_distribution(held.elements(), held.ranks());
    return other ? 1.0 : 2.0;
  };
  // In the middle of the first part, lower is inside from 100 on, and power2 from 365 on.
  for (const Index from : {100, 365}) {
    const auto parts = tune_range(from, 5000, [&](Index elements) {
      return TuneTask{{.elements = elements, .ranks = 8, .costs = {0, 1e-9}}, prefers_others};
    });
    for (const TunedRange& part : parts) {
      for (Index elements = part.from; elements <= part.to; ++elements) {
        const BoundaryWindows windows(elements, 8, 0.2);
        const auto held = make_distribution(part.best.distribution, elements, 8);
        bool inside = true;
        for (Index k = 0; k <= 8; ++k) {
          const Index place = held.boundaries()[static_cast<std::size_t>(k)];
          inside &= windows.lowest(k) <= place && place <= windows.highest(k);
        }
        CAPTURE(part.best.distribution, elements);
        REQUIRE(inside);
      }
    }
  }
}

TEST_CASE("the longest range ends") {
  constexpr Index most = std::numeric_limits<Index>::max();
  const auto parts = tune_range(1, most, [](Index elements) {
    return TuneTask{{.elements = elements, .ranks = 2, .plans = {"aggregated:2"}}, by_score()};
  });
  CHECK(parts.front().from == 1);
  CHECK(parts.back().to == most);
}

TEST_CASE("a range is tuned for the distribution that is given") {
  const auto task = [](Index elements) {
    TuneRequest request{.elements = elements, .ranks = 7, .plans = {"direct", "aggregated"}};
    // Tuning would not choose it: it is outside the windows for some N.
    request.held = NamedDistribution{"power2", true, make_distribution("power2", elements, 7)};
    return TuneTask{request, by_paper_cost()};
  };
  const auto parts = tune_range(10, 100000, task);
  CHECK(parts.front().from == 10);
  CHECK(parts.back().to == 100000);
  for (const TunedRange& part : parts) CHECK(part.best.distribution == "power2");
}

}  // namespace tune_range_test
