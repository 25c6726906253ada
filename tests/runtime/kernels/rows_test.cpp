// SPDX-License-Identifier: MIT

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "bracket/runtime/kernel.hpp"
#include "support/catch.hpp"
#include "support/hostile.hpp"
#include "support/reference.hpp"

namespace rows_test {

using namespace bracket;
using namespace bracket::runtime;
using testing::bits;

TEMPLATE_TEST_CASE("every kernel folds the units of rows of any length, distance and alignment", "",
                   double, float) {
  using Number = TestType;
  using Rows = RowsOf<Number>;
  struct Tested {
    const char* name;
    Number (*join)(Number, Number);
    std::function<Number*(const Folds<Number>&, Rows, Rows, Index rows, Index count, Index unit,
                          Waiting<Number>&, Number*)>
        fold;
    bool products = false;
  };
  const auto plus = [](Number x, Number y) { return x + y; };
  const auto times = [](Number x, Number y) { return x * y; };
  const Tested all[] = {
      {"sums", plus,
       [](const auto& folds, Rows x, Rows, auto&&... rest) {
         return folds.sums_of_units(x, rest...);
       }},
      {"products", times,
       [](const auto& folds, Rows x, Rows, auto&&... rest) {
         return folds.products_of_units(x, rest...);
       }},
      {"sums of products", plus,
       [](const auto& folds, auto&&... rest) { return folds.sums_of_units_of_products(rest...); },
       true}};
  constexpr auto size = static_cast<Index>(sizeof(Number));
  for (const testing::Hostile kind : testing::all_hostile) {
    for (Index count = 0; count <= 1100; count += count < 150 ? 1 : 11) {
      const Index gap = count % 3;
      const Index rows = 1 + count % 7;
      const Index first = count % 9;
      // The arrays end with the last row: a sanitizer sees who reads on.
      const auto array = [&](Index distance, std::uint64_t seed) {
        const auto length = static_cast<std::size_t>(first + (rows - 1) * distance + count);
        return testing::hostile_elements<Number>(kind, length, seed);
      };
      const Index apart = count + gap;
      const Index factors_apart = count + 2 - gap;
      const auto elements = array(apart, static_cast<std::uint64_t>(count));
      const auto factors = array(factors_apart, static_cast<std::uint64_t>(count) + 1);
      const Rows x{elements.data() + first, apart * size};
      const Rows y{factors.data() + first, factors_apart * size};
      for (const auto& [name, join, fold, products] : all) {
        std::vector<Number> values;
        for (Index row = 0; row < rows; ++row) {
          for (Index i = 0; i < count; ++i) {
            values.push_back(products ? x.row(row)[i] * y.row(row)[i] : x.row(row)[i]);
          }
        }
        for (const Index unit : {4, 16}) {
          const std::size_t whole = values.size() / static_cast<std::size_t>(unit);
          std::vector<Number> expected;
          for (std::size_t i = 0; i < whole; ++i) {
            const auto of_unit = std::span<const Number>(values).subspan(
                i * static_cast<std::size_t>(unit), static_cast<std::size_t>(unit));
            expected.push_back(testing::reduced(of_unit, 1, join));
          }
          const std::vector<Number> left(values.begin() + static_cast<std::ptrdiff_t>(whole) * unit,
                                         values.end());
          for (const auto& kernel : kernels()) {
            if (!kernel.supported()) continue;
            CAPTURE(kernel.name, name, static_cast<int>(kind), count, unit, rows, gap);
            // The parts of three calls: some rows, a piece of a row, and the other rows.
            const auto& folds = kernel.folds<Number>();
            const Index some = rows / 2;
            const Index piece = count / 3;
            Waiting<Number> waiting;
            std::vector<Number> folded(whole);
            Number* to = folded.data();
            to = fold(folds, x, y, some, count, unit, waiting, to);
            const Rows rest_of_x{x.row(some) + piece, x.distance};
            const Rows rest_of_y{y.row(some) + piece, y.distance};
            to = fold(folds, {x.row(some), 0}, {y.row(some), 0}, 1, piece, unit, waiting, to);
            to = fold(folds, rest_of_x, rest_of_y, 1, count - piece, unit, waiting, to);
            const Index next = std::min(some + 1, rows - 1);
            to = fold(folds, {x.row(next), x.distance}, {y.row(next), y.distance}, rows - some - 1,
                      count, unit, waiting, to);
            REQUIRE(to == folded.data() + whole);
            for (std::size_t i = 0; i < whole; ++i) {
              if (bits(folded[i]) != bits(expected[i])) FAIL("unit " << i);
            }
            REQUIRE(waiting.count == static_cast<Index>(left.size()));
            for (std::size_t i = 0; i < left.size(); ++i) {
              if (bits(waiting.room[static_cast<std::size_t>(waiting.first) + i]) !=
                  bits(left[i])) {
                FAIL("element " << i << " that waits");
              }
            }
          }
        }
      }
    }
  }
}

TEST_CASE("every kernel copies rows of any length, distance and alignment") {
  for (const auto& kernel : kernels()) {
    if (!kernel.supported()) continue;
    CAPTURE(kernel.name);
    for (Index bytes = 0; bytes <= 300; ++bytes) {
      for (const Index gap : {0, 1, 16, 137}) {
        for (Index rows = 0; rows <= 3; ++rows) {
          // The array ends with the last row: a sanitizer sees who reads on.
          const Index distance = bytes + gap;
          const Index first = bytes % 7;
          const Index last = rows == 0 ? 0 : (rows - 1) * distance + bytes;
          std::vector<std::byte> array(static_cast<std::size_t>(first + last));
          for (std::size_t i = 0; i < array.size(); ++i) {
            array[i] = static_cast<std::byte>(i * 31 % 251);
          }
          std::vector<std::byte> expected;
          for (Index row = 0; row < rows; ++row) {
            const auto from = array.begin() + first + row * distance;
            expected.insert(expected.end(), from, from + bytes);
          }
          std::vector<std::byte> copied(expected.size());
          kernel.copy_rows(array.data() + first, distance, rows, bytes, copied.data());
          if (copied != expected) FAIL(rows << " rows of " << bytes << ", distance " << distance);
        }
        // Rows may also lie one below the other.
        std::vector<std::byte> array(static_cast<std::size_t>(2 * bytes + gap));
        for (std::size_t i = 0; i < array.size(); ++i) array[i] = static_cast<std::byte>(i % 251);
        std::vector<std::byte> copied(static_cast<std::size_t>(2 * bytes));
        kernel.copy_rows(array.data() + bytes + gap, -bytes - gap, 2, bytes, copied.data());
        CHECK(std::equal(array.begin(), array.begin() + bytes, copied.begin() + bytes));
        CHECK(std::equal(array.end() - bytes, array.end(), copied.begin()));
      }
    }
  }
}

}  // namespace rows_test
