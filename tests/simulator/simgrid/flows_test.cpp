// SPDX-License-Identifier: MIT

#include "simgrid/flows.hpp"

#include <algorithm>
#include <map>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace flows_test {

using namespace bracket;
using simulator::Flows;

namespace {

using Ends = std::map<Flows::Id, Ticks>;

/// New ends of the flows that a change affects.
Ends settle(Flows& flows, Ticks now) {
  Ends ends;
  flows.settle(now, [&](Flows::Id id) { ends[id] = flows.end_of(id); });
  return ends;
}

constexpr Ticks second = 1'000'000'000'000;

}  // namespace

TEST_CASE("flows: what one leaves on a link goes to another") {
  Flows flows;
  const auto wide = flows.add_link(10);
  const auto narrow = flows.add_link(2);
  const auto other = flows.add_link(100);
  const auto bound = flows.begin(0, std::vector{wide, narrow}, 20);
  const auto free = flows.begin(0, std::vector{wide, other}, 40);
  // The flows get 2 and 8 of the 10 bytes per second.
  CHECK(settle(flows, 0) == Ends{{free, 5 * second}});
  CHECK(flows.end_of(bound) == 10 * second);
  flows.end(free);
  CHECK(settle(flows, 5 * second) == Ends{{bound, 10 * second}});
}

TEST_CASE("flows: who comes later slows down who is there, who leaves gives back") {
  Flows flows;
  const auto link = flows.add_link(1);
  const auto first = flows.begin(0, std::vector{link}, 10);
  CHECK(settle(flows, 0) == Ends{{first, 10 * second}});
  CHECK(settle(flows, 2 * second).empty());
  const auto second_flow = flows.begin(4 * second, std::vector{link}, 2);
  // 6 and 2 bytes remain, at half a byte per second each.
  CHECK(settle(flows, 4 * second) == Ends{{second_flow, 8 * second}});
  CHECK(flows.end_of(first) == 16 * second);
  flows.end(second_flow);
  CHECK(settle(flows, 8 * second) == Ends{{first, 12 * second}});
  flows.end(first);
  CHECK(settle(flows, 12 * second).empty());
}

TEST_CASE("flows: those apart do not see each other") {
  Flows flows;
  const auto a = flows.add_link(1);
  const auto b = flows.add_link(1);
  const auto one = flows.begin(0, std::vector{a}, 3);
  const auto two = flows.begin(0, std::vector{b}, 5);
  CHECK(settle(flows, 0) == Ends{{one, 3 * second}, {two, 5 * second}});
}

// A flow's rate cannot grow unless the rate of a flow with no higher rate shrinks: it has a full
// link on which no flow has a higher rate (Bertsekas and Gallager 1992, section 6.5.2).
TEST_CASE("flows: rates are max-min fair") {
  testing::property("fair", [] {
    Flows flows;
    const auto bandwidths = *rc::gen::container<std::vector<int>>(6, rc::gen::inRange(1, 20));
    for (const int bandwidth : bandwidths) flows.add_link(bandwidth);
    const auto count = *rc::gen::inRange(1, 12);
    std::vector<std::vector<Flows::Link>> links;
    for (int i = 0; i < count; ++i) {
      const auto mask = *rc::gen::inRange(1, 64);
      links.emplace_back();
      for (Flows::Link link = 0; link < 6; ++link) {
        if ((mask >> link & 1) != 0) links.back().push_back(link);
      }
      flows.begin(0, links.back(), 1000);
    }
    settle(flows, 0);
    std::vector<double> rates;
    std::vector<double> load(6, 0);
    for (int i = 0; i < count; ++i) {
      rates.push_back(1000 / seconds_of(flows.end_of(static_cast<Flows::Id>(i))));
      for (const auto link : links[static_cast<std::size_t>(i)]) load[link] += rates.back();
    }
    for (std::size_t i = 0; i < rates.size(); ++i) {
      bool held = false;
      for (const auto link : links[i]) {
        RC_ASSERT(load[link] <= bandwidths[link] * (1 + 1e-9));
        double most = 0;
        for (std::size_t j = 0; j < rates.size(); ++j) {
          if (std::find(links[j].begin(), links[j].end(), link) != links[j].end()) {
            most = std::max(most, rates[j]);
          }
        }
        if (load[link] >= bandwidths[link] * (1 - 1e-9) && rates[i] >= most * (1 - 1e-9)) {
          held = true;
        }
      }
      RC_ASSERT(held);
    }
  });
}

}  // namespace flows_test
