// SPDX-License-Identifier: MIT

#include "bracket/model/schedule_graph.hpp"

#include <algorithm>
#include <map>

#include "bracket/model/plan.hpp"
#include "bracket/support/error.hpp"
#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"

namespace schedule_graph_test {

using namespace bracket;
using Catch::Contains;

namespace {

/// A schedule without steps: one element for each rank.
Schedule without_steps(Rank ranks) {
  return {{"tree", 1, "", lower_distribution(ranks, ranks), {}},
          std::vector<RankPart>(static_cast<std::size_t>(ranks))};
}

const std::vector<Partial> one{Range{0, 1}};
const std::vector<Partial> two{Range{0, 1}, Range{1, 2}};

}  // namespace

TEST_CASE("the k-th send from a rank to another goes with the k-th receive") {
  auto schedule = without_steps(3);
  schedule.parts[2].send(0, one);
  schedule.parts[2].send(1, one);
  schedule.parts[2].send(0, two);
  schedule.parts[0].recv(2, one);
  schedule.parts[0].fold({0, 1});
  schedule.parts[0].recv(2, two);
  schedule.parts[1].recv(2, one);
  const ScheduleGraph graph(schedule);
  REQUIRE(graph.size() == 7);
  std::vector<StepId> partners;
  for (StepId id = 0; id < graph.size(); ++id) partners.push_back(graph.partner(id));
  CHECK(partners == std::vector<StepId>{4, no_step, 6, 5, 0, 3, 2});
  CHECK(graph.place(5).rank == 2);
  CHECK(graph.place(5).step == 1);
  CHECK(graph.previous(4) == no_step);
  CHECK(graph.previous(5) == 4);
  CHECK(graph.levels() == std::vector<std::uint32_t>{1, 2, 3, 2, 0, 1, 2});
}

TEST_CASE("many receives from several ranks in turn keep the sequence of each") {
  constexpr StepId messages = 50;
  auto schedule = without_steps(3);
  for (StepId k = 0; k < messages; ++k) {
    for (const Rank from : {2, 1}) {
      schedule.parts[0].recv(from, one);
      schedule.parts[static_cast<std::size_t>(from)].send(0, one);
    }
  }
  const ScheduleGraph graph(schedule);
  for (StepId k = 0; k < messages; ++k) {
    CHECK(graph.partner(graph.id(1, k)) == graph.id(0, 2 * k + 1));
    CHECK(graph.partner(graph.id(2, k)) == graph.id(0, 2 * k));
  }
}

TEST_CASE("ranks that wait for each other are a cycle") {
  auto schedule = without_steps(2);
  schedule.parts[0].recv(1, two);
  schedule.parts[0].send(1, one);
  schedule.parts[1].recv(0, one);
  schedule.parts[1].send(0, two);
  const ScheduleGraph graph(schedule);
  CHECK_THROWS_WITH(graph.topological_order(), Contains("wait for each other in a cycle"));
  CHECK_THROWS_WITH(graph.levels(), Contains("wait for each other in a cycle"));
}

TEST_CASE("every message of a plan has two ends of the same partials") {
  testing::property("schedule graph", [] {
    const auto distribution = *testing::any_distribution(300, 20);
    const auto order = make_order("tree", distribution.elements());
    for (const auto& row : plans()) {
      const auto plan = make_plan(row.entry.name);
      if (!plan->scheduled()) continue;
      const auto schedule = make_schedule(order, distribution, *plan, Delivery::to_all());
      const ScheduleGraph graph(schedule);
      // Matched the obvious way: the k-th send of each pair of ranks with the k-th receive.
      std::map<std::pair<Rank, Rank>, std::vector<StepId>> sends, receives;
      for (StepId id = 0; id < graph.size(); ++id) {
        const Rank rank = graph.place(id).rank;
        const Step& step = graph.step(id);
        if (step.kind == StepKind::send) sends[{rank, step.peer}].push_back(id);
        if (step.kind == StepKind::recv) receives[{step.peer, rank}].push_back(id);
        if (step.kind == StepKind::fold || step.kind == StepKind::join) {
          RC_ASSERT(graph.partner(id) == no_step);
        }
      }
      for (const auto& [ranks, sent] : sends) {
        const auto& received = receives[ranks];
        RC_ASSERT(received.size() == sent.size());
        for (std::size_t k = 0; k < sent.size(); ++k) {
          RC_ASSERT(graph.partner(sent[k]) == received[k]);
          RC_ASSERT(graph.partner(received[k]) == sent[k]);
          const auto& from = schedule.parts[static_cast<std::size_t>(ranks.first)];
          const auto& to = schedule.parts[static_cast<std::size_t>(ranks.second)];
          const auto operands = from.operands(graph.step(sent[k]));
          const auto expected = to.operands(graph.step(received[k]));
          RC_ASSERT(std::equal(operands.begin(), operands.end(), expected.begin(), expected.end()));
        }
      }
      std::vector<std::size_t> position(graph.size());
      const auto sorted = graph.topological_order();
      RC_ASSERT(sorted.size() == graph.size());
      for (std::size_t i = 0; i < sorted.size(); ++i) position[sorted[i]] = i;
      const auto levels = graph.levels();
      for (StepId id = 0; id < graph.size(); ++id) {
        const StepId before = graph.previous(id);
        if (before != no_step) RC_ASSERT(position[before] < position[id]);
        if (before != no_step) RC_ASSERT(levels[before] < levels[id]);
        if (graph.step(id).kind != StepKind::recv) continue;
        RC_ASSERT(position[graph.partner(id)] < position[id]);
        RC_ASSERT(levels[graph.partner(id)] < levels[id]);
      }
    }
  });
}

TEST_CASE("a message without partner is an error that names rank and step") {
  auto schedule = without_steps(3);
  schedule.parts[1].fold({1, 2});
  SECTION("not received") {
    schedule.parts[1].send(0, one);
    CHECK_THROWS_WITH(ScheduleGraph(schedule),
                      Contains("rank 1, step 1 (send to 0") && Contains("never received"));
  }
  SECTION("not sent") {
    schedule.parts[1].recv(2, one);
    CHECK_THROWS_WITH(ScheduleGraph(schedule), Contains("rank 1, step 1 (recv from 2") &&
                                                   Contains("rank 2 never sends this message"));
  }
  SECTION("from a rank that does not exist") {
    schedule.parts[1].recv(-1, one);
    CHECK_THROWS_WITH(ScheduleGraph(schedule),
                      Contains("rank 1, step 1") && Contains("rank -1 does not"));
  }
  SECTION("to itself") {
    schedule.parts[1].send(1, one);
    CHECK_THROWS_WITH(ScheduleGraph(schedule),
                      Contains("rank 1, step 1") && Contains("the rank itself"));
  }
  SECTION("of nothing") {
    schedule.parts[1].send(0, {});
    CHECK_THROWS_WITH(ScheduleGraph(schedule),
                      Contains("rank 1, step 1") && Contains("empty message"));
  }
  SECTION("of a rank without part") {
    schedule.parts.resize(2);
    CHECK_THROWS_WITH(ScheduleGraph(schedule), Contains("2 parts for 3 ranks"));
  }
}

}  // namespace schedule_graph_test
