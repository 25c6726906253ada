// SPDX-License-Identifier: MIT

#include "loggops/event_queue.hpp"

#include <map>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace event_queue_test {

using namespace bracket;
using namespace bracket::simulator;

TEST_CASE("events come in the sequence of their times, those of one time by key") {
  testing::property("event queue", [] {
    EventQueue queue;
    std::map<std::pair<Ticks, std::uint64_t>, Event> expected;
    Ticks now = 0;
    const int steps = *rc::gen::inRange(1, 300);
    for (int i = 0; i < steps; ++i) {
      if (expected.empty() || *rc::gen::inRange(0, 3) > 0) {
        const int bits = *rc::gen::inRange(0, 62);
        const Ticks later = *rc::gen::inRange<Ticks>(0, (Ticks{1} << bits) + 1);
        const std::uint64_t key = *rc::gen::inRange<std::uint64_t>(0, 1000);
        const Event event{now + later / 2, key, 1, 2};
        if (expected.emplace(std::pair(event.time, key), event).second) queue.push(event);
      } else {
        const Event event = queue.pop([](const Event&) {});
        RC_ASSERT(std::pair(event.time, event.key) == expected.begin()->first);
        expected.erase(expected.begin());
        now = event.time;
      }
      RC_ASSERT(queue.empty() == expected.empty());
    }
  });
}

}  // namespace event_queue_test
