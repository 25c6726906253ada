// SPDX-License-Identifier: MIT

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "bracket/simulator/goal.hpp"
#include "bracket/simulator/loggops.hpp"
#include "simulator/by_hand.hpp"
#include "support/catch.hpp"

namespace trace_test {

using namespace bracket;
using testing::add_message;
using testing::by_hand;
using testing::tree_schedule;

namespace {

constexpr Machine machine{.latency = 1000e-12,
                          .overhead = 100e-12,
                          .gap = 200e-12,
                          .gap_per_byte = 3e-12,
                          .seconds_per_addition = 50e-12};

struct Run {
  Workload workload;
  Timeline timeline;
  Simulation simulation;

  explicit Run(const Schedule& schedule) : workload(schedule, machine) {
    simulation = replay_loggops(workload, machine, {}, &timeline);
  }
};

Run any_run() {
  return Run(tree_schedule(make_distribution("upper", 100, 7), "buffered", Delivery::to_all()));
}

}  // namespace

TEST_CASE("a workload as GOAL") {
  Schedule schedule = by_hand(3);
  schedule.parts[0].fold(Range{0, 3});
  schedule.parts[0].fold(Range{0, 2});
  add_message(schedule, 0, 1);
  add_message(schedule, 2, 0);
  Machine with_limit = machine;
  with_limit.eager_bytes = 65535;
  std::ostringstream out;
  write_goal(out, Workload(schedule, with_limit), with_limit);
  CHECK(out.str() ==
        "// LogGOPSim -b -L 1000 -o 100 -g 200 -G 3 -O 0 -S 65535 -f FILE.bin, all times in "
        "picoseconds\n"
        "num_ranks 3\n"
        "\nrank 0 {\n"
        "l1: calc 150\n"
        "l2: send 8b to 1 tag 0\n"
        "l2 requires l1\n"
        "l3: recv 8b from 2 tag 0\n"
        "l3 irequires l2\n"
        "}\n"
        "\nrank 1 {\n"
        "l1: recv 8b from 0 tag 0\n"
        "}\n"
        "\nrank 2 {\n"
        "l1: send 8b to 0 tag 0\n"
        "}\n");
}

TEST_CASE("a timeline has all that keeps the processors, one thing at a time") {
  const Run run = any_run();
  CHECK(run.timeline.size() == run.workload.operations().size());
  std::vector<Ticks> free(7, 0);
  std::map<std::uint32_t, Ticks> sent;
  Ticks before = 0;
  for (const Interval& interval : run.timeline) {
    CHECK(interval.start >= before);
    before = interval.start;
    Ticks& rank = free[static_cast<std::size_t>(interval.rank)];
    CHECK(interval.start >= rank);
    CHECK(interval.end >= interval.start);
    rank = interval.end;
    if (interval.kind == Workload::Kind::send) {
      CHECK(sent.emplace(interval.send, interval.start).second);
    } else if (interval.kind == Workload::Kind::recv) {
      REQUIRE(sent.count(interval.send) == 1);
      CHECK(interval.start >= sent[interval.send] + 1100);
      sent.erase(interval.send);
    }
  }
  CHECK(sent.empty());
  for (std::size_t rank = 0; rank < free.size(); ++rank) {
    CHECK(seconds_of(free[rank]) == run.simulation.finish[rank]);
  }
}

TEST_CASE("a timeline as Chrome's trace events") {
  const Run run = any_run();
  std::ostringstream out;
  write_chrome_trace(out, run.timeline, 7);
  const auto trace = nlohmann::json::parse(out.str());
  std::size_t slices = 0;
  std::map<int, int> starts;
  std::map<int, int> ends;
  double last = 0;
  for (const auto& event : trace.at("traceEvents")) {
    const std::string phase = event.at("ph");
    if (phase == "X") {
      const Interval& interval = run.timeline[slices++];
      CHECK(event.at("tid") == interval.rank);
      CHECK(event.at("ts").get<double>() == Catch::Approx(seconds_of(interval.start) * 1e6));
      CHECK(event.at("dur").get<double>() ==
            Catch::Approx(seconds_of(interval.end - interval.start) * 1e6));
      last = std::max(last, event.at("ts").get<double>() + event.at("dur").get<double>());
      if (interval.kind == Workload::Kind::send) CHECK(event.at("args").at("to") == interval.peer);
    } else if (phase == "s") {
      ++starts[event.at("id")];
    } else if (phase == "f") {
      ++ends[event.at("id")];
    } else {
      CHECK(phase == "M");
    }
  }
  CHECK(slices == run.timeline.size());
  CHECK(starts == ends);
  CHECK(static_cast<Index>(starts.size()) == run.simulation.messages);
  CHECK(last == Catch::Approx(run.simulation.makespan * 1e6));
}

TEST_CASE("a timeline as a Paje trace") {
  const Run run = any_run();
  std::ostringstream out;
  write_paje(out, run.timeline, 7);
  std::istringstream in(out.str());
  std::set<std::string> containers{"0"};
  std::map<std::string, int> depth;
  std::map<std::string, int> links;
  double before = 0;
  Index states = 0;
  Index messages = 0;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '%') continue;
    std::istringstream words(line);
    int event = 0;
    words >> event;
    if (event <= 3) continue;
    double time = -1;
    std::string first, second, third;
    words >> time >> first >> second >> third;
    CHECK(time >= before);
    before = time;
    if (event == 4) {
      CHECK(containers.count(third) == 1);
      containers.insert(first);
    } else if (event == 5) {
      CHECK(containers.erase(second) == 1);
      CHECK(depth[second] == 0);
    } else if (event == 6) {
      CHECK(containers.count(second) == 1);
      CHECK(++depth[second] == 1);
      ++states;
    } else if (event == 7) {
      CHECK(--depth[second] == 0);
    } else {
      const std::string key = line.substr(line.rfind(' ') + 1);
      links[key] += event == 8 ? 1 : -1;
      CHECK(links[key] == (event == 8 ? 1 : 0));
      if (event == 8) ++messages;
    }
  }
  CHECK(containers == std::set<std::string>{"0"});
  CHECK(states == static_cast<Index>(run.timeline.size()));
  CHECK(messages == run.simulation.messages);
  CHECK(before == Catch::Approx(run.simulation.makespan));
}

}  // namespace trace_test
