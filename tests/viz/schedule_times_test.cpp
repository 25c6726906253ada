// SPDX-License-Identifier: MIT

#include "bracket/viz/schedule_times.hpp"

#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "support/catch.hpp"
#include "support/property.hpp"
#include "viz/any_schedule.hpp"

namespace schedule_times_test {

using namespace bracket;
using testing::any_schedule;

TEST_CASE("each step has a time, and those on the critical path are the model's") {
  testing::property("times by LogGP", [] {
    const auto schedule = any_schedule();
    Machine machine;
    machine.gap = *rc::gen::element(0.0, 5e-6);
    const auto cost = paper_cost(schedule, machine);
    const auto times = paper_times(schedule, machine);
    RC_ASSERT(times.makespan == cost.makespan);
    RC_ASSERT(times.source == "LogGP");
    const ScheduleGraph graph(schedule);
    std::size_t steps = 0;
    for (std::size_t i = 0; i < times.busy.size(); ++i) {
      const BusyTime& busy = times.busy[i];
      RC_ASSERT(busy.start <= busy.end);
      if (i > 0 && times.busy[i - 1].rank == busy.rank) {
        RC_ASSERT(times.busy[i - 1].end <= busy.start * (1 + 1e-12));
      }
      if (busy.step == no_step) continue;
      RC_ASSERT(busy.step == steps);
      ++steps;
      RC_ASSERT(graph.place(busy.step).rank == busy.rank);
    }
    RC_ASSERT(steps == graph.size());
    RC_ASSERT(times.critical_path.size() == cost.critical_path.size());
    for (std::size_t i = 0; i < times.critical_path.size(); ++i) {
      const BusyTime& busy = times.busy[times.critical_path[i]];
      const CriticalStep& step = cost.critical_path[i];
      RC_ASSERT(busy.step == graph.id(step.rank, step.step));
      RC_ASSERT(busy.start == step.start);
      RC_ASSERT(busy.end == step.end);
    }
  });
}

TEST_CASE("computing before a message is a time of its own") {
  // Ranks 1 and 2 send their elements one by one.
  const auto schedule = make_schedule(make_order("sequential", 1000), lower_distribution(1000, 3),
                                      *make_plan("gather"));
  Machine machine;
  MeasuredWork& work = machine.work.emplace();
  work.folds = {{1, 1e-9}};
  work.copies = {{1, 1e-9}};
  const auto times = paper_times(schedule, machine);
  double copies = 0;
  for (std::size_t i = 0; i < times.busy.size(); ++i) {
    const BusyTime& busy = times.busy[i];
    if (busy.activity != Activity::copy) continue;
    copies += busy.end - busy.start;
    CHECK(busy.start < busy.end);
    const BusyTime& next = times.busy.at(i + 1);
    CHECK(next.rank == busy.rank);
    CHECK(next.activity == Activity::send);
  }
  CHECK(copies > 0);
}

// Rank 0 computes 3 s, then waits for rank 1, whose message leaves at 5 s.
TEST_CASE("a path goes back over the message that a rank waited for") {
  Schedule schedule{{"tree", 1, "", lower_distribution(2, 2), {}}, {RankPart{}, RankPart{}}};
  const std::vector<Partial> right{Range{1, 2}};
  schedule.parts[0].fold(Range{0, 1});
  schedule.parts[0].recv(1, right);
  schedule.parts[0].join(Range{0, 1}, Range{1, 2});
  schedule.parts[1].fold(Range{1, 2});
  schedule.parts[1].send(0, right);
  const ScheduleGraph graph(schedule);
  ScheduleTimes times{"hand", 9, 8, {}, {}};
  times.busy = {{0, Activity::compute, 0, 3, no_step},
                {0, Activity::recv, 7, 8, 1},
                {0, Activity::compute, 8, 9, no_step},
                {1, Activity::compute, 0, 5, no_step},
                {1, Activity::send, 5, 6, 4}};
  CHECK(path_back(graph, times) == std::vector<std::size_t>{3, 4, 1, 2});
  // A message that lies ready is no cause.
  times.busy[0].end = 7;
  CHECK(path_back(graph, times) == std::vector<std::size_t>{0, 1, 2});
  CHECK(path_back(graph, {}).empty());
}

}  // namespace schedule_times_test
