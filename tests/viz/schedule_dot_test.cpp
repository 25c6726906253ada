// SPDX-License-Identifier: MIT

#include "bracket/viz/schedule_dot.hpp"

#include <set>

#include "bracket/model/plan.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"
#include "viz/any_schedule.hpp"
#include "viz/dot_reader.hpp"

namespace schedule_dot_test {

using namespace bracket;
using testing::any_schedule;
using testing::count_of_class;
using testing::DotGraph;
using testing::is_a;

namespace {

constexpr ScheduleDrawing any_size{1000000};

Schedule schedule_of(const Distribution& distribution, const std::string& plan,
                     Delivery delivery = {}) {
  return make_schedule(make_order("tree", distribution.elements()), distribution, *make_plan(plan),
                       delivery);
}

DotGraph drawn(const Schedule& schedule, const PaperCost* cost = nullptr) {
  return testing::DotReader::read(schedule_dot(schedule, cost, any_size));
}

Index coordinate(const testing::DotNode& node, char axis) {
  const std::string& pos = node.attributes.at("pos");
  return std::stoll(axis == 'x' ? pos : pos.substr(pos.find(',') + 1));
}

/// A handwritten schedule of two elements on two ranks.
Schedule by_hand(const RankPart& first, const RankPart& second) {
  return {{"tree", 1, "", lower_distribution(2, 2), {}}, {first, second}};
}

}  // namespace

TEST_CASE("every step stands in the column of its rank, below the one before") {
  testing::property("columns", [] {
    const auto schedule = any_schedule();
    const auto graph = drawn(schedule);
    std::size_t steps = 0;
    Index column = -1;
    for (std::size_t rank = 0; rank < schedule.parts.size(); ++rank) {
      const auto& part = schedule.parts[rank];
      steps += part.steps().size();
      for (std::size_t i = 0; i < part.steps().size(); ++i) {
        const auto& node = graph.node(text('s', rank, '_', i));
        RC_ASSERT(node.cluster == text("cluster_rank", rank));
        RC_ASSERT(is_a(node.attributes, std::string(name_of(part.steps()[i].kind))));
        if (i == 0) {
          RC_ASSERT(coordinate(node, 'x') > column);
          column = coordinate(node, 'x');
          continue;
        }
        const auto& above = graph.node(text('s', rank, '_', i - 1));
        RC_ASSERT(coordinate(node, 'x') == column);
        RC_ASSERT(coordinate(node, 'y') < coordinate(above, 'y'));
      }
    }
    RC_ASSERT(graph.nodes.size() == steps);
  });
}

TEST_CASE("there is an arrow for each message, down from a send to its recv") {
  testing::property("messages", [] {
    const auto schedule = any_schedule();
    const auto graph = drawn(schedule);
    RC_ASSERT(count_of_class(graph.edges, "message") == schedule.messages());
    std::set<std::string> ends;
    for (const auto& edge : graph.edges) {
      if (!is_a(edge.attributes, "message")) continue;
      const auto& send = graph.node(edge.from);
      const auto& recv = graph.node(edge.to);
      RC_ASSERT(is_a(send.attributes, "send"));
      RC_ASSERT(is_a(recv.attributes, "recv"));
      RC_ASSERT(send.cluster != recv.cluster);
      RC_ASSERT(coordinate(send, 'y') > coordinate(recv, 'y'));
      const auto operands = [](const testing::DotNode& node) {
        const std::string& label = node.attributes.at("label");
        return label.substr(label.find('\n'));
      };
      RC_ASSERT(operands(send) == operands(recv));
      RC_ASSERT(ends.insert(edge.from).second);
      RC_ASSERT(ends.insert(edge.to).second);
    }
  });
}

TEST_CASE("the critical path is highlighted from its first step to its last") {
  testing::property("critical path", [] {
    const auto schedule = any_schedule();
    Machine machine;
    machine.gap = *rc::gen::element(0.0, 70e-9, 5e-6);
    const auto cost = paper_cost(schedule, machine);
    const auto graph = drawn(schedule, &cost);
    const auto critical = static_cast<Index>(cost.critical_path.size());
    RC_ASSERT(count_of_class(graph.nodes, "critical") == critical);
    RC_ASSERT(count_of_class(graph.edges, "critical") == std::max<Index>(critical - 1, 0));
    for (const auto& step : cost.critical_path) {
      const auto& node = graph.node(text('s', step.rank, '_', step.step));
      RC_ASSERT(is_a(node.attributes, "critical"));
    }
    RC_ASSERT(count_of_class(drawn(schedule).nodes, "critical") == 0);
  });
}

TEST_CASE("the title tells order, plan, sizes, messages and makespan") {
  const auto schedule = schedule_of(lower_distribution(13, 5), "buffered", Delivery::to(2));
  const auto cost = paper_cost(schedule, {});
  const auto title = drawn(schedule, &cost).attributes.at("label");
  CHECK_THAT(title, Catch::Contains("order tree, plan buffered:4:64, N = 13, p = 5"));
  CHECK_THAT(title, Catch::Contains(text("messages: ", schedule.messages(), ", result on rank 2")));
  CHECK_THAT(title, Catch::Contains("makespan on paper: ") && Catch::Contains("critical path"));
  const auto to_all = schedule_of(lower_distribution(13, 5), "direct", Delivery::to_all());
  const auto plain = drawn(to_all).attributes.at("label");
  CHECK_THAT(plain, Catch::Contains("all ranks") && !Catch::Contains("makespan"));
}

TEST_CASE("times are written in the unit of the makespan") {
  const auto schedule = schedule_of(Distribution::from_counts(std::vector<Index>{3}), "direct");
  const auto label = [&](double seconds_per_addition) {
    Machine machine;
    machine.seconds_per_addition = seconds_per_addition;
    const auto cost = paper_cost(schedule, machine);
    return drawn(schedule, &cost).node("s0_0").attributes.at("label");
  };
  CHECK(label(0) == "fold\n[0,3)\n0.000 – 0.000 ns");
  CHECK(label(4.15e-9) == "fold\n[0,3)\n0.000 – 8.300 ns");
  CHECK(label(100e-9) == "fold\n[0,3)\n0.0 – 200.0 ns");
  CHECK(label(1e-6) == "fold\n[0,3)\n0.000 – 2.000 µs");
  CHECK(label(40e-3) == "fold\n[0,3)\n0.00 – 80.00 ms");
  CHECK(label(1e4) == "fold\n[0,3)\n0 – 20000 s");
}

// Rank 1 holds [1, 512): nine partials from [1, 2) to [256, 512).
TEST_CASE("of a long message only the first partials are written, all are in the tooltip") {
  const auto schedule = schedule_of(Distribution::from_boundaries({0, 1, 512}), "aggregated:1");
  const auto graph = drawn(schedule);
  const auto& recv = graph.node("s0_1").attributes;
  CHECK(recv.at("label") == "recv from 1\n[1,2) [2,4)\n[4,8) [8,16)\n… 9 partials");
  CHECK_THAT(recv.at("tooltip"), Catch::Contains("[1,2)") && Catch::Contains("[256,512)"));
}

TEST_CASE("an all-reduce has an arrow for each of its messages") {
  for (const char* plan : {"butterfly", "elimination"}) {
    CAPTURE(plan);
    const auto schedule = schedule_of(lower_distribution(13, 5), plan, Delivery::to_all());
    const auto cost = paper_cost(schedule, {});
    const auto graph = drawn(schedule, &cost);
    CHECK(count_of_class(graph.edges, "message") == schedule.messages());
    CHECK(graph.clusters.size() == 5);
    CHECK_THAT(graph.attributes.at("label"), Catch::Contains("result on all ranks"));
  }
}

TEST_CASE("a run of elements is written by its first and last") {
  auto schedule = by_hand({}, {});
  schedule.distribution = lower_distribution(10, 2);
  const auto run = Partial::run_of({3, 8});
  schedule.parts[0].send(1, {{run}});
  schedule.parts[1].recv(0, {{run}});
  CHECK(drawn(schedule).node("s0_0").attributes.at("label") == "send to 1\n3...7");
  CHECK(drawn(schedule).node("s1_0").attributes.at("label") == "recv from 0\n3...7");
}

TEST_CASE("ranks that hold and do nothing share a column") {
  const auto schedule = schedule_of(power2_distribution(5, 12), "direct");
  const auto graph = drawn(schedule);
  REQUIRE(graph.clusters.size() == 3);
  CHECK(graph.clusters.at("cluster_rank0").at("label") == "rank 0\nempty");
  CHECK(graph.clusters.at("cluster_rank1").at("label") == "ranks 1 to 10\nempty");
  CHECK(graph.clusters.at("cluster_rank11").at("label") == "rank 11\n[0,5)");
}

TEST_CASE("a column tells the elements of its rank, in any rank order") {
  const auto distribution = lower_distribution(9, 3).with_rank_order({2, 0, 1});
  const auto graph = drawn(schedule_of(distribution, "direct"));
  CHECK(graph.clusters.at("cluster_rank0").at("label") == "rank 0\n[3,6)");
  CHECK(graph.clusters.at("cluster_rank1").at("label") == "rank 1\n[6,9)");
  CHECK(graph.clusters.at("cluster_rank2").at("label") == "rank 2\n[0,3)");
}

TEST_CASE("a name that is no name of ours is escaped") {
  auto schedule = schedule_of(lower_distribution(9, 3), "direct");
  schedule.plan = "a\"b\\<c>&\n\x01";
  const auto graph = drawn(schedule);
  CHECK_THAT(graph.attributes.at("label"), Catch::Contains("a&quot;b\\&lt;c&gt;&amp;  ,"));
}

TEST_CASE("a schedule that cannot be drawn is refused with the reason") {
  using Catch::Contains;
  const auto schedule = schedule_of(lower_distribution(9, 3), "direct");
  Index steps = 0;
  for (const auto& part : schedule.parts) steps += static_cast<Index>(part.steps().size());
  CHECK_NOTHROW(schedule_dot(schedule, nullptr, {steps}));
  CHECK_THROWS_WITH(schedule_dot(schedule, nullptr, {steps - 1}),
                    Contains(text(steps, " steps")) && Contains(text("the ", steps - 1, " that")));
  CHECK_THROWS_AS(schedule_dot(schedule, nullptr, {0}), Error);

  auto cost = paper_cost(schedule, {});
  cost.critical_path.back().step = 1000;
  CHECK_THROWS_WITH(schedule_dot(schedule, &cost), Contains("not one of this schedule"));
  const auto other = paper_cost(schedule_of(lower_distribution(9, 4), "direct"), {});
  CHECK_THROWS_WITH(schedule_dot(schedule, &other), Contains("not one of this schedule"));

  const std::vector<Partial> left{Range{0, 1}};
  const std::vector<Partial> right{Range{1, 2}};
  RankPart none;
  RankPart sends;
  sends.send(0, right);
  RankPart receives;
  receives.recv(1, right);
  CHECK_THROWS_WITH(schedule_dot(by_hand(none, sends)), Contains("rank 1, step 0 (send to 0"));
  CHECK_THROWS_WITH(schedule_dot(by_hand(receives, none)), Contains("rank 0, step 0 (recv from 1"));
  receives.send(1, left);
  RankPart waits;
  waits.recv(0, left);
  waits.send(0, right);
  CHECK_THROWS_WITH(schedule_dot(by_hand(receives, waits)), Contains("cycle"));
}

}  // namespace schedule_dot_test
