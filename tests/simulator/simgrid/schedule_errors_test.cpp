// SPDX-License-Identifier: MIT

#include "bracket/simulator/simgrid.hpp"
#include "bracket/support/error.hpp"
#include "simulator/by_hand.hpp"
#include "support/catch.hpp"

namespace schedule_errors_test {

using namespace bracket;
using Catch::Contains;
using testing::add_message;
using testing::by_hand;

namespace {

const std::vector<Partial> value{Range{0, 1}};

Simulation simulate(const Schedule& schedule, const Machine& machine) {
  return replay_simgrid(Workload(schedule, machine), machine);
}

}  // namespace

TEST_CASE("ranks that wait for each other are an error") {
  auto schedule = by_hand(3);
  add_message(schedule, 2, 1);
  schedule.parts[0].recv(1, value);
  schedule.parts[0].send(1, value);
  schedule.parts[1].recv(0, value);
  schedule.parts[1].send(0, value);
  CHECK_THROWS_WITH(simulate(schedule, Machine{}),
                    Contains("rank 0 waits forever for a message from rank 1"));
  SECTION("also if nothing takes time") {
    const Machine free{.latency = 0,
                       .overhead = 0,
                       .gap = 0,
                       .gap_per_byte = 0,
                       .seconds_per_addition = 0,
                       .value_bytes = 8};
    schedule.parts[1] = {};
    schedule.parts[2] = {};
    schedule.parts[1].recv(0, value);
    schedule.parts[1].send(0, value);
    CHECK_THROWS_WITH(simulate(schedule, free), Contains("rank 0 waits forever"));
  }
}

TEST_CASE("a message without partner is an error") {
  auto schedule = by_hand(3);
  add_message(schedule, 2, 0);
  SECTION("not received") {
    schedule.parts[2].send(0, value);
    CHECK_THROWS_WITH(simulate(schedule, Machine{}), Contains("rank 2 sends a message to rank 0") &&
                                                         Contains("does not receive it"));
  }
  SECTION("not sent") {
    schedule.parts[0].recv(2, value);
    CHECK_THROWS_WITH(
        simulate(schedule, Machine{}),
        Contains("rank 0 receives a message from rank 2") && Contains("does not send it"));
  }
  SECTION("not sent, before all that are") {
    schedule.parts[0].recv(1, value);
    schedule.parts[1].fold({1, 2});
    schedule.parts[1].recv(0, value);
    CHECK_THROWS_WITH(
        simulate(schedule, Machine{}),
        Contains("rank 0 receives a message from rank 1") && Contains("does not send it"));
  }
}

TEST_CASE("steps that cannot be are errors") {
  auto schedule = by_hand(2);
  SECTION("a rank that does not exist") {
    schedule.parts[1].send(2, value);
    CHECK_THROWS_WITH(simulate(schedule, Machine{}),
                      Contains("rank 1 sends to 2, which is not another one of the 2 ranks"));
  }
  SECTION("a message to itself") {
    schedule.parts[1].send(1, value);
    CHECK_THROWS_WITH(simulate(schedule, Machine{}),
                      Contains("rank 1 sends to 1, which is not another"));
  }
  SECTION("an empty message") {
    schedule.parts[1].send(0, {});
    CHECK_THROWS_WITH(simulate(schedule, Machine{}), Contains("a message of 0 bytes"));
  }
  SECTION("a fold of nothing") {
    schedule.parts[1].fold({1, 1});
    CHECK_THROWS_WITH(simulate(schedule, Machine{}), Contains("the computing time of a rank is -"));
  }
}

TEST_CASE("a machine that cannot be is refused") {
  Machine machine;
  machine.latency = -1;
  CHECK_THROWS_WITH(simulate(by_hand(1), machine), Contains("latency"));
}

}  // namespace schedule_errors_test
