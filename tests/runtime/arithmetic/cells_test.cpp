// SPDX-License-Identifier: MIT

#include "bracket/runtime/cells.hpp"

#include <cstdint>
#include <random>
#include <vector>

#include "support/catch.hpp"

namespace cells_test {

using namespace bracket;
using namespace bracket::runtime;

namespace {

/// Address of every element, row by row.
std::vector<Index> addresses(const Cells& cells, Index first, Index count) {
  std::vector<Index> all;
  cells.for_each_row(first, count, [&](Index address, Index stride, Index size) {
    for (Index i = 0; i < size; ++i) all.push_back(address + i * stride);
  });
  return all;
}

}  // namespace

TEST_CASE("owned cells of an array with ghosts") {
  // 4 x 5 elements of 8 bytes. The ranges select rows 1 and 2 and columns 1 to 3.
  const Cells cells({{4, 5}, {{1, 3}, {1, 4}}, {}}, 8);
  CHECK(cells.count() == 6);
  CHECK(addresses(cells, 0, 6) == std::vector<Index>{48, 56, 64, 88, 96, 104});
  CHECK(addresses(cells, 2, 3) == std::vector<Index>{64, 88, 96});
  CHECK(cells.contiguous(0, 3));
  CHECK(!cells.contiguous(1, 3));
  CHECK(cells.reach().begin == 48);
  CHECK(cells.reach().end == 112);
}

TEST_CASE("what lies close is one row, whatever its dimensions") {
  const Cells cells({{3, 4, 5}, {}, {}}, 4);
  CHECK(cells.count() == 60);
  CHECK(cells.contiguous(0, 60));
  CHECK(cells.contiguous(17, 43));
  // Whole rows in a range of the outer dimension are contiguous, too.
  CHECK(Cells({{3, 4}, {{1, 3}, {0, 4}}, {}}, 4).contiguous(0, 8));
  CHECK(!Cells({{3, 4}, {{0, 3}, {0, 3}}, {}}, 4).contiguous(0, 9));
}

TEST_CASE("a number, no elements, and strides of any sign") {
  const Cells number({}, 8);
  CHECK(number.count() == 1);
  CHECK(number.contiguous(0, 1));
  CHECK(Cells(Layout::contiguous(0), 8).count() == 0);
  CHECK(Cells({{3, 0, 2}, {}, {}}, 8).count() == 0);
  const Cells reversed({{3}, {}, {-8}}, 8);
  CHECK(addresses(reversed, 0, 3) == std::vector<Index>{0, -8, -16});
  CHECK(reversed.reach().begin == -16);
  CHECK(reversed.reach().end == 8);
  // Here the origin is counted from the lowest byte.
  Layout from_lowest{{3}, {}, {-8}};
  from_lowest.origin = 16;
  CHECK(addresses(Cells(from_lowest, 8), 0, 3) == std::vector<Index>{16, 8, 0});
  CHECK(Cells(from_lowest, 8).reach().begin == 0);
  CHECK(Cells(from_lowest, 8).reach().end == 24);
  CHECK(addresses(Cells({{2, 2}, {}, {0, 12}}, 8), 0, 4) == std::vector<Index>{0, 12, 0, 12});
}

TEST_CASE("addresses are exact for any size of the rows and any number of the element") {
  std::mt19937_64 random(7);
  const auto below = [&](Index most) {
    return static_cast<Index>(random() % static_cast<std::uint64_t>(most));
  };
  for (int round = 0; round < 20000; ++round) {
    // Two dimensions with gaps, and one whose indices are all the same place.
    const Index columns = 2 + below(round % 2 == 0 ? 50 : 2'000'000);
    const Index rows = 2 + below(round % 3 == 0 ? 50 : 2'000'000);
    const Index copies = round % 5 == 0 ? Index{1} << 20 : 3;
    const Index row_bytes = 8 * columns + 16;
    const Cells cells({{copies, rows, columns}, {}, {0, row_bytes, 8}}, 8);
    Index element = below(cells.count());
    if (round % 4 == 0) element -= element % columns;                     // begins a row
    if (round % 4 == 1 && element > 0) element -= element % columns + 1;  // ends a row
    if (element < 0) continue;
    CHECK(cells.address(element) == element / columns % rows * row_bytes + element % columns * 8);
  }
}

TEST_CASE("whole rows and pieces of rows have the addresses of their elements") {
  std::mt19937_64 random(11);
  const auto below = [&](Index most) {
    return static_cast<Index>(random() % static_cast<std::uint64_t>(most));
  };
  for (int round = 0; round < 3000; ++round) {
    Layout layout;
    for (Index dimension = below(5); dimension >= 0; --dimension) {
      const Index size = 1 + below(6);
      const Index begin = below(3);
      layout.extents.push_back(begin + size + below(3));
      layout.ranges.push_back({begin, begin + size});
    }
    const Cells cells(layout, 8);
    const Index first = below(cells.count());
    const Index count = below(cells.count() - first + 1);
    std::vector<Index> expected;
    for (Index i = first; i < first + count; ++i) expected.push_back(cells.address(i));
    CHECK(addresses(cells, first, count) == expected);
  }
}

TEST_CASE("strides in elements are refused, where there is more than one") {
  CHECK_THROWS_WITH(Cells({{4, 5}, {}, {40, 1}}, 8),
                    "dimension 1: a stride of 1 byte, an element has 8: strides are in bytes");
  CHECK_THROWS_WITH(Cells({{4, 5}, {}, {-5, 8}}, 8),
                    "dimension 0: a stride of -5 bytes, an element has 8: strides are in bytes");
  CHECK(Cells({{4, 5}, {{1, 2}, {}}, {5, 8}}, 8).count() == 0);
  CHECK(Cells({{1, 5}, {}, {1, 8}}, 8).count() == 5);
}

}  // namespace cells_test
