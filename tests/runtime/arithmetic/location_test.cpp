// SPDX-License-Identifier: MIT

#include "bracket/runtime/location.hpp"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <span>
#include <type_traits>
#include <vector>

#include "support/catch.hpp"
#include "support/hostile.hpp"
#include "support/property.hpp"
#include "support/reference.hpp"

namespace location_test {

using namespace bracket;
using namespace bracket::runtime;

namespace {

constexpr Index first_index = 1'000'000'000'000;  // more than 32 bits

/// True if `x` is the result although `y` comes before it.
template <class Operation>
bool beats(typename Operation::Element x, typename Operation::Element y) {
  constexpr bool lesser = std::is_same_v<Operation, Location<typename Operation::Element, Minimum>>;
  if constexpr (std::is_floating_point_v<typename Operation::Element>) {
    if (std::isnan(y)) return false;
    if (std::isnan(x)) return true;
    if (x == y)
      return lesser ? std::signbit(x) && !std::signbit(y) : !std::signbit(x) && std::signbit(y);
  }
  return lesser ? x < y : y < x;
}

template <class Operation, class Number = typename Operation::Element>
Located<Number> expected(std::span<const Number> elements) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < elements.size(); ++i) {
    if (beats<Operation>(elements[i], elements[best])) best = i;
  }
  return {elements[best], first_index + static_cast<Index>(best)};
}

/// Compares bits; all NaNs are equal.
template <class Number>
bool same(const Located<Number>& x, const Located<Number>& y) {
  if (x.index != y.index) return false;
  if constexpr (std::is_floating_point_v<Number>) {
    return testing::bits(x.value) == testing::bits(y.value);
  } else {
    return x.value == y.value;
  }
}

template <class Operation>
auto operation(const Kernel* kernel = nullptr) {
  Operation result;
  result.kernel = kernel;
  result.prepare();
  return result;
}

template <class Operation, class Number = typename Operation::Element>
void check_one(std::span<const Number> elements) {
  const Located<Number> wanted = expected<Operation>(elements);
  for (const auto& kernel : kernels()) {
    if (!kernel.supported()) continue;
    const auto located = operation<Operation>(&kernel);
    const auto result = located.finish(
        located.fold(elements.data(), static_cast<Index>(elements.size()), 1, first_index));
    if (!same(result, wanted)) {
      FAIL(kernel.name << ", " << elements.size() << " elements: " << result.value << " at "
                       << result.index - first_index << ", not " << wanted.value << " at "
                       << wanted.index - first_index);
    }
  }
}

template <class Number>
void check(std::span<const Number> elements) {
  CAPTURE(sizeof(Number));
  check_one<Location<Number, Minimum>>(elements);
  check_one<Location<Number, Maximum>>(elements);
}

/// Integers below `range`, so with many ties; any integers if `range` is 0.
template <class Number>
std::vector<Number> integers(std::size_t count, std::uint64_t range, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Number> elements(count);
  for (auto& element : elements) {
    element = static_cast<Number>(range == 0 ? random() : random() % range);
  }
  return elements;
}

/// Elements with ties and, for floating-point types, zeros of both signs and NaNs.
template <class Number>
std::vector<Number> with_ties(std::size_t count, std::uint64_t seed) {
  auto elements = integers<Number>(count, 3, seed);
  if constexpr (std::is_floating_point_v<Number>) {
    std::mt19937_64 random(seed);
    for (auto& element : elements) {
      if (element == 0 && random() % 2 == 0) element = -element;
      if (seed % 2 == 0 && random() % 256 == 0) {
        element = std::copysign(std::numeric_limits<Number>::quiet_NaN(),
                                random() % 2 == 0 ? Number(1) : Number(-1));
      }
    }
  }
  return elements;
}

/// Folds parts of any size and joins them in any bracketing, with left and right swapped at random.
template <class Operation>
void check_splits() {
  using Number = typename Operation::Element;
  using Value = typename Operation::Value;
  static_assert(std::is_trivially_copyable_v<Value>);
  static_assert(sizeof(Value) == 16, "no padding: two numbers of 8 bytes");
  testing::property("any split gives the same location", [](std::uint64_t seed) {
    const auto count = *rc::gen::inRange<std::size_t>(1, 5000);
    const auto elements = with_ties<Number>(count, seed);
    const auto located = operation<Operation>();
    std::mt19937_64 random(seed);
    std::vector<Value> parts;
    for (std::size_t begin = 0; begin < count;) {
      const std::size_t size = 1 + random() % std::min<std::size_t>(count - begin, 3000);
      const Index index = first_index + static_cast<Index>(begin);
      parts.push_back(size == 1 ? located.value(elements[begin], index)
                                : located.fold(elements.data() + begin, static_cast<Index>(size),
                                               1 + static_cast<Index>(random() % 9), index));
      begin += size;
    }
    while (parts.size() > 1) {
      const auto left = parts.begin() + static_cast<std::ptrdiff_t>(random() % (parts.size() - 1));
      *left =
          random() % 2 == 0 ? located.join(*left, *(left + 1)) : located.join(*(left + 1), *left);
      parts.erase(left + 1);
    }
    const Value whole = located.fold(elements.data(), static_cast<Index>(count), 1, first_index);
    RC_ASSERT(std::memcmp(&whole, &parts.front(), sizeof whole) == 0);
  });
}

}  // namespace

TEMPLATE_TEST_CASE("location: of the least and the greatest integer, the first of equal ones", "",
                   std::int32_t, std::int64_t, std::uint32_t, std::uint64_t) {
  for (const std::size_t count : {1u, 2u, 3u, 17u, 2047u, 2048u, 2049u, 4096u, 5000u}) {
    for (const std::uint64_t range : {0u, 1u, 3u, 1000u}) {
      for (std::uint64_t seed = 0; seed < 5; ++seed) {
        check<TestType>(integers<TestType>(count, range, seed));
      }
    }
  }
  const TestType least = std::numeric_limits<TestType>::min();
  const TestType most = std::numeric_limits<TestType>::max();
  check<TestType>(std::vector<TestType>{0, most, least, most, least});
}

TEMPLATE_TEST_CASE("location: of the least and the greatest float", "", float, double) {
  for (const auto kind : testing::all_hostile) {
    CAPTURE(static_cast<int>(kind));
    for (const std::size_t count : {1u, 2u, 3u, 17u, 300u, 2047u, 2048u, 2049u, 4096u, 5000u}) {
      for (std::uint64_t seed = 0; seed < 5; ++seed) {
        check<TestType>(testing::hostile_elements<TestType>(kind, count, seed));
        check<TestType>(with_ties<TestType>(count, seed));
      }
    }
  }
}

TEMPLATE_TEST_CASE("location: zeros and NaNs", "", float, double) {
  const TestType nan = std::numeric_limits<TestType>::quiet_NaN();
  const auto minimum = operation<Location<TestType, Minimum>>();
  const auto maximum = operation<Location<TestType, Maximum>>();
  const TestType zeros[] = {0, 1, -TestType(0), 0, -TestType(0)};
  CHECK(minimum.finish(minimum.fold(zeros, 5, 1, 7)).index == 9);
  CHECK(std::signbit(minimum.finish(minimum.fold(zeros, 5, 1, 7)).value));
  const TestType negative[] = {-TestType(0), -1, 0, 0};
  CHECK(maximum.finish(maximum.fold(negative, 4, 1, 7)) == Located<TestType>{0, 9});
  const TestType with_nan[] = {1, -std::numeric_limits<TestType>::infinity(), nan, -nan, 5};
  for (const auto& result :
       {minimum.finish(minimum.fold(with_nan, 5, 1, 0)),
        maximum.finish(maximum.fold(with_nan, 5, 1, 0)), maximum.finish(maximum.value(-nan, 2))}) {
    CHECK(result.index == 2);
    CHECK(std::isnan(result.value));
    CHECK(!std::signbit(result.value));
  }
  // The extreme is in the second block and equals that of the first block except for the sign.
  std::vector<TestType> late(3000, TestType(0));
  late[2300] = -TestType(0);
  check<TestType>(late);
  late[2400] = -nan;
  check<TestType>(late);
}

TEMPLATE_TEST_CASE("location: any split gives the same value", "", std::int32_t, std::int64_t,
                   std::uint32_t, std::uint64_t, float, double) {
  check_splits<Location<TestType, Minimum>>();
  check_splits<Location<TestType, Maximum>>();
}

}  // namespace location_test
