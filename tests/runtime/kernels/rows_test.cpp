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
  struct Tested {
    const char* name;
    Number (*join)(Number, Number);
    std::function<void(const Folds<Number>&, RowsOf<Number>, RowsOf<Number>, Index, Index, Index,
                       Number*)>
        fold;
    bool products = false;
  };
  const auto plus = [](Number x, Number y) { return x + y; };
  const auto times = [](Number x, Number y) { return x * y; };
  const Tested all[] = {
      {"sums", plus,
       [](const auto& folds, auto x, auto, Index rows, Index count, Index unit, Number* to) {
         folds.sums_of_units(x, rows, count, unit, to);
       }},
      {"products", times,
       [](const auto& folds, auto x, auto, Index rows, Index count, Index unit, Number* to) {
         folds.products_of_units(x, rows, count, unit, to);
       }},
      {"sums of products", plus,
       [](const auto& folds, auto x, auto y, Index rows, Index count, Index unit, Number* to) {
         folds.sums_of_units_of_products(x, y, rows, count, unit, to);
       },
       true}};
  constexpr auto size = static_cast<Index>(sizeof(Number));
  for (const testing::Hostile kind : testing::all_hostile) {
    for (Index count = 0; count <= 1100; count += count < 300 ? 4 : 16) {
      const Index gap = count / 4 % 3;
      const Index rows = count % 7 % 4;
      const Index first = count / 4 % 9;
      // The arrays end with the last row: a sanitizer sees who reads on.
      const auto array = [&](Index distance, std::uint64_t seed) {
        const Index last = rows == 0 ? 0 : (rows - 1) * distance + count;
        return testing::hostile_elements<Number>(kind, static_cast<std::size_t>(first + last),
                                                 seed);
      };
      const Index apart = count + gap;
      const Index factors_apart = count + 2 - gap;
      const auto elements = array(apart, static_cast<std::uint64_t>(count));
      const auto factors = array(factors_apart, static_cast<std::uint64_t>(count) + 1);
      const RowsOf<Number> x{elements.data() + first, apart * size};
      const RowsOf<Number> y{factors.data() + first, factors_apart * size};
      for (const Index unit : {4, 16}) {
        if (count % unit != 0) continue;
        for (const auto& [name, join, fold, products] : all) {
          std::vector<Number> expected;
          for (Index row = 0; row < rows; ++row) {
            std::vector<Number> values(x.row(row), x.row(row) + count);
            for (Index i = 0; products && i < count; ++i) {
              values[static_cast<std::size_t>(i)] *= y.row(row)[i];
            }
            for (Index i = 0; i < count; i += unit) {
              const auto of_unit = std::span<const Number>(values).subspan(
                  static_cast<std::size_t>(i), static_cast<std::size_t>(unit));
              expected.push_back(testing::reduced(of_unit, 1, join));
            }
          }
          for (const auto& kernel : kernels()) {
            if (!kernel.supported()) continue;
            CAPTURE(kernel.name, name, static_cast<int>(kind), count, unit, rows, gap);
            std::vector<Number> folded(expected.size());
            fold(kernel.folds<Number>(), x, y, rows, count, unit, folded.data());
            for (std::size_t i = 0; i < folded.size(); ++i) {
              if (bits(folded[i]) != bits(expected[i])) FAIL("unit " << i);
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
