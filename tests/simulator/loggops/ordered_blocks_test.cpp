// SPDX-License-Identifier: MIT

#include "loggops/ordered_blocks.hpp"

#include <atomic>
#include <numeric>
#include <stdexcept>
#include <string>

#include "support/catch.hpp"

namespace ordered_blocks_test {

using bracket::simulator::OrderedBlocks;

TEST_CASE("blocks are made once each and taken in their order") {
  for (const int threads : {0, 1, 2, 5}) {
    for (const std::size_t blocks : {0, 1, 2, 100}) {
      std::atomic<std::size_t> made = 0;
      std::vector<std::size_t> taken;
      OrderedBlocks(
          blocks,
          [&](std::size_t number) {
            ++made;
            // Earlier blocks take longer, so that threads overtake each other.
            if (number % 3 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
            return number;
          },
          [&](std::size_t number) { taken.push_back(number); })
          .run(threads);
      std::vector<std::size_t> expected(blocks);
      std::iota(expected.begin(), expected.end(), std::size_t{0});
      CHECK(made == blocks);
      CHECK(taken == expected);
    }
  }
}

TEST_CASE("the first block that fails decides the error") {
  for (const int threads : {1, 2, 5}) {
    std::vector<std::size_t> taken;
    OrderedBlocks failing(
        100,
        [&](std::size_t number) {
          if (number == 40) std::this_thread::sleep_for(std::chrono::milliseconds(5));
          if (number >= 40) throw std::runtime_error("block " + std::to_string(number));
          return number;
        },
        [&](std::size_t number) { taken.push_back(number); });
    CHECK_THROWS_WITH(failing.run(threads), "block 40");
    CHECK(taken.size() == 40);
    OrderedBlocks refused(
        100, [](std::size_t number) { return number; },
        [](std::size_t number) {
          if (number == 7) throw std::runtime_error("refused " + std::to_string(number));
        });
    CHECK_THROWS_WITH(refused.run(threads), "refused 7");
  }
}

}  // namespace ordered_blocks_test
