// SPDX-License-Identifier: MIT

#include <cmath>

#include "bracket/simulator/loggops.hpp"
#include "bracket/simulator/simgrid.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "simulator/by_hand.hpp"
#include "support/catch.hpp"
#include "support/property.hpp"

namespace closed_forms_test {

using namespace bracket;
using testing::add_message;
using testing::by_hand;

namespace {

constexpr double tick = 1e-12;

double loggops(const Schedule& schedule, const Machine& machine) {
  return replay_loggops(Workload(schedule, machine), machine).makespan;
}

double simgrid(const Schedule& schedule, const Machine& machine,
               const std::string& platform = "cluster") {
  return replay_simgrid(Workload(schedule, machine), machine,
                        {.platform = PlatformSpec::parse(platform)})
      .makespan;
}

bool agree(double a, double b, int ticks) { return std::abs(a - b) <= ticks * tick; }

/// A random whole number of nanoseconds from 0 to `most`, in seconds.
double nanoseconds(int most) { return *rc::gen::inRange(0, most + 1) * 1e-9; }

Machine free_machine() {
  return {.latency = 0,
          .overhead = 0,
          .gap = 0,
          .gap_per_byte = 0,
          .seconds_per_addition = 0,
          .value_bytes = 8};
}

/// Each rank from 1 to `senders` sends a message to its `receiver_of`, all at once.
template <class ReceiverOf>
Schedule at_once(Rank senders, Rank ranks, ReceiverOf receiver_of) {
  auto schedule = by_hand(ranks);
  for (Rank sender = 1; sender <= senders; ++sender) {
    add_message(schedule, sender, receiver_of(sender));
  }
  return schedule;
}

}  // namespace

TEST_CASE("latency and overhead alone: hops * (o + L + o)") {
  testing::property("hops", [] {
    const auto hops = *rc::gen::inRange<Rank>(1, 20);
    auto schedule = by_hand(hops + 1);
    for (Rank rank = 0; rank < hops; ++rank) add_message(schedule, rank, rank + 1);
    Machine machine = free_machine();
    machine.latency = nanoseconds(5000);
    machine.overhead = nanoseconds(500);
    const double formula = hops * (machine.latency + 2 * machine.overhead);
    RC_ASSERT(agree(loggops(schedule, machine), formula, 1));
    RC_ASSERT(agree(simgrid(schedule, machine), formula, 1));
  });
}

TEST_CASE(
    "the handling of each receive comes on top, also of those that a rank does not wait for") {
  testing::property("handling", [] {
    const auto messages = *rc::gen::inRange(1, 20);
    auto schedule = by_hand(2);
    for (int i = 0; i < messages; ++i) add_message(schedule, 1, 0);
    Machine machine = free_machine();
    machine.latency = nanoseconds(5000);
    machine.overhead = nanoseconds(500);
    if (*rc::gen::arbitrary<bool>()) {
      const double trip = 2 * (machine.latency + 2 * machine.overhead) + 1e-9;
      machine.messages = {{8, machine.overhead + 1e-10, machine.overhead + 1e-10, trip, 1e-10}};
    }
    const double before = loggops(schedule, machine);
    machine.work = MeasuredWork{{0, {{1, 0}}}, 0};
    machine.work->seconds_per_receive = 1e-3;
    // While rank 0 handles the first message, the others come.
    const double first = machine.between_nodes().way(8);
    const double each = machine.between_nodes().receiving(8);
    const double formula = first + (messages - 1) * each;
    RC_ASSERT(formula >= before + messages * 1e-3 * 0.999);
    RC_ASSERT(agree(loggops(schedule, machine), formula, 3 + messages));
    RC_ASSERT(agree(simgrid(schedule, machine), formula, 3 + messages));
    RC_ASSERT(agree(paper_cost(schedule, machine).makespan, formula, 3 + messages));
  });
}

TEST_CASE("bandwidth alone: (k - 1) G, for the first byte costs nothing") {
  testing::property("bytes", [] {
    Machine machine = free_machine();
    machine.gap_per_byte = nanoseconds(50);
    machine.value_bytes = *rc::gen::inRange<Index>(1, 100000);
    auto schedule = by_hand(2);
    add_message(schedule, 1, 0);
    const double bytes = static_cast<double>(machine.value_bytes);
    RC_ASSERT(agree(loggops(schedule, machine), (bytes - 1) * machine.gap_per_byte, 1));
    RC_ASSERT(agree(simgrid(schedule, machine), (bytes - 1) * machine.gap_per_byte, 1));
  });
}

TEST_CASE("n messages at once to one rank: its link is shared, its port takes one by one") {
  testing::property("senders", [] {
    const auto senders = *rc::gen::inRange<Rank>(1, 20);
    Machine machine = free_machine();
    machine.latency = nanoseconds(1000);
    machine.gap = nanoseconds(100);
    machine.gap_per_byte = nanoseconds(10);
    machine.value_bytes = *rc::gen::inRange<Index>(1, 1000);
    const auto schedule = at_once(senders, senders + 1, [](Rank) { return Rank{0}; });
    const double bytes = static_cast<double>(machine.value_bytes);
    const double G = machine.gap_per_byte;
    RC_ASSERT(
        agree(simgrid(schedule, machine), machine.latency + senders * (bytes - 1) * G, senders));
    RC_ASSERT(agree(
        loggops(schedule, machine),
        machine.latency + (senders - 1) * (machine.gap + (bytes - 1) * G) + (bytes - 1) * G, 1));
  });
}

TEST_CASE("n messages at once over one link: n (k - 1) / bandwidth, or their own links' time") {
  testing::property("backbone", [] {
    const auto senders = *rc::gen::inRange<Rank>(1, 20);
    Machine machine = free_machine();
    machine.latency = nanoseconds(1000);
    machine.gap_per_byte = nanoseconds(10);
    machine.value_bytes = *rc::gen::inRange<Index>(1, 1000);
    const double bandwidth = *rc::gen::inRange(1, 1000) * 1e6;
    const auto schedule = at_once(senders, 2 * senders + 1, [&](Rank r) { return senders + r; });
    const double bytes = static_cast<double>(machine.value_bytes);
    const double shared =
        std::max(senders * (bytes - 1) / bandwidth, (bytes - 1) * machine.gap_per_byte);
    RC_ASSERT(agree(simgrid(schedule, machine, text("backbone:", bandwidth)),
                    machine.latency + shared, senders));
    // LogGOPS has no link that all messages share.
    RC_ASSERT(
        agree(loggops(schedule, machine), machine.latency + (bytes - 1) * machine.gap_per_byte, 1));
  });
}

}  // namespace closed_forms_test
