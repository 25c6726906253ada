// SPDX-License-Identifier: MIT

#include "loggops/event_queue.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

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

TEST_CASE("more events than a block has come in sequence, and their blocks are used again") {
  constexpr std::size_t block = EventBlocks::events_of_block;
  for (const std::size_t count : {block - 1, block, block + 1, 2 * block, 5 * block + 7}) {
    EventQueue queue;
    std::vector<std::pair<Ticks, std::uint64_t>> expected;
    std::vector<std::pair<Ticks, std::uint64_t>> found;
    std::uint64_t key = 0;
    const auto push = [&](Ticks time) {
      queue.push({time, ++key, 1, 2});
      expected.emplace_back(time, key);
    };
    // Few different times, far apart and close together, in no sequence.
    for (std::size_t i = 0; i < count; ++i) push(1000 + (i * 7919 % 13) * (i % 2 == 0 ? 1 : 4096));
    for (std::size_t i = 0; i < count; ++i) push(1 << 20);
    while (!queue.empty()) {
      const Event event = queue.pop([](const Event&) {});
      found.emplace_back(event.time, event.key);
      if (event.time < 50'000) push(event.time + 50'000);
    }
    std::sort(expected.begin(), expected.end());
    CHECK(found == expected);
  }
}

}  // namespace event_queue_test
