// SPDX-License-Identifier: MIT

#include "bracket/model/tune.hpp"

#include <algorithm>
#include <limits>
#include <set>

#include "bracket/support/error.hpp"
#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/objectives.hpp"
#include "support/property.hpp"
#include "support/shuffled_weigher.hpp"

namespace tune_test {

using namespace bracket;
using testing::by_paper_cost;
using testing::by_score;

TEST_CASE("tuning finds the lowest scores of the thesis's example") {
  const TuneRequest request{.elements = 504850, .ranks = 256, .evaluations = 0};
  const auto result = tune(request, by_score());
  const TuneCandidate& best = result.candidates.front();
  CHECK(best.distribution == "optimal:0.2");
  CHECK(best.named);
  CHECK(best.seconds * 1e6 == Catch::Approx(129.404).margin(0.001));
  CHECK(result.bound_seconds == Catch::Approx(best.seconds));
  TuneRequest jointly = request;
  jointly.plans = {"direct", "aggregated"};
  // The minimum is one message for each other rank and the fair share.
  CHECK(tune(jointly, by_score()).candidates.front().seconds * 1e6 ==
        Catch::Approx(255 * 0.281 + 1973 * 4.15e-3));
}

TEST_CASE("the bound is of results on the first position alone") {
  TuneRequest request{.elements = 10007, .ranks = 12, .evaluations = 0};
  const double bound = tune(request, by_score()).bound_seconds;
  CHECK(bound > 0);
  request.evaluations = 3;  // then distributions with cheaper messages are weighed
  CHECK(tune(request, by_paper_cost()).bound_seconds == bound);
  for (const Delivery delivery : {Delivery::to(1), Delivery::to_all(), Delivery::scattered()}) {
    request.delivery = delivery;
    request.plans = {"aggregated"};
    CHECK(tune(request, by_paper_cost()).bound_seconds == 0);
  }
  request.rank_order = {1, 0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  request.delivery = Delivery::to(1);
  CHECK(tune(request, by_paper_cost()).bound_seconds == bound);
  request.delivery = Delivery::to(0);
  CHECK(tune(request, by_paper_cost()).bound_seconds == 0);
}

TEST_CASE("costs that overflow are refused") {
  const TuneRequest request{.elements = 100, .ranks = 4};
  for (const double cost :
       {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    CHECK_THROWS_WITH(tune(request, [=](const Problem&, const Plan&) { return cost; }),
                      Catch::Contains("seconds: a figure of the machine is too large"));
  }
}

TEST_CASE("candidates come by what they cost, each once, each what it is named for") {
  testing::property("tune", [] {
    TuneRequest request{.elements = *rc::gen::inRange<Index>(1, 3000),
                        .ranks = *rc::gen::inRange<Rank>(1, 20)};
    request.alpha = *rc::gen::inRange(0, 12) / 8.0;
    request.moves = *rc::gen::element(Moves::both_ways, Moves::downwards);
    using Names = std::vector<std::string>;
    request.orders = *rc::gen::element(Names{"tree"}, Names{"tree", "chunked-tree:8"});
    request.plans =
        *rc::gen::element(Names{"direct"}, Names{"buffered", "aggregated:4"}, Names{"all"});
    request.delivery.collective = *rc::gen::element(Collective::reduce, Collective::all_reduce);
    request.evaluations = *rc::gen::inRange<Index>(0, 30);
    request.seed = *rc::gen::arbitrary<std::uint64_t>();
    const Objective objective = *rc::gen::element(0, 1) == 0 ? by_score() : by_paper_cost();
    Index told = 0;
    double best = std::numeric_limits<double>::infinity();
    const auto result = tune(request, objective, [&](const TuneStatus& status) {
      const auto& [count, best_seconds, plan, doing] = status;
      RC_ASSERT(count >= told);
      RC_ASSERT(count <= told + 1);
      RC_ASSERT(best_seconds <= best);
      told = count;
      best = best_seconds;
      return true;
    });
    RC_ASSERT(best == result.candidates.front().seconds);
    RC_ASSERT(told == result.evaluations);
    RC_ASSERT(result.evaluations <= result.first_searched + request.evaluations);
    for (std::size_t i = 0; i < result.candidates.size(); ++i) {
      const TuneCandidate& candidate = result.candidates[i];
      const auto order = make_order(candidate.order, request.elements);
      const Problem problem{order, candidate.held, request.delivery, request.items};
      RC_ASSERT(candidate.seconds == objective(problem, *make_plan(candidate.plan)));
      const BoundaryWindows windows(request.elements, request.ranks, request.alpha, request.moves);
      for (Index k = 0; k <= request.ranks; ++k) {
        const Index place = candidate.held.boundaries()[static_cast<std::size_t>(k)];
        RC_ASSERT(windows.lowest(k) <= place);
        RC_ASSERT(place <= windows.highest(k));
      }
      if (candidate.named) {
        RC_ASSERT(make_distribution(candidate.distribution, request.elements, request.ranks) ==
                  candidate.held);
      }
      if (i > 0) RC_ASSERT(result.candidates[i - 1].seconds <= candidate.seconds);
      for (std::size_t j = 0; j < i; ++j) {
        const TuneCandidate& other = result.candidates[j];
        RC_ASSERT(other.order != candidate.order || other.plan != candidate.plan ||
                  other.held != candidate.held);
      }
    }
    const auto again = tune(request, objective);
    RC_ASSERT(again.candidates.front().held == result.candidates.front().held);
    RC_ASSERT(again.evaluations == result.evaluations);
  });
}

TEST_CASE("a tuning is the same whatever is weighed at the same time") {
  testing::property("side by side", [] {
    TuneRequest request{.elements = *rc::gen::inRange<Index>(1, 3000),
                        .ranks = *rc::gen::inRange<Rank>(1, 80),
                        .alpha = *rc::gen::inRange(0, 8) / 8.0,
                        .evaluations = *rc::gen::inRange<Index>(0, 60),
                        .seed = *rc::gen::arbitrary<std::uint64_t>()};
    using Names = std::vector<std::string>;
    request.orders = *rc::gen::element(Names{"tree"}, Names{"tree", "chunked-tree:8", "tree"});
    request.plans = *rc::gen::element(Names{"direct"}, Names{"ring", "aggregated", "aggregated:2"},
                                      Names{"all"});
    request.delivery.collective = *rc::gen::element(Collective::reduce, Collective::all_reduce);
    if (request.plans.front() == "ring") request.delivery = Delivery::to_all();
    request.skips_busy = *rc::gen::element(false, true);
    const TuneTask task{request, by_paper_cost()};
    const auto alone = tune(request, task.objective);
    testing::ShuffledWeigher weigher(*rc::gen::inRange<Index>(1, 9),
                                     *rc::gen::arbitrary<std::uint64_t>(),
                                     [&](const Weighable& what) { return cost_of(task, what); });
    Index told = 0;
    const auto together = tune(request, weigher, [&](const TuneStatus& status) {
      RC_ASSERT(status.evaluations >= told);
      RC_ASSERT(status.evaluations <= told + 1);
      told = status.evaluations;
      return true;
    });
    RC_ASSERT(weigher.most() <= weigher.at_once());
    RC_ASSERT(together.evaluations == alone.evaluations);
    RC_ASSERT(together.first_searched == alone.first_searched);
    RC_ASSERT(together.bound_seconds == alone.bound_seconds);
    RC_ASSERT(together.candidates.size() == alone.candidates.size());
    for (std::size_t i = 0; i < alone.candidates.size(); ++i) {
      const TuneCandidate& one = alone.candidates[i];
      const TuneCandidate& other = together.candidates[i];
      RC_ASSERT(one.order == other.order);
      RC_ASSERT(one.plan == other.plan);
      RC_ASSERT(one.distribution == other.distribution);
      RC_ASSERT(one.held == other.held);
      RC_ASSERT(one.seconds == other.seconds);
      RC_ASSERT(one.derivation == other.derivation);
    }
  });
}

TEST_CASE("a candidate that cannot be weighed ends a tuning where it comes") {
  const TuneTask task{{.elements = 1000, .ranks = 9, .plans = {"direct", "buffered:2:0", "gather"}},
                      [](const Problem& problem, const Plan& plan) {
                        if (plan.spec() != "direct") throw Error("not " + plan.spec());
                        return by_paper_cost()(problem, plan);
                      }};
  testing::ShuffledWeigher weigher(4, 1,
                                   [&](const Weighable& what) { return cost_of(task, what); });
  CHECK_THROWS_WITH(tune(task.request, weigher), Catch::Equals("not buffered:2:0"));
  CHECK_THROWS_WITH(tune(task.request, task.objective), Catch::Equals("not buffered:2:0"));
}

TEST_CASE("plans of far more messages are weighed last") {
  TuneRequest request{.elements = 100000, .ranks = 512, .plans = {"all"}, .evaluations = 0};
  request.delivery = Delivery::to_all();
  std::vector<std::string> weighed;
  const auto objective = [&](const Problem& problem, const Plan& plan) {
    const std::string name = plan.spec().substr(0, plan.spec().find(':'));
    if (weighed.empty() || weighed.back() != name) weighed.push_back(name);
    return by_score()(problem, plan);
  };
  tune(request, objective);
  const auto place = [&](const char* name) {
    return std::find(weighed.begin(), weighed.end(), name) - weighed.begin();
  };
  CHECK(place("direct") == 0);
  CHECK(place("butterfly") < place("composed"));
  CHECK(place("dissemination") < place("ring"));
}

TEST_CASE("a tuning that is stopped has the best of what it weighed") {
  testing::property("stopped", [] {
    TuneRequest request{.elements = *rc::gen::inRange<Index>(1, 3000),
                        .ranks = *rc::gen::inRange<Rank>(1, 20),
                        .plans = {"all"}};
    request.evaluations = 30;
    const auto whole = tune(request, by_paper_cost());
    RC_ASSERT_FALSE(whole.stopped);
    const auto most = *rc::gen::inRange<Index>(0, whole.evaluations);
    double best = std::numeric_limits<double>::infinity();
    const auto result = tune(request, by_paper_cost(), [&](const TuneStatus& status) {
      const auto& [count, best_seconds, plan, doing] = status;
      best = best_seconds;
      return count < most;
    });
    RC_ASSERT(result.stopped);
    RC_ASSERT(result.evaluations == std::max<Index>(1, most));
    RC_ASSERT(result.candidates.front().seconds == best);
  });
}

TEST_CASE("no makespan is below the time of a busy rank, so what it excludes is not the best") {
  testing::property("busy ranks", [] {
    TuneRequest request{.elements = *rc::gen::inRange<Index>(1, 3000),
                        .ranks = *rc::gen::inRange<Rank>(1, 40),
                        .plans = {"all"},
                        .evaluations = 0};
    request.delivery.collective = *rc::gen::element(Collective::reduce, Collective::all_reduce);
    request.machine.overhead = *rc::gen::element(0.0, 1e-13, 70e-9, 3e-6);
    request.machine.latency = *rc::gen::element(0.0, 1e-7);
    if (*rc::gen::arbitrary<bool>()) {
      MeasuredWork& work = request.machine.work.emplace();
      work.folds = {{1, 2e-9}, {100, 9e-8}, {1000, 2e-6}};
      work.folds_together = {{4, {{1, 2e-9}, {1000, 5e-6}}}};
      work.seconds_per_join = *rc::gen::element(0.0, 1e-8);
      work.start = *rc::gen::element(0.0, 1e-6);
    }
    const Objective objective = [&](const Problem& problem, const Plan& plan) {
      const double seconds = paper_cost(make_schedule(problem, plan), request.machine).makespan;
      RC_ASSERT(busy_seconds(problem, plan, request.machine) <= seconds);
      return seconds;
    };
    const auto all = tune(request, objective);
    request.skips_busy = true;
    const auto fewer = tune(request, objective);
    RC_ASSERT(fewer.evaluations <= all.evaluations);
    RC_ASSERT(fewer.candidates.front().seconds == all.candidates.front().seconds);
  });
}

TEST_CASE("a plan with a message for each pair of ranks is skipped before it is made") {
  // On 4096 ranks, a ring has 16 million messages: only its bound is computed.
  TuneRequest request{.elements = 1'000'000'000,
                      .ranks = 4096,
                      .delivery = Delivery::to_all(),
                      .plans = {"binomial", "ring"},
                      .evaluations = 0,
                      .skips_busy = true};
  const auto result = tune(request, [&](const Problem& problem, const Plan& plan) {
    CHECK(plan.spec().rfind("ring", 0) != 0);
    return paper_cost(make_schedule(problem, plan), request.machine).makespan;
  });
  CHECK(result.candidates.front().plan == "binomial");
}

TEST_CASE("what is tuned is never worse than Algorithm 3 and the fair shares") {
  testing::property("tune against the usual", [] {
    TuneRequest request{.elements = *rc::gen::inRange<Index>(1, 5000),
                        .ranks = *rc::gen::inRange<Rank>(1, 30),
                        .items = *rc::gen::element<Index>(1, 10),
                        .plans = {*rc::gen::element<std::string>("direct", "all")},
                        .alpha = *rc::gen::inRange(0, 8) / 8.0,
                        .evaluations = 20};
    const auto order = make_order("tree", request.elements);
    for (const Objective& objective : {by_score(), by_paper_cost()}) {
      const double best = tune(request, objective).candidates.front().seconds;
      for (const auto& usual :
           {upper_distribution(request.elements, request.ranks),
            optimized_distribution(request.elements, request.ranks, request.alpha)}) {
        const Problem problem{order, usual, {}, request.items};
        for (const std::string& plan : plan_variants(request.plans[0], problem)) {
          RC_ASSERT(best <= objective(problem, *make_plan(plan)));
        }
      }
    }
  });
}

TEST_CASE("where there is no choice of a distribution the plans are weighed over it alone") {
  testing::property("given", [] {
    const auto held = *testing::any_distribution(500, 12);
    TuneRequest request{.elements = held.elements(), .ranks = held.ranks()};
    request.held = NamedDistribution{"as it lies", false, held};
    request.orders = {"tree", "chunked-tree:8"};
    request.plans = {"direct", "buffered", "aggregated"};
    const Objective objective = by_paper_cost();
    const auto result = tune(request, objective);
    std::set<std::pair<std::string, std::string>> weighed;
    for (const TuneCandidate& candidate : result.candidates) {
      RC_ASSERT(candidate.held == held);
      RC_ASSERT(candidate.distribution == "as it lies");
      RC_ASSERT_FALSE(candidate.named);
      weighed.insert({candidate.order, candidate.plan});
    }
    std::size_t known = 0;
    for (const std::string& order : request.orders) {
      const auto made = make_order(order, held.elements());
      const Problem problem{made, held, {}};
      for (const std::string& plan : request.plans) {
        for (const std::string& variant : plan_variants(plan, problem)) {
          RC_ASSERT(weighed.count({made.spec(), variant}) == 1u);
          ++known;
        }
      }
    }
    RC_ASSERT(weighed.size() == known);
    RC_ASSERT(result.evaluations == static_cast<Index>(known));
    RC_ASSERT(result.bound_seconds == 0.0);
    RC_ASSERT(result.candidates.front().seconds ==
              std::min_element(
                  result.candidates.begin(), result.candidates.end(),
                  [](const auto& one, const auto& other) { return one.seconds < other.seconds; })
                  ->seconds);
  });
}

TEST_CASE("the score of a plan is of its own messages and all items") {
  const auto order = make_order("tree", 504850);
  const auto held = upper_distribution(504850, 256);
  const ScoreCosts costs{1, 0.001};
  const Problem problem{order, held, {}, 1};
  CHECK(plan_score(problem, *make_plan("direct"), costs) == Catch::Approx(1401 + 1.973));
  CHECK(plan_score(problem, *make_plan("aggregated"), costs) == Catch::Approx(255 + 1.973));
  const Problem vectors{order, held, {}, 10};
  CHECK(plan_score(vectors, *make_plan("aggregated"), costs) == Catch::Approx(255 + 19.73));
  // For another root the result is sent once more.
  const Problem elsewhere{order, held, Delivery::to(7), 1};
  CHECK(count_messages(elsewhere, *make_plan("direct")) ==
        make_schedule(elsewhere, *make_plan("direct")).messages());
}

TEST_CASE("what cannot be tuned is refused") {
  const auto with = [](auto change) {
    TuneRequest request{.elements = 100, .ranks = 4};
    change(request);
    return tune(request, by_score());
  };
  CHECK_THROWS_WITH(with([](auto& r) { r.alpha = -0.5; }), Catch::Contains("alpha"));
  CHECK_THROWS_WITH(with([](auto& r) { r.elements = 0; }), Catch::Contains("N must be"));
  CHECK_THROWS_WITH(with([](auto& r) { r.ranks = 0; }), Catch::Contains("p must be"));
  CHECK_THROWS_WITH(with([](auto& r) {
                      r.held = NamedDistribution{"upper", true, upper_distribution(99, 4)};
                    }),
                    Catch::Contains("a distribution of 99 elements over 4 ranks, not of 100"));
  CHECK_THROWS_WITH(with([](auto& r) { r.plans = {"guess"}; }), Catch::Contains("guess"));
  CHECK_THROWS_WITH(with([](auto& r) { r.plans = {}; }), Catch::Contains("nothing to tune"));
  CHECK_THROWS_WITH(with([](auto& r) { r.orders = {}; }), Catch::Contains("nothing to tune"));
  CHECK_THROWS_WITH(with([](auto& r) { r.orders = {"guess"}; }), Catch::Contains("guess"));
  CHECK_THROWS_WITH(with([](auto& r) { r.plans = {"native"}; }), Catch::Contains("no schedule"));
  CHECK_THROWS_WITH(with([](auto& r) { r.delivery.root = 4; }), Catch::Contains("root 4"));
}

}  // namespace tune_test
