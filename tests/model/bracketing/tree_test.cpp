// SPDX-License-Identifier: MIT

#include "bracket/model/tree.hpp"

#include <limits>

#include "support/catch.hpp"

namespace tree_test {

using bracket::Index;
using bracket::Range;
namespace tree = bracket::tree;

TEST_CASE("the parent of a node clears its lowest set bit") {
  CHECK(tree::parent(6) == 4);
  CHECK(tree::parent(4) == 0);
  CHECK(tree::parent(7) == 6);
  CHECK(tree::parent(0) == 0);
}

TEST_CASE("the roundest number between two others") {
  for (Index low = 0; low < 70; ++low) {
    for (Index high = low + 2; high < 140; ++high) {
      Index roundest = low + 1;
      for (Index x = low + 1; x < high; ++x) {
        if (tree::lowest_bit(x) > tree::lowest_bit(roundest)) roundest = x;
      }
      CAPTURE(low, high);
      REQUIRE(tree::roundest_between(low, high) == roundest);
    }
  }
}

TEST_CASE("the height is the number of halvings down to one element") {
  for (Index elements = 1; elements < 2000; ++elements) {
    int levels = 0;
    for (Index left = elements; left > 1; left = (left + 1) / 2) ++levels;
    CAPTURE(elements);
    CHECK(tree::height(elements) == levels);
  }
}

// The thesis's figure 2.2: nine elements.
TEST_CASE("the nodes of nine elements") {
  CHECK(tree::max_level(6, 9) == 1);
  CHECK(tree::max_level(0, 9) == 4);
  CHECK(tree::highest_node(6, 9) == Range{6, 8});
  CHECK(tree::highest_node(4, 9) == Range{4, 8});
  CHECK(tree::highest_node(8, 9) == Range{8, 9});
  CHECK(tree::highest_node(0, 9) == Range{0, 9});
}

TEST_CASE("nodes end at N also where their own end does not fit 63 bits") {
  constexpr Index most = std::numeric_limits<Index>::max();
  CHECK(tree::highest_node(Index{1} << 62, most) == Range{Index{1} << 62, most});
  CHECK(tree::highest_node(0, most) == Range{0, most});
  CHECK(tree::highest_node(most - 1, most) == Range{most - 1, most});
}

}  // namespace tree_test
