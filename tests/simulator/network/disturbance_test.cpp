// SPDX-License-Identifier: MIT

#include "bracket/simulator/disturbance.hpp"

#include <algorithm>
#include <cmath>

#include "bracket/simulator/loggops.hpp"
#include "bracket/support/error.hpp"
#include "simulator/by_hand.hpp"
#include "support/catch.hpp"
#include "support/property.hpp"

namespace disturbance_test {

using namespace bracket;
using Catch::Approx;
using Catch::Contains;
using testing::tree_schedule;

namespace {

RandomQuantity quantity(const std::string& written) { return RandomQuantity::parse(written); }

std::vector<double> lateness(const std::string& written, std::uint64_t seed = 1) {
  const Disturbance disturbance{.seed = seed, .late = quantity(written), .slow = {}, .noise = {}};
  std::vector<double> values;
  for (Rank rank = 0; rank < 100'000; ++rank) values.push_back(disturbance.lateness(rank));
  return values;
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double share_below(const std::vector<double>& values, double limit) {
  return static_cast<double>(
             std::count_if(values.begin(), values.end(), [&](double x) { return x < limit; })) /
         static_cast<double>(values.size());
}

std::vector<std::uint64_t> computing(const Workload& workload, Rank rank) {
  std::vector<std::uint64_t> ticks;
  for (const auto& operation : workload.operations(rank)) {
    if (operation.kind() == Workload::Kind::compute) ticks.push_back(operation.amount);
  }
  return ticks;
}

}  // namespace

TEST_CASE("random quantities are distributed as they say") {
  const auto constant = lateness("constant:3");
  CHECK(std::count(constant.begin(), constant.end(), 3.0) == 100'000);
  // The margins are five standard errors of 100 000 values.
  const auto uniform = lateness("uniform:2:4");
  CHECK(mean(uniform) == Approx(3).margin(5 * 0.578 / 316));
  CHECK(*std::min_element(uniform.begin(), uniform.end()) >= 2);
  CHECK(*std::max_element(uniform.begin(), uniform.end()) < 4);
  CHECK(share_below(uniform, 2.5) == Approx(0.25).margin(5 * 0.5 / 316));
  const auto exponential = lateness("exponential:7");
  CHECK(mean(exponential) == Approx(7).margin(5 * 7. / 316));
  CHECK(share_below(exponential, 7 * std::log(2)) == Approx(0.5).margin(5 * 0.5 / 316));
  CHECK(*std::min_element(exponential.begin(), exponential.end()) >= 0);
  const auto pareto = lateness("pareto:2:3");
  CHECK(mean(pareto) == Approx(3).margin(5 * 1.74 / 316));
  CHECK(*std::min_element(pareto.begin(), pareto.end()) >= 2);
  CHECK(share_below(pareto, 4) == Approx(1 - 1. / 8).margin(5 * 0.33 / 316));
  const auto some = lateness("some:0.01:5");
  CHECK(share_below(some, 1) == Approx(0.99).margin(5 * 0.1 / 316));
  CHECK(*std::max_element(some.begin(), some.end()) == 5);
  CHECK(share_below(lateness("some:0:5"), 1) == 1);
  CHECK(share_below(lateness("some:1:5"), 1) == 0);
}

TEST_CASE("ranks draw apart, and the same from the same seed") {
  const auto values = lateness("uniform:0:1");
  CHECK(lateness("uniform:0:1") == values);
  CHECK(lateness("uniform:0:1", 2) != values);
  auto sorted = values;
  std::sort(sorted.begin(), sorted.end());
  CHECK(std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end());
  double covariance = 0;  // of neighbouring values
  for (std::size_t i = 1; i < values.size(); ++i) {
    covariance += (values[i - 1] - 0.5) * (values[i] - 0.5) / 1e5;
  }
  CHECK(covariance == Approx(0).margin(5. / 12 / 316));
  const Disturbance all{.late = quantity("uniform:0:1"),
                        .slow = quantity("uniform:0:1"),
                        .noise = quantity("uniform:0:1")};
  CHECK(all.computing(0, 0, 1) != all.computing(0, 1, 1));
  CHECK(all.computing(0, 0, 1) != all.computing(1, 0, 1));
  CHECK(all.computing(0, 0, 1) != Approx((1 + all.lateness(0)) * (1 + all.lateness(0))));
}

TEST_CASE("a rank computes slowly by known and by random slowdowns") {
  const Disturbance known{.slowdowns = {1, 3}};
  CHECK(known.any());
  CHECK(known.computing(0, 0, 2) == 2);
  CHECK(known.computing(1, 5, 2) == 6);
  const Disturbance both{.slow = quantity("constant:1.5"), .slowdowns = {1, 3}};
  CHECK(both.computing(1, 0, 2) == Approx(15));
}

TEST_CASE("what disturbs ranks is in their workload") {
  const auto schedule = tree_schedule(upper_distribution(40, 5), "direct");
  const Machine machine{.seconds_per_addition = 1e-9};
  const auto workload = [&](const Disturbance& disturbance) {
    return Workload(schedule, machine, disturbance);
  };
  const Workload calm = workload({});
  const Workload late = workload({.late = quantity("constant:1e-6")});
  const Workload slow = workload({.slow = quantity("constant:1.5")});
  const Workload noisy = workload({.noise = quantity("uniform:0.5:1")});
  for (Rank rank = 0; rank < 5; ++rank) {
    const auto expected = computing(calm, rank);
    REQUIRE_FALSE(expected.empty());
    auto later = expected;
    later[0] += 1'000'000;
    CHECK(computing(late, rank) == later);
    const auto slower = computing(slow, rank);
    const auto with_noise = computing(noisy, rank);
    REQUIRE(slower.size() == expected.size());
    REQUIRE(with_noise.size() == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      CHECK(slower[i] == expected[i] * 5 / 2);
      CHECK(with_noise[i] >= expected[i] * 3 / 2);
      CHECK(with_noise[i] <= expected[i] * 2);
    }
  }
  CHECK(replay_loggops(late, machine).makespan ==
        Approx(replay_loggops(calm, machine).makespan + 1e-6));
  // A rank without work is late, too.
  const auto two = tree_schedule(Distribution::from_counts(std::vector<Index>{1, 1}), "direct");
  const Disturbance second{.late = quantity("constant:1")};
  CHECK(replay_loggops(Workload(two, machine, second), machine).makespan > 1);
}

TEST_CASE("a plan's workload is that of its schedule, disturbed or not") {
  testing::property("alike", [] {
    const auto distribution =
        upper_distribution(*rc::gen::inRange<Index>(1, 300), *rc::gen::inRange<Rank>(1, 20));
    const Disturbance disturbance{.seed = *rc::gen::arbitrary<std::uint64_t>(),
                                  .late = quantity("exponential:1e-6"),
                                  .slow = quantity("some:0.2:3"),
                                  .noise = quantity("pareto:0.1:2")};
    const auto order = make_order("tree", distribution.elements());
    const auto plan = make_plan("buffered");
    const Problem problem{order, distribution, Delivery::to(0)};
    const Workload streamed(problem, *plan, Machine(), disturbance);
    const Workload whole(make_schedule(problem, *plan), Machine(), disturbance);
    for (Rank rank = 0; rank < distribution.ranks(); ++rank) {
      RC_ASSERT(computing(streamed, rank) == computing(whole, rank));
    }
  });
}

TEST_CASE("random quantities that are none are refused") {
  CHECK_THROWS_WITH(quantity("normal:1"), Contains("unknown random quantity 'normal'"));
  CHECK_THROWS_WITH(quantity("uniform:1"), Contains("uniform:from:to was expected"));
  CHECK_THROWS_WITH(quantity("exponential"), Contains("exponential:mean was expected"));
  CHECK_THROWS_WITH(quantity("exponential:1:2"), Contains("exponential:1:2"));
  CHECK_THROWS_WITH(quantity("uniform:2:1"), Contains("the first parameter must not exceed"));
  CHECK_THROWS_WITH(quantity("constant:-1"), Contains("must not be negative"));
  CHECK_THROWS_WITH(quantity("constant:x"), Contains("'x' is not a number"));
  CHECK_THROWS_WITH(quantity("pareto:1:0"), Contains("the shape must be above 0"));
  CHECK_THROWS_WITH(quantity("some:1.5:1"), Contains("the share must be at most 1"));
  CHECK_THROWS_WITH(quantity(""), Contains("a name was expected"));
  const auto schedule = tree_schedule(upper_distribution(40, 5), "direct");
  CHECK_THROWS_WITH(Workload(schedule, Machine(), {.late = quantity("constant:1e9")}),
                    Contains("the computing time of a rank"));
}

TEST_CASE("known delays of ranks add to their skew") {
  Disturbance disturbance{.late = RandomQuantity::parse("constant:3"), .delays = {0, 0.5}};
  CHECK(disturbance.any());
  CHECK(disturbance.lateness(0) == 3);
  CHECK(disturbance.lateness(1) == 3.5);
  disturbance.late = {};
  CHECK(disturbance.any());
  CHECK(disturbance.lateness(1) == 0.5);
}

}  // namespace disturbance_test
