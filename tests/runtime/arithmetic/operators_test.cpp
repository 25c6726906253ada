// SPDX-License-Identifier: MIT

#include "bracket/runtime/operators.hpp"

#include <cmath>
#include <cstdint>
#include <limits>

#include "support/catch.hpp"

namespace operators_test {

using namespace bracket;

namespace {

template <class Number>
void check_all_pairs(std::initializer_list<Number> numbers) {
  for (const Number x : numbers) {
    for (const Number y : numbers) {
      CAPTURE(x, y);
      CHECK(Minimum()(x, y) == (y < x ? y : x));
      CHECK(Maximum()(x, y) == (x < y ? y : x));
    }
  }
}

}  // namespace

TEST_CASE("minimum and maximum of integers, the extreme ones included") {
  check_all_pairs<std::int32_t>({0, 1, -1, 3, 5, std::numeric_limits<std::int32_t>::min(),
                                 std::numeric_limits<std::int32_t>::max()});
  check_all_pairs<std::int64_t>({0, 7, -7, std::numeric_limits<std::int64_t>::min()});
  check_all_pairs<std::uint64_t>({0, 1, 2, std::numeric_limits<std::uint64_t>::max()});
  check_all_pairs<std::int8_t>({0, 1, -128, 127});
}

TEST_CASE("minimum and maximum of floats tell the zeros apart and keep a NaN") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double other : {1.0, -0.0, std::numeric_limits<double>::infinity()}) {
    CHECK(std::isnan(Minimum()(nan, other)));
    CHECK(std::isnan(Minimum()(other, nan)));
    CHECK(std::isnan(Maximum()(nan, other)));
    CHECK(std::isnan(Maximum()(other, nan)));
  }
  CHECK(std::signbit(Minimum()(0.0, -0.0)));
  CHECK(std::signbit(Minimum()(-0.0, 0.0)));
  CHECK(!std::signbit(Maximum()(0.0, -0.0)));
  CHECK(!std::signbit(Maximum()(-0.0, 0.0)));
}

}  // namespace operators_test
