// SPDX-License-Identifier: MIT

#include <bit>

#include "bracket/model/plan.hpp"
#include "bracket/model/rank_order.hpp"
#include "bracket/support/error.hpp"
#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"

namespace part_test {

using namespace bracket;

namespace {

Index log2_above(Index value) {
  return static_cast<Index>(std::bit_width(static_cast<std::uint64_t>(value - 1)));
}

}  // namespace

TEST_CASE("one rank's part is small, however many ranks there are") {
  constexpr Index elements = 1'000'000'000'000;
  constexpr Rank ranks = 1'000'000;
  const auto plain = lower_distribution(elements, ranks);
  const auto shuffled = plain.with_rank_order(make_rank_order("random:1", ranks));
  const auto order = make_order("tree", elements);
  const auto most = static_cast<std::size_t>(8 * log2_above(elements) * log2_above(ranks));
  for (const auto& row : plans()) {
    const std::string name(row.entry.name);
    // Both plans pass every element or frontier through one rank or through all ranks.
    if (name == "ring" || name == "gather") continue;
    CAPTURE(name);
    const auto plan = make_plan(name);
    if (!plan->scheduled()) continue;
    for (const Rank rank : {0, 1, 2, 4095, 4096, 333'333, 524'288, 999'998, 999'999}) {
      CAPTURE(rank);
      for (const auto& distribution : {plain, shuffled}) {
        const Problem problem{order, distribution, Delivery::to_all()};
        CHECK(plan->part(problem, rank).steps().size() <= most);
      }
    }
  }
}

TEST_CASE("a rank's part is small where few ranks hold elements") {
  constexpr Rank ranks = 1'000'000;
  const auto order = make_order("tree", 3);
  for (const char* const spec : {"lower", "upper", "power2"}) {
    const auto distribution = make_distribution(spec, 3, ranks);
    for (const auto& row : plans()) {
      const auto plan = make_plan(row.entry.name);
      if (!plan->scheduled()) continue;
      for (const Delivery delivery : {Delivery::to_all(), Delivery::scattered()}) {
        for (const Rank rank : {0, 1, 2, 3, 500'000, 999'996, 999'997, 999'998, 999'999}) {
          CAPTURE(spec, plan->spec(), rank, name_of(delivery.collective));
          const Problem problem{order, distribution, delivery, 2 * ranks};
          CHECK(plan->part(problem, rank).steps().size() <=
                static_cast<std::size_t>(8 * log2_above(ranks)));
        }
      }
    }
  }
}

TEST_CASE("a schedule is the parts that the ranks make alone") {
  testing::property("parts", [] {
    const auto distribution = *testing::any_distribution(300, 20);
    const auto order = make_order("tree", distribution.elements());
    const Rank root = *rc::gen::inRange<Rank>(0, distribution.ranks());
    const Delivery delivery = *testing::any_delivery(root);
    const Problem problem{order, distribution, delivery, *rc::gen::element<Index>(1, 7, 5000)};
    for (const auto& row : plans()) {
      const auto plan = make_plan(row.entry.name);
      if (!plan->scheduled()) continue;
      const auto schedule = make_schedule(problem, *plan);
      for (Rank rank = 0; rank < distribution.ranks(); ++rank) {
        RC_ASSERT(schedule.parts[static_cast<std::size_t>(rank)] == plan->part(problem, rank));
      }
    }
  });
}

TEST_CASE("early partials leave before later ones are folded") {
  // All messages but the last have left when the last fold begins.
  const auto order = make_order("tree", 257);
  const auto distribution = make_distribution("lower", 257, 4);
  for (const auto* const name : {"direct", "buffered:2:4"}) {
    const auto part = make_plan(name)->part({order, distribution, Delivery::to(0), 1}, 1);
    std::size_t sends_before_last_fold = 0;
    std::size_t sends = 0;
    for (const Step& step : part.steps()) {
      if (step.kind == StepKind::send) ++sends;
      if (step.kind == StepKind::fold) sends_before_last_fold = sends;
    }
    CAPTURE(name, sends);
    CHECK(sends > 1);
    CHECK(sends_before_last_fold == sends - 1);
  }
}

}  // namespace part_test
