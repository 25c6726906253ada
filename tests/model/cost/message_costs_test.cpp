// SPDX-License-Identifier: MIT

#include "bracket/model/message_costs.hpp"

#include <limits>

#include "bracket/model/loggp.hpp"
#include "bracket/model/operation.hpp"
#include "bracket/model/plan.hpp"
#include "bracket/support/error.hpp"
#include "support/catch.hpp"
#include "support/property.hpp"

namespace message_costs_test {

using namespace bracket;
using Catch::Approx;
using Catch::Contains;

namespace {

rc::Gen<double> any_seconds() {
  return rc::gen::map(rc::gen::inRange(1, 100000), [](int ns) { return ns * 1e-9; });
}

/// Random costs: sizes increase, times are arbitrary.
MessageCosts any_costs() {
  MessageCosts costs{.latency = *any_seconds(),
                     .overhead = *any_seconds(),
                     .gap = *any_seconds(),
                     .gap_per_byte = *rc::gen::element(0.0, 1e-10, 1e-9),
                     .overhead_per_byte = *rc::gen::element(0.0, 1e-10, 3e-9)};
  costs.handling = *rc::gen::element(0.0, 3e-8);
  Index bytes = 0;
  for (int row = *rc::gen::inRange(0, 5); row > 0; --row) {
    bytes += *rc::gen::inRange<Index>(1, 100000);
    costs.measured.push_back(
        {bytes, *any_seconds(), *any_seconds(), *any_seconds(), *any_seconds()});
  }
  return costs;
}

}  // namespace

TEST_CASE("a message by the figures") {
  const MessageCosts costs{1000, 100, 10, 3, 1};
  CHECK(costs.way(8) == 100 + 1000 + 7 * 3 + 100);
  CHECK(costs.sending(8) == 107);
  CHECK(costs.receiving(8) == 107);
  CHECK(costs.spacing(8) == 10 + 7 * 3);
  const MessageCosts slow_ends{1000, 100, 10, 3, 5};
  CHECK(slow_ends.way(8) == 100 + 1000 + 7 * 5 + 100);
}

TEST_CASE("messages of the MPI library have times of their own up to the longest of them") {
  MessageCosts costs{.measured = {{8, 1, 2, 10, 1}, {16, 1, 2, 20, 1}, {32, 1, 2, 200, 1}},
                     .library = {{8, 2, 3, 100, 2}, {24, 2, 3, 120, 2}}};
  CHECK(costs.way(8) == 5);
  const MessageCosts library = costs.by_library();
  CHECK(library.way(8) == 50);
  CHECK(library.way(16) == 55);
  CHECK(library.sending(24) == 2);
  CHECK(library.way(28) == 80);
  CHECK(library.way(32) == costs.way(32));
  CHECK(library.by_library() == library);
  costs.cold = {{8, 1, 2, 30, 1}, {64, 1, 2, 500, 1}};
  CHECK(costs.by_library().out_of_cache().way(8) == 50);
  CHECK(costs.by_library().out_of_cache().way(64) == 250);
  costs.library.clear();
  CHECK(costs.by_library() == costs);
  // Also of messages inside a node, for the baselines of programs.
  Machine machine;
  machine.messages = {{8, 1, 2, 10, 1}, {16, 1, 2, 20, 1}};
  machine.library_messages = {{8, 2, 3, 100, 2}};
  machine.inside_node = MessageCosts{.measured = {{8, 1, 2, 4, 1}}, .library = {{8, 1, 2, 6, 1}}};
  machine.check();
  CHECK(machine.between_nodes().way(8) == 5);
  CHECK(machine.by_library().between_nodes().way(8) == 50);
  CHECK(machine.by_library().between_nodes().way(16) == 10);
  CHECK(machine.by_library().within_node().way(8) == 3);
  CHECK(machine.computing({}).between_nodes().way(8) == 5);
  CHECK(machine.computing(make_operation("accumulate")).between_nodes().way(8) == 50);
  machine.drop_tables();
  CHECK(machine.by_library().between_nodes().way(8) == machine.between_nodes().way(8));
}

TEST_CASE("a message by the table") {
  MessageCosts costs{1000, 100, 10, 3, 1};
  costs.measured = {{10, 200, 300, 4000, 50}, {20, 400, 500, 8000, 70}, {40, 300, 400, 6000, 90}};
  CHECK(costs.way(1) == 2000);
  CHECK(costs.way(10) == 2000);
  CHECK(costs.way(15) == 3000);
  CHECK(costs.way(30) == 3500);
  CHECK(costs.way(400) == 30000);
  CHECK(costs.sending(15) == 300);
  CHECK(costs.receiving(15) == 400);
  CHECK(costs.spacing(15) == 60);
  CHECK(costs.spacing(80) == 180);
  const auto least = costs.least(15);
  CHECK(least.way == 3000);
  CHECK(least.spacing == 60);
  CHECK(least.overhead == 300);
}

TEST_CASE("a run's handling of a message is part of its receive and of its way") {
  MessageCosts costs{1000, 100, 10, 3, 1};
  costs.handling = 40;
  CHECK(costs.way(8) == 100 + 1000 + 7 * 3 + 100 + 40);
  CHECK(costs.sending(8) == 107);
  CHECK(costs.receiving(8) == 107 + 40);
  CHECK(costs.spacing(8) == 10 + 7 * 3);
  CHECK(costs.passage(8).after == 140);
  costs.measured = {{10, 200, 300, 4000, 50}, {20, 400, 500, 8000, 70}};
  CHECK(costs.way(10) == 2040);
  CHECK(costs.sending(10) == 200);
  CHECK(costs.receiving(10) == 340);
  CHECK(costs.exchange_delay(10) == 0);
}

TEST_CASE("messages that cross take longer by the table") {
  MessageCosts costs{1000, 100, 10, 3, 1};
  CHECK(costs.exchange_delay(8) == 0);
  costs.measured = {{.bytes = 10, .round_trip = 4000, .exchange = 2500},
                    {.bytes = 20, .round_trip = 8000, .exchange = 5500},
                    {.bytes = 30, .round_trip = 8000, .exchange = 3000},
                    {.bytes = 40, .round_trip = 9000}};
  CHECK(costs.exchange_delay(1) == 500);
  CHECK(costs.exchange_delay(10) == 500);
  CHECK(costs.exchange_delay(15) == 1000);
  CHECK(costs.exchange_delay(20) == 1500);
  CHECK(costs.exchange_delay(30) == 0);  // not longer than one way
  CHECK(costs.exchange_delay(40) == 0);  // not measured
  CHECK(costs.exchange_delay(400) == 0);
  costs.measured.pop_back();
  costs.measured.pop_back();
  CHECK(costs.exchange_delay(200) == 15000);
}

TEST_CASE("each end of a message's way takes its share of the measured overheads") {
  MessageCosts costs{.latency = 20, .overhead = 70, .gap = 60, .gap_per_byte = 1};
  costs.measured = {{8, 42, 98, 320, 60}, {1024, 60, 200, 900, 100}};
  const Passage parts = costs.passage(8);
  CHECK(parts.before == Approx(42));
  CHECK(parts.after == Approx(98));
  CHECK(parts.latency == Approx(20));
  CHECK(parts.on_links == Approx(0).margin(1e-9));
  CHECK(costs.receiving(8) == Approx(98));
  // Large messages cost the same at both ends, before the first byte and after the last one.
  CHECK(costs.passage(1024).before == Approx(42));
  CHECK(costs.passage(1024).on_links == Approx(450 - 160));
}

TEST_CASE("the parts of a message's way are no less than nothing and no more than all") {
  testing::property("passage", [] {
    const MessageCosts costs = any_costs();
    const double bytes = *rc::gen::inRange(1, 1000000);
    const Passage parts = costs.passage(bytes);
    for (const double part : {parts.before, parts.latency, parts.on_links, parts.after}) {
      RC_ASSERT(part >= 0);
    }
    const double sum = parts.before + parts.latency + parts.on_links + parts.after;
    if (costs.overhead_per_byte <= costs.gap_per_byte || !costs.measured.empty()) {
      RC_ASSERT(sum == Approx(costs.way(bytes)));
    } else {
      RC_ASSERT(sum <= costs.way(bytes) * (1 + 1e-9));
    }
    const double rounding = 1e-9 * costs.way(bytes);
    RC_ASSERT(costs.sending(bytes) <= costs.way(bytes) + rounding);
    RC_ASSERT(parts.before + parts.latency + costs.receiving(bytes) <= costs.way(bytes) + rounding);
  });
}

TEST_CASE("no message of a size or more is below the least") {
  testing::property("least", [] {
    const MessageCosts costs = any_costs();
    const double bytes = *rc::gen::inRange(1, 300000);
    const double more = bytes + *rc::gen::inRange(0, 300000);
    const auto least = costs.least(bytes);
    const double rounding = 1 + 1e-9;
    RC_ASSERT(least.way <= costs.way(more) * rounding);
    RC_ASSERT(least.spacing <= costs.spacing(more) * rounding);
    RC_ASSERT(least.overhead <= costs.sending(more) * rounding);
    RC_ASSERT(least.overhead <= costs.receiving(more) * rounding);
  });
}

TEST_CASE("on paper a message takes what the table says of its size") {
  Machine machine{.seconds_per_addition = 0};
  machine.messages = {{8, 1e-7, 2e-7, 2e-6, 3e-7}, {800, 5e-7, 6e-7, 8e-6, 9e-7}};
  const auto makespan = [&](Index items) {
    const auto schedule = make_schedule(make_order("tree", 2), make_distribution("upper", 2, 2),
                                        *make_plan("direct"), {}, items);
    return paper_cost(schedule, machine).makespan;
  };
  CHECK(makespan(1) == Approx(1e-6));
  CHECK(makespan(100) == Approx(4e-6));
  CHECK(makespan(200) == Approx(8e-6));
}

TEST_CASE("tables that are none are refused") {
  const auto refusal = [](std::vector<MessageTimes> table) {
    try {
      MessageCosts{.measured = std::move(table)}.check("here: ");
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  CHECK(refusal({{1, 1, 1, 1, 1}, {2, 1, 1, 1, 1}}) == "accepted");
  CHECK_THAT(refusal({{0, 1, 1, 1, 1}}), Contains("here: messages of 0 bytes"));
  CHECK_THAT(refusal({{8, 1, 1, 1, 1}, {8, 1, 1, 1, 1}}), Contains("more than the 8"));
  for (const double time : {0.0, -1.0, std::numeric_limits<double>::infinity(),
                            std::numeric_limits<double>::quiet_NaN()}) {
    CHECK_THAT(refusal({{8, time, 1, 1, 1}}), Contains("more than 0"));
    CHECK_THAT(refusal({{8, 1, time, 1, 1}}), Contains("more than 0"));
    CHECK_THAT(refusal({{8, 1, 1, time, 1}}), Contains("more than 0"));
    CHECK_THAT(refusal({{8, 1, 1, 1, time}}), Contains("more than 0"));
  }
}

}  // namespace message_costs_test
