// SPDX-License-Identifier: MIT

#include <cmath>
#include <limits>

#include "bracket/model/loggp.hpp"
#include "bracket/model/plan.hpp"
#include "bracket/model/verify.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"

namespace vector_test {

using namespace bracket;

namespace {

Schedule vectors(Rank ranks, const std::string& plan, Index items, Delivery delivery,
                 const std::string& order = "associative") {
  return make_schedule(make_order(order, ranks), lower_distribution(ranks, ranks), *make_plan(plan),
                       delivery, items);
}

/// Numbers that a rank sends.
Index sent(const RankPart& part) {
  Index count = 0;
  for (const Step& step : part.steps()) {
    if (step.kind == StepKind::send) count += part.values(step);
  }
  return count;
}

}  // namespace

TEST_CASE("halving and doubling verify at any threshold, length and delivery") {
  testing::property("vectors", [] {
    const auto distribution = *testing::any_distribution(200, 40);
    const auto name =
        *rc::gen::element<std::string>("butterfly:", "elimination:", "elimination-overlapping:",
                                       "ring:", "composed:3:", "composed:9:");
    const auto plan = text(name, *rc::gen::element<Index>(1, 2, 3, 10, 50));
    const auto order =
        *rc::gen::element<std::string>("tree", "chunked-tree:3", "sequential", "associative");
    const Index items = *rc::gen::inRange<Index>(1, 100);
    const Rank root = *rc::gen::inRange<Rank>(0, distribution.ranks());
    const auto schedule = make_schedule(make_order(order, distribution.elements()), distribution,
                                        *make_plan(plan), *testing::any_delivery(root), items);
    const auto verdict = verify(schedule);
    if (!verdict.ok()) RC_FAIL(describe(schedule, verdict.violations.front()));
  });
}

TEST_CASE("halving verifies for every number of ranks") {
  for (Rank p = 1; p <= 64; ++p) {
    for (const char* plan : {"butterfly:4", "elimination:4", "elimination-overlapping:4", "ring:4",
                             "composed:3:4", "composed:7:4"}) {
      for (const Delivery delivery :
           {Delivery::to(p - 1), Delivery::to_all(), Delivery::scattered()}) {
        const auto schedule = vectors(p, plan, 97, delivery, "tree");
        const auto verdict = verify(schedule);
        CAPTURE(p, plan, name_of(delivery.collective));
        if (!verdict.ok()) FAIL_CHECK(describe(schedule, verdict.violations.front()));
      }
    }
  }
}

// Rabenseifner and Träff 2004, section 2: if p = 2^n and m / p > b, a rank sends and receives
// m (1 - 1/p) numbers.
TEST_CASE("halving sends what the paper says at powers of two") {
  for (const Rank p : {2, 4, 8, 32}) {
    const Index m = 64 * p;
    const auto all = vectors(p, "butterfly:1", m, Delivery::to_all());
    const auto block = vectors(p, "butterfly:1", m, Delivery::scattered());
    for (Rank rank = 0; rank < p; ++rank) {
      CAPTURE(p, rank);
      CHECK(sent(all.parts[static_cast<std::size_t>(rank)]) == 2 * (m - m / p));
      // Without the all-gather. At most one more message moves a block that another rank reduced.
      CHECK(sent(block.parts[static_cast<std::size_t>(rank)]) >= m - m / p);
    }
    // Round z halves while m / 2^z > b.
    const auto once = vectors(p, text("butterfly:", m / 2), m, Delivery::to_all());
    for (const auto& part : once.parts) {
      Index rounds = 0;
      for (Rank q = p; q > 2; q /= 2) ++rounds;
      CHECK(sent(part) == m / 2 + rounds * (m / 2) + m / 2);
    }
  }
}

TEST_CASE("a vector that is not longer than the threshold is doubled") {
  const auto doubled = vectors(8, "butterfly:100", 100, Delivery::to_all());
  for (const auto& part : doubled.parts) CHECK(sent(part) == 3 * 100);
  CHECK(doubled.largest_message() == 100);
}

TEST_CASE("blocks of a reduce-scatter are in rank order and of nearly equal size") {
  const auto delivery = Delivery::scattered();
  CHECK(delivery.wanted(0, 3, 10) == Range{0, 4});
  CHECK(delivery.wanted(1, 3, 10) == Range{4, 7});
  CHECK(delivery.wanted(2, 3, 10) == Range{7, 10});
  CHECK(delivery.wanted(2, 3, 2).empty());
}

TEST_CASE("a schedule that mixes up items is refused") {
  auto schedule = vectors(4, "butterfly:1", 8, Delivery::to_all(), "tree");
  REQUIRE(verify(schedule).ok());
  const auto refused = [&](Range changed, const char* why) {
    auto wrong = schedule;
    auto& part = wrong.parts[1];
    RankPart again(8);
    bool done = false;
    for (const Step& step : part.steps()) {
      std::vector<Partial> operands(part.operands(step).begin(), part.operands(step).end());
      if (!done && step.kind == StepKind::join) {
        operands[1].segment = changed;
        done = true;
      }
      again.add(step.kind, step.peer, operands);
    }
    part = again;
    const auto verdict = verify(wrong);
    REQUIRE_FALSE(verdict.ok());
    bool said = false;
    for (const auto& violation : verdict.violations) {
      said |= describe(wrong, violation).find(why) != std::string::npos;
    }
    CAPTURE(why);
    CHECK(said);
  };
  refused({0, 3}, "joins the items");
  refused({0, 4}, "joins the items [4,8) with the items [0,4)");
  refused({0, 9}, "of elements that have the items [0,8)");
}

TEST_CASE("a schedule that combines some items twice is refused") {
  Schedule schedule{{"tree", 1, "by hand", lower_distribution(4, 1), {}, 8}, {RankPart(8)}};
  const Partial all(Range{0, 4});
  schedule.parts[0].fold(all.over({0, 3}));
  schedule.parts[0].fold(all.over({3, 8}));
  CHECK(verify(schedule).ok());
  schedule.parts[0] = RankPart(8);
  schedule.parts[0].fold(all.over({0, 3}));
  schedule.parts[0].fold(all.over({0, 8}));
  const auto verdict = verify(schedule);
  REQUIRE(verdict.violations.size() == 1);
  CHECK_THAT(describe(schedule, verdict.violations[0]),
             Catch::Contains("rank 0, step 1") && Catch::Contains("a second time"));
}

TEST_CASE("a vector has at least one item, and all of them no more than can be counted") {
  CHECK_THROWS_WITH(vectors(4, "butterfly", 0, Delivery::to_all()),
                    Catch::Contains("at least 1 item"));
  constexpr Index most = std::numeric_limits<Index>::max();
  CHECK_THROWS_WITH(vectors(4, "gather", most / 4 + 1, Delivery::to_all()),
                    Catch::Contains("more numbers than"));
  auto schedule = vectors(4, "gather", most / 4, {}, "tree");
  CHECK(verify(schedule).ok());
  CHECK(schedule.largest_message() == most / 4);
  schedule.items = most / 4 + 1;
  CHECK_FALSE(verify(schedule).ok());
  // The number of bytes exceeds the range of an integer.
  const Machine machine{.latency = 0,
                        .overhead = 0,
                        .gap = 0,
                        .gap_per_byte = 1,
                        .seconds_per_addition = 0,
                        .value_bytes = 8};
  schedule.items = most / 4;
  CHECK(paper_cost(schedule, machine).makespan >= 8.0 * static_cast<double>(most / 4));
}

TEST_CASE("what is refused of some items says which") {
  auto schedule = vectors(2, "butterfly:1", 4, Delivery::scattered(), "tree");
  schedule.delivery = Delivery::to_all();
  const auto verdict = verify(schedule);
  REQUIRE(verdict.violations.size() == 2);
  CHECK(describe(schedule, verdict.violations[0]) == "rank 0: ends without the result [0,2)");
  schedule.delivery = Delivery::scattered();
  RankPart without(4);
  for (const Step& step : schedule.parts[1].steps()) {
    if (step.kind != StepKind::fold) {
      without.add(step.kind, step.peer, schedule.parts[1].operands(step));
    }
  }
  schedule.parts[1] = without;
  CHECK_THAT(describe(schedule, verify(schedule).violations.front()),
             Catch::Contains("does not hold [1,2)@[0,2)"));
}

TEST_CASE("the value of a vector costs as many additions as it has items") {
  const Machine machine{.latency = 0,
                        .overhead = 0,
                        .gap = 0,
                        .gap_per_byte = 0,
                        .seconds_per_addition = 1,
                        .value_bytes = 8};
  // 12 vectors of 5 items on one rank: 11 additions per item.
  const auto fold =
      make_schedule(make_order("tree", 12), lower_distribution(12, 1), *make_plan("direct"), {}, 5);
  CHECK(paper_cost(fold, machine).makespan == 55);
  CHECK(paper_cost(vectors(2, "butterfly:1", 10, Delivery::to_all()), machine).makespan == 5);
  CHECK(paper_cost(vectors(2, "butterfly:10", 10, Delivery::to_all()), machine).makespan == 10);
}

}  // namespace vector_test
