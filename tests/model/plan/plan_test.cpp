// SPDX-License-Identifier: MIT

#include "bracket/model/plan.hpp"

#include <algorithm>

#include "bracket/model/loggp.hpp"
#include "bracket/model/messages.hpp"
#include "bracket/model/rank_order.hpp"
#include "bracket/model/verify.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"

namespace plan_test {

using namespace bracket;

namespace {

// Plans that collect on one rank, and plans in which all ranks exchange.
const std::vector<std::string> collecting_specs{
    "direct",       "buffered",   "buffered:1:0", "buffered:2:3",    "buffered:100:1000000",
    "aggregated:1", "aggregated", "aggregated:3", "aggregated:1000", "binomial",
    "gather"};
const std::vector<std::string> exchanging_specs{
    "butterfly",  "elimination",  "elimination-overlapping", "ring", "composed",
    "composed:7", "dissemination"};
const std::vector<std::string> order_specs{"tree", "chunked-tree:3", "chunked-tree:64",
                                           "sequential", "associative"};

Schedule schedule_of(const Distribution& distribution, const std::string& plan,
                     Delivery delivery = {}, const std::string& order = "tree", Index items = 1) {
  return make_schedule(make_order(order, distribution.elements()), distribution, *make_plan(plan),
                       delivery, items);
}

std::vector<std::string> all_specs() {
  auto all = collecting_specs;
  all.insert(all.end(), exchanging_specs.begin(), exchanging_specs.end());
  return all;
}

bool makes_sense(const std::string& plan, const std::string& order) {
  return order != "associative" || !(plan.starts_with("direct") || plan.starts_with("buffered"));
}

void check_verifies(const Schedule& schedule) {
  const auto verdict = verify(schedule);
  INFO(schedule.plan << ", " << schedule.order << ", N = " << schedule.elements()
                     << ", p = " << schedule.ranks() << ", m = " << schedule.items << ", "
                     << name_of(schedule.delivery.collective));
  if (!verdict.ok()) FAIL_CHECK(describe(schedule, verdict.violations.front()));
}

Index occupied_without(const Distribution& distribution, Rank root) {
  Index count = 0;
  for (Rank rank = 0; rank < distribution.ranks(); ++rank) {
    if (rank != root && !distribution.range(rank).empty()) ++count;
  }
  return count;
}

}  // namespace

TEST_CASE("every plan and order on every small problem verifies, to any root and to all") {
  for (const auto& order : order_specs) {
    for (Rank p = 1; p <= 9; ++p) {
      for (const Index elements : {1, 2, 3, 5, 8, 13, 20}) {
        for (const char* spec : {"lower", "upper", "power2", "optimized:0.5"}) {
          const auto distribution = make_distribution(spec, elements, p);
          for (const auto& plan : all_specs()) {
            if (!makes_sense(plan, order)) continue;
            for (Rank root = 0; root < p; ++root) {
              check_verifies(schedule_of(distribution, plan, Delivery::to(root), order));
            }
            check_verifies(schedule_of(distribution, plan, {p / 2, Collective::all_reduce}, order));
          }
        }
      }
    }
  }
}

TEST_CASE("every plan and order verifies in every rank order of a few ranks") {
  for (Rank p = 1; p <= 4; ++p) {
    for (const Index elements : {1, 2, 3, 6, 13}) {
      for (const char* spec : {"lower", "upper", "optimized:0.9"}) {
        const auto plain = make_distribution(spec, elements, p);
        auto ranks = make_rank_order("identity", p);
        while (std::next_permutation(ranks.begin(), ranks.end())) {
          const auto distribution = plain.with_rank_order(ranks);
          for (const auto& order : order_specs) {
            for (const auto& plan : all_specs()) {
              if (!makes_sense(plan, order)) continue;
              for (Rank root = 0; root < p; ++root) {
                check_verifies(schedule_of(distribution, plan, Delivery::to(root), order));
              }
              check_verifies(schedule_of(distribution, plan, Delivery::scattered(), order, 7));
            }
          }
        }
      }
    }
  }
}

TEST_CASE("every plan and order verifies on p = 1 to 64 ranks") {
  for (Rank p = 1; p <= 64; ++p) {
    for (const auto& order : order_specs) {
      const Index elements = 1 + (p * 7919) % 500;
      for (const char* spec : {"upper", "optimized:0.3"}) {
        const auto distribution = make_distribution(spec, elements, p);
        for (const auto& plan : all_specs()) {
          if (!makes_sense(plan, order)) continue;
          check_verifies(schedule_of(distribution, plan, {}, order));
          check_verifies(schedule_of(distribution, plan, Delivery::to_all(), order));
        }
      }
    }
  }
}

TEST_CASE("every plan verifies on any distribution") {
  testing::property("schedules verify", [] {
    const auto distribution = *testing::any_distribution(20000, 60);
    const auto plan = *rc::gen::elementOf(all_specs());
    const auto order = *rc::gen::elementOf(order_specs);
    RC_PRE(makes_sense(plan, order));
    const Rank root = *rc::gen::inRange<Rank>(0, distribution.ranks());
    const Index items = *rc::gen::element<Index>(1, 2, 3, 100, 1025, 4099);
    const auto delivery = *testing::any_delivery(root);
    const auto schedule = schedule_of(distribution, plan, delivery, order, items);
    const auto verdict = verify(schedule);
    if (!verdict.ok()) RC_FAIL(describe(schedule, verdict.violations.front()));
  });
}

TEST_CASE("each rank's messages are those of its part") {
  testing::property("messages without a part", [] {
    const auto distribution = *testing::any_distribution(20000, 60);
    const auto spec = *rc::gen::elementOf(all_specs());
    const auto order_spec = *rc::gen::elementOf(order_specs);
    RC_PRE(makes_sense(spec, order_spec));
    const auto order = make_order(order_spec, distribution.elements());
    const Rank root = *rc::gen::inRange<Rank>(0, distribution.ranks());
    const Delivery delivery = *testing::any_delivery(root);
    const Problem problem{order, distribution, delivery, *rc::gen::element<Index>(1, 7, 5000)};
    const auto plan = make_plan(spec);
    for (Rank rank = 0; rank < distribution.ranks(); ++rank) {
      RC_ASSERT(plan->messages(problem, rank) == plan->part(problem, rank).messages());
    }
    RC_ASSERT(count_messages(problem, *plan) == make_schedule(problem, *plan).messages());
  });
}

TEST_CASE("every plan verifies on thousands of ranks") {
  for (const Rank p : {255, 1280, 4096}) {
    const auto distribution = make_distribution("lower", 2000003, p);
    for (const auto& plan : all_specs()) {
      if (plan == "ring") continue;  // p^2 messages
      if (plan == "buffered:100:1000000") continue;
      check_verifies(schedule_of(distribution, plan, Delivery::to_all()));
    }
  }
}

TEST_CASE("all-reduces take the rounds that the paper says, each rank with one port") {
  // A message takes one unit, and a rank sends and receives one message at a time.
  constexpr Machine rounds{.latency = 1,
                           .overhead = 0,
                           .gap = 1,
                           .gap_per_byte = 0,
                           .seconds_per_addition = 0,
                           .value_bytes = 8};
  const auto rounds_of = [&](const std::string& plan, Rank p) {
    return paper_cost(schedule_of(lower_distribution(p, p), plan, Delivery::to_all()), rounds)
        .makespan;
  };
  for (Rank p = 1; p <= 70; ++p) {
    int levels = 0;  // ceil(log2 p)
    while ((1 << levels) < p) ++levels;
    const bool power_of_two = (1 << levels) == p;
    CAPTURE(p);
    CHECK(rounds_of("butterfly", p) == (power_of_two ? levels : levels + 1));
    CHECK(rounds_of("elimination", p) == (power_of_two ? levels : levels + 1));
    CHECK(rounds_of("elimination-overlapping", p) == (power_of_two ? levels : levels + 1));
    CHECK(rounds_of("ring", p) == p - 1);
    CHECK(rounds_of("dissemination", p) == levels);
  }
  // Rings of three are optimal in rounds for 3 * 2^n and 9 * 2^n ranks (section 3.4).
  for (const Rank p : {3, 6, 9, 12, 18, 24, 36, 48, 72, 96}) {
    int levels = 0;
    while ((1 << levels) < p) ++levels;
    CAPTURE(p);
    CHECK(rounds_of("composed", p) == levels);
  }
}

TEST_CASE("the messages of the frontier plans hold at most 2 ceil(log2 N) values") {
  testing::property("largest message", [] {
    const auto distribution = *testing::any_distribution(50000, 40);
    RC_PRE(distribution.elements() > 1);
    Index levels = 0;
    while ((Index{1} << levels) < distribution.elements()) ++levels;
    auto plans = exchanging_specs;
    plans.insert(plans.end(), {"aggregated", "binomial"});
    const auto schedule = schedule_of(distribution, *rc::gen::elementOf(plans), Delivery::to_all());
    RC_ASSERT(schedule.largest_message() <= 2 * levels);
  });
}

TEST_CASE("plans that make no sense are refused with the reason") {
  const auto distribution = lower_distribution(100, 7);
  for (const char* plan : {"direct", "buffered"}) {
    CHECK_THROWS_WITH(schedule_of(distribution, plan, {}, "associative"),
                      Catch::Contains("fixed bracketing"));
  }
}

TEST_CASE("direct sends one message for each PE-intersecting node") {
  testing::property("messages of the direct plan", [] {
    const auto distribution = *testing::any_distribution(5000, 60);
    const Rank holder = distribution.owner(0);
    const auto schedule = schedule_of(distribution, "direct", Delivery::to(holder));
    RC_ASSERT(schedule.messages() == message_count(distribution));
    RC_ASSERT(schedule.largest_message() <= 1);
    const auto order = make_order("tree", distribution.elements());
    RC_ASSERT(count_messages({order, distribution, Delivery::to(holder)}, *make_plan("direct")) ==
              schedule.messages());
  });
}

TEST_CASE("buffered with room for one value is direct") {
  testing::property("buffered:1", [] {
    const auto distribution = *testing::any_distribution(5000, 60);
    RC_ASSERT(schedule_of(distribution, "buffered:1:9").parts ==
              schedule_of(distribution, "direct").parts);
  });
}

TEST_CASE("buffered carries the values of direct in no more and no fuller messages than allowed") {
  testing::property("messages of the buffered plan", [] {
    const auto distribution = *testing::any_distribution(5000, 60);
    const Index capacity = *rc::gen::inRange<Index>(1, 9);
    const auto direct = schedule_of(distribution, "direct");
    const auto buffered = schedule_of(distribution, text("buffered:", capacity, ":64"));
    RC_ASSERT(buffered.messages() <= direct.messages());
    RC_ASSERT(buffered.largest_message() <= capacity);
    Index values = 0;
    for (const auto& part : buffered.parts) {
      for (const auto& step : part.steps()) {
        if (step.kind == StepKind::send) values += step.count;
      }
    }
    RC_ASSERT(values == direct.messages());
  });
}

// Thesis, figure 3.3: N = 6 on two ranks. One message carries the values of (3, 0) and (4, 1).
TEST_CASE("buffered bundles the two outbound roots of figure 3.3") {
  const auto distribution = Distribution::from_counts(std::vector<Index>{3, 3});
  CHECK(schedule_of(distribution, "direct").messages() == 2);
  const auto schedule = schedule_of(distribution, "buffered");
  CHECK(schedule.messages() == 1);
  const auto& sender = schedule.parts[1];
  CHECK(describe(sender, sender.steps().back()) == "send to 0: [3,4) [4,6)");
}

TEST_CASE("buffered flushes before it begins a subtree above the limit") {
  // Rank 1 holds [3, 20). It sends the roots 3, 4, 8 and 16, of 1, 4, 8 and 4 elements, to rank 0.
  const auto distribution = Distribution::from_counts(std::vector<Index>{3, 17});
  const auto messages = [&](const char* plan) {
    return schedule_of(distribution, plan).messages();
  };
  CHECK(messages("buffered:4:64") == 1);
  CHECK(messages("buffered:4:4") == 2);
  CHECK(messages("buffered:4:3") == 4);
  CHECK(messages("buffered:2:64") == 2);
}

TEST_CASE("aggregated sends one message for each occupied rank but the root") {
  testing::property("messages of the aggregated plan", [] {
    const auto distribution = *testing::any_distribution(5000, 60);
    const Rank root = *rc::gen::inRange<Rank>(0, distribution.ranks());
    const Index arity = *rc::gen::inRange<Index>(1, 6);
    const auto schedule = schedule_of(distribution, text("aggregated:", arity), Delivery::to(root));
    RC_ASSERT(schedule.messages() == occupied_without(distribution, root));
    for (Rank rank = 0; rank < distribution.ranks(); ++rank) {
      const bool sends = rank != root && !distribution.range(rank).empty();
      RC_ASSERT(schedule.parts[static_cast<std::size_t>(rank)].messages() == (sends ? 1 : 0));
    }
  });
}

TEST_CASE(
    "no rank of aggregated:m hears from more than m others, two more where it is in between") {
  const auto distribution = lower_distribution(100000, 100);
  for (const Index arity : {1, 2, 3, 5}) {
    for (const Rank root : {0, 50, 99}) {
      const auto schedule =
          schedule_of(distribution, text("aggregated:", arity), Delivery::to(root));
      for (const auto& part : schedule.parts) {
        const auto heard = std::count_if(part.steps().begin(), part.steps().end(),
                                         [](auto& step) { return step.kind == StepKind::recv; });
        CHECK(heard <= std::max<Index>(arity, root == 50 ? 2 : 1));
      }
    }
  }
}

TEST_CASE("a result for all ranks costs p - 1 messages more") {
  testing::property("broadcast", [] {
    const auto distribution = *testing::any_distribution(500, 60);
    const Rank holder = distribution.owner(0);
    const auto to_one = schedule_of(distribution, "direct", Delivery::to(holder));
    const auto to_all = schedule_of(distribution, "direct", {holder, Collective::all_reduce});
    RC_ASSERT(to_all.messages() == to_one.messages() + distribution.ranks() - 1);
  });
}

TEST_CASE("a plan that cannot be made is refused with the reason") {
  using Catch::Contains;
  CHECK_THROWS_WITH(make_plan("carrier-pigeon"),
                    Contains("unknown plan 'carrier-pigeon'") && Contains("direct") &&
                        Contains("buffered[:capacity[:flush]]") && Contains("aggregated[:m]"));
  CHECK_THROWS_WITH(make_plan("buffered:0"), Contains("capacity") && Contains("at least 1"));
  CHECK_THROWS_WITH(make_plan("buffered:x"), Contains("not a whole number"));
  CHECK_THROWS_WITH(make_plan("aggregated:99999999999999999999"), Contains("out of range"));
  CHECK_THROWS_AS(make_plan("direct:1"), Error);
  CHECK_THROWS_AS(make_plan("aggregated:2:2"), Error);
  const auto distribution = lower_distribution(10, 3);
  CHECK_THROWS_WITH(schedule_of(distribution, "direct", Delivery::to(3)), Contains("root 3"));
  CHECK_THROWS_AS(make_schedule(make_order("tree", 9), distribution, *make_plan("direct")), Error);
}

TEST_CASE("what the MPI library plans has no schedule, but objections") {
  using Catch::Contains;
  const auto native = make_plan("native");
  CHECK_FALSE(native->scheduled());
  CHECK(make_plan("butterfly")->scheduled());
  CHECK_THROWS_AS(make_plan("native:2"), Error);
  const auto distribution = lower_distribution(10, 3);
  const auto order = make_order("tree", 10);
  const auto refused = [](auto action) {
    CHECK_THROWS_WITH(
        action(),
        Contains("the plan native has no schedule: the MPI library chooses") && Contains("--all"));
  };
  const Problem problem{order, distribution, Delivery::to_all()};
  refused([&] { return native->part(problem, 0); });
  refused([&] { return make_schedule(problem, *native); });
  refused([&] { return count_messages(problem, *native); });
  CHECK_NOTHROW(check_fit(problem, *native));
  CHECK_THROWS_WITH(native->require({order, distribution, Delivery::to(0)}), Contains("--all"));
  CHECK_THROWS_WITH(native->require({order, distribution, Delivery::to_all(), 2}),
                    Contains("not vectors of 2 items"));
  const auto check_order = [&](const char* spec, Index elements) {
    native->require({make_order(spec, elements), distribution, Delivery::to_all()});
  };
  for (const char* const spec : {"sequential", "chunked-tree:10"}) {
    CHECK_THROWS_WITH(check_order(spec, 10),
                      Contains("native") && Contains(spec) && Contains("one chunk"));
  }
  for (const char* const spec : {"chunked-tree:9", "associative"}) {
    CHECK_NOTHROW(check_order(spec, 10));
  }
  CHECK_NOTHROW(check_order("sequential", 1));
}

TEST_CASE("a plan is written with all its parameters") {
  CHECK(make_plan("buffered")->spec() == "buffered:4:64");
  CHECK(make_plan("buffered:8")->spec() == "buffered:8:64");
  CHECK(make_plan("aggregated")->spec() == "aggregated:2");
  CHECK(make_plan("direct")->spec() == "direct");
  CHECK(make_plan("butterfly")->spec() == "butterfly:1024");
  CHECK(make_plan("composed:5")->spec() == "composed:5:1024");
  CHECK(make_plan("composed:5:7")->spec() == "composed:5:7");
}

}  // namespace plan_test
