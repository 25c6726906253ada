#include "bracket/model/error.hpp"
#include "bracket/simulator/simulate.hpp"
#include "simulator/by_hand.hpp"
#include "support/catch.hpp"

using namespace bracket;
using Catch::Contains;
using testing::add_message;
using testing::by_hand;

namespace {

const std::vector<Partial> value{Range{0, 1}};

}  // namespace

TEST_CASE("ranks that wait for each other are an error") {
  auto schedule = by_hand(3);
  add_message(schedule, 2, 1);
  schedule.parts[0].recv(1, value);
  schedule.parts[0].send(1, value);
  schedule.parts[1].recv(0, value);
  schedule.parts[1].send(0, value);
  CHECK_THROWS_WITH(simulate(schedule, Machine{}),
                    Contains("rank 0, step 0 (recv from 1") && Contains("waits forever"));
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
    CHECK_THROWS_WITH(simulate(schedule, free), Contains("rank 0, step 0"));
  }
}

TEST_CASE("a message without partner is an error") {
  auto schedule = by_hand(3);
  add_message(schedule, 2, 0);
  SECTION("not received") {
    schedule.parts[2].send(0, value);
    CHECK_THROWS_WITH(simulate(schedule, Machine{}),
                      Contains("rank 2, step 1 (send to 0") && Contains("never received"));
  }
  SECTION("not sent") {
    schedule.parts[0].recv(2, value);
    CHECK_THROWS_WITH(simulate(schedule, Machine{}),
                      Contains("rank 0, step 1 (recv from 2") && Contains("never sends"));
  }
  SECTION("not sent, before all that are") {
    schedule.parts[0].recv(1, value);
    schedule.parts[1].fold({1, 2});
    schedule.parts[1].recv(0, value);
    CHECK_THROWS_WITH(simulate(schedule, Machine{}),
                      Contains("rank 1, step 1 (recv from 0") && Contains("never sends"));
  }
}

TEST_CASE("steps that cannot be are errors") {
  auto schedule = by_hand(2);
  SECTION("a rank that does not exist") {
    schedule.parts[1].send(2, value);
    CHECK_THROWS_WITH(simulate(schedule, Machine{}),
                      Contains("rank 1, step 0") && Contains("rank 2 does not exist"));
  }
  SECTION("a message to itself") {
    schedule.parts[1].send(1, value);
    CHECK_THROWS_WITH(simulate(schedule, Machine{}), Contains("the rank itself"));
  }
  SECTION("an empty message") {
    schedule.parts[1].send(0, {});
    CHECK_THROWS_WITH(simulate(schedule, Machine{}), Contains("empty message"));
  }
  SECTION("a fold of nothing") {
    schedule.parts[1].fold({1, 1});
    CHECK_THROWS_WITH(simulate(schedule, Machine{}), Contains("nothing to fold"));
  }
  SECTION("ranks without a part") {
    schedule.parts.pop_back();
    CHECK_THROWS_WITH(simulate(schedule, Machine{}), Contains("1 parts for 2 ranks"));
  }
}

TEST_CASE("a machine that cannot be is refused") {
  Machine machine;
  machine.latency = -1;
  CHECK_THROWS_WITH(simulate(by_hand(1), machine), Contains("latency"));
}
