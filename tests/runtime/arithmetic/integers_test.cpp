// SPDX-License-Identifier: MIT

#include "bracket/runtime/integers.hpp"

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <cstring>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "support/catch.hpp"
#include "support/property.hpp"

namespace integers_test {

using namespace bracket;
using namespace bracket::runtime;
using boost::multiprecision::cpp_int;

namespace {

/// Kinds of elements: any bits, near the extremes, small, and those whose products stay small.
enum class Kind { any, extreme, small, units };
constexpr Kind all_kinds[] = {Kind::any, Kind::extreme, Kind::small, Kind::units};

template <class Integer>
std::vector<Integer> integers(Kind kind, std::size_t count, std::uint64_t seed) {
  using Limits = std::numeric_limits<Integer>;
  std::mt19937_64 random(seed);
  std::vector<Integer> elements(count);
  for (auto& element : elements) {
    const std::uint64_t bits = random();
    switch (kind) {
      case Kind::any:
        element = static_cast<Integer>(bits);
        break;
      case Kind::extreme:
        element = static_cast<Integer>(bits % 2 == 0 ? Limits::min() + Integer(bits >> 1 & 3)
                                                     : Limits::max() - Integer(bits >> 1 & 3));
        break;
      case Kind::small:
        element = static_cast<Integer>(bits % 5) - 2;
        break;
      case Kind::units:
        element = bits % 64 == 0 ? 2 : bits % 2 == 0 ? -1 : 1;
        break;
    }
  }
  return elements;
}

template <class Integer>
cpp_int exact_sum(std::span<const Integer> elements) {
  cpp_int sum = 0;
  for (const Integer x : elements) sum += x;
  return sum;
}

template <class Integer>
cpp_int exact_product(std::span<const Integer> elements) {
  if (std::find(elements.begin(), elements.end(), 0) != elements.end()) return 0;
  cpp_int product = 1;
  for (const Integer x : elements) product *= x;
  return product;
}

/// `number` modulo 2^bits, in the range of the type.
template <class Integer>
Integer wrapped(const cpp_int& number) {
  const cpp_int modulus = cpp_int(1) << std::numeric_limits<std::make_unsigned_t<Integer>>::digits;
  cpp_int rest = number % modulus;
  if (rest < std::numeric_limits<Integer>::min()) rest += modulus;
  if (rest > std::numeric_limits<Integer>::max()) rest -= modulus;
  return static_cast<Integer>(rest);
}

template <class Operation, class Integer>
typename Operation::Value folded(std::span<const Integer> elements) {
  Operation operation;
  operation.prepare();
  return operation.fold(elements.data(), static_cast<Index>(elements.size()), 1, 0);
}

template <class Operation, class Integer>
Integer reduced(std::span<const Integer> elements) {
  return Operation().finish(folded<Operation>(elements));
}

/// Checks that `Operation` gives `expected` if it fits, and otherwise throws with it in the
/// message.
template <class Operation, class Integer>
void check(std::span<const Integer> elements, const cpp_int& expected, bool tells = true) {
  CAPTURE(elements.size(), sizeof(Integer), expected.str());
  using Limits = std::numeric_limits<Integer>;
  if (expected >= Limits::min() && expected <= Limits::max()) {
    CHECK(reduced<Operation>(elements) == expected);
  } else {
    const auto message = Catch::Contains(std::string("does not fit ") +
                                         (std::is_signed_v<Integer> ? "int" : "uint") +
                                         std::to_string(8 * sizeof(Integer)));
    const auto number = Catch::Contains("it is " + expected.str() + ", ");
    CHECK_THROWS_AS(reduced<Operation>(elements), Error);
    CHECK_THROWS_WITH(reduced<Operation>(elements), message);
    if (tells) CHECK_THROWS_WITH(reduced<Operation>(elements), number);
  }
}

constexpr std::size_t lengths[] = {1,  2,  3,  31,   32,   33,   63,   64,  65,
                                   95, 96, 97, 1000, 1023, 1024, 1025, 3000};

template <class Integer>
void check_wrapping(std::span<const Integer> elements) {
  CAPTURE(elements.size(), sizeof(Integer));
  CHECK(reduced<WrappingReduction<Integer, Sum>>(elements) ==
        wrapped<Integer>(exact_sum(elements)));
  CHECK(reduced<WrappingReduction<Integer, Minimum>>(elements) ==
        *std::min_element(elements.begin(), elements.end()));
  CHECK(reduced<WrappingReduction<Integer, Maximum>>(elements) ==
        *std::max_element(elements.begin(), elements.end()));
  cpp_int product = 1;
  for (const Integer x : elements) product = wrapped<Integer>(product * x);
  CHECK(reduced<WrappingReduction<Integer, Product>>(elements) == product);
}

/// Folds parts of any size and joins them in any bracketing: the bytes must always be equal.
template <class Operation>
void check_splits(const char* name) {
  using Integer = typename Operation::Element;
  using Value = typename Operation::Value;
  static_assert(std::is_trivially_copyable_v<Value>);
  static_assert(std::has_unique_object_representations_v<Value>, "no padding");
  testing::property(name, [](std::uint64_t seed) {
    const auto kind =
        *rc::gen::elementOf(std::vector<Kind>(std::begin(all_kinds), std::end(all_kinds)));
    const auto count = *rc::gen::inRange<std::size_t>(1, 2500);
    auto elements = integers<Integer>(kind, count, seed);
    std::mt19937_64 random(seed);
    if (random() % 2 == 0) elements[random() % count] = 0;
    const std::span<const Integer> all(elements);
    std::vector<Value> parts;
    for (std::size_t begin = 0; begin < count;) {
      const std::size_t size = 1 + random() % std::min<std::size_t>(count - begin, 700);
      parts.push_back(size == 1 ? Operation().value(all[begin], 0)
                                : folded<Operation>(all.subspan(begin, size)));
      begin += size;
    }
    while (parts.size() > 1) {
      const auto left = parts.begin() + static_cast<std::ptrdiff_t>(random() % (parts.size() - 1));
      *left = Operation().join(*left, *(left + 1));
      parts.erase(left + 1);
    }
    const Value whole = folded<Operation>(all);
    RC_ASSERT(std::memcmp(&whole, &parts.front(), sizeof whole) == 0);
  });
}

}  // namespace

TEMPLATE_TEST_CASE("integers: sum, product, minimum and maximum modulo a power of two", "",
                   std::int32_t, std::int64_t, std::uint32_t, std::uint64_t) {
  for (const auto kind : all_kinds) {
    for (const std::size_t count : lengths) {
      check_wrapping<TestType>(integers<TestType>(kind, count, count));
    }
  }
  for (std::size_t count = 1; count <= 200; ++count) {
    check_wrapping<TestType>(integers<TestType>(Kind::any, count, count));
  }
}

TEMPLATE_TEST_CASE("integers: a checked sum is exact or an error that tells it", "", std::int32_t,
                   std::int64_t, std::uint32_t, std::uint64_t) {
  for (const auto kind : all_kinds) {
    for (const std::size_t count : lengths) {
      const auto elements = integers<TestType>(kind, count, count);
      check<CheckedSum<TestType>, TestType>(elements, exact_sum<TestType>(elements));
    }
  }
}

TEMPLATE_TEST_CASE("integers: a checked sum at the ends of the range", "", std::int32_t,
                   std::int64_t) {
  using Limits = std::numeric_limits<TestType>;
  const TestType least = Limits::min();
  const TestType most = Limits::max();
  for (const std::vector<TestType>& elements :
       std::vector<std::vector<TestType>>{{most},
                                          {least},
                                          {most, 1},
                                          {least, -1},
                                          {most, 1, -1},
                                          {least, -1, 1},
                                          {most, -1, 1},
                                          {most, most, most, least, least},
                                          {least, least, most, most, 2},
                                          {least, least},
                                          std::vector<TestType>(5000, most),
                                          std::vector<TestType>(5000, least)}) {
    check<CheckedSum<TestType>, TestType>(elements, exact_sum<TestType>(elements));
  }
  std::vector<TestType> there_and_back(5000, most);
  there_and_back.insert(there_and_back.end(), 5000, -most);
  CHECK(reduced<CheckedSum<TestType>, TestType>(there_and_back) == 0);
}

TEST_CASE("integers: a sum of 2^63 elements is still exact") {
  // Partials doubled 62 times, since no memory holds so many elements.
  const CheckedSum<std::int64_t> sum;
  auto value = sum.value(std::numeric_limits<std::int64_t>::min(), 0);
  cpp_int expected = std::numeric_limits<std::int64_t>::min();
  for (int i = 0; i < 62; ++i) {
    value = sum.join(value, value);
    expected *= 2;
    CHECK_THROWS_WITH(sum.finish(value), Catch::Contains("it is " + expected.str() + ", "));
  }
}

TEMPLATE_TEST_CASE("integers: a checked product is exact or an error", "", std::int32_t,
                   std::int64_t, std::uint32_t, std::uint64_t) {
  for (const auto kind : all_kinds) {
    for (const std::size_t count : lengths) {
      // The operation does not know exact products beyond 2^64.
      const auto elements = integers<TestType>(kind, count, count);
      check<CheckedProduct<TestType>, TestType>(elements, exact_product<TestType>(elements), false);
    }
  }
}

TEMPLATE_TEST_CASE("integers: checked results of no sign at the end of the range", "",
                   std::uint32_t, std::uint64_t) {
  const TestType most = std::numeric_limits<TestType>::max();
  const TestType root = TestType(1) << 4 * sizeof(TestType);  // its square is most + 1
  for (const std::vector<TestType>& elements :
       std::vector<std::vector<TestType>>{{0},
                                          {most},
                                          {most, 0},
                                          {most, 1},
                                          {1, most},
                                          {most, most},
                                          {root, root},
                                          {root, root - 1},
                                          {root - 1, root + 1},  // most
                                          {root, root, 0},
                                          std::vector<TestType>(5000, most)}) {
    check<CheckedSum<TestType>, TestType>(elements, exact_sum<TestType>(elements));
    check<CheckedProduct<TestType>, TestType>(elements, exact_product<TestType>(elements), false);
  }
}

TEMPLATE_TEST_CASE("integers: a checked product at the ends of the range", "", std::int32_t,
                   std::int64_t) {
  using Limits = std::numeric_limits<TestType>;
  const TestType least = Limits::min();
  const TestType most = Limits::max();
  const TestType half = least / 2;
  for (const std::vector<TestType>& elements : std::vector<std::vector<TestType>>{{least},
                                                                                  {most},
                                                                                  {least, 1},
                                                                                  {half, 2},
                                                                                  {2, half},
                                                                                  {-half, 2},
                                                                                  {-half, -2},
                                                                                  {half, -2},
                                                                                  {least, -1},
                                                                                  {most, -1},
                                                                                  {least, least},
                                                                                  {least, least, 0},
                                                                                  {0, least, least},
                                                                                  {least, 0, least},
                                                                                  {least, -1, 0}}) {
    check<CheckedProduct<TestType>, TestType>(elements, exact_product<TestType>(elements), false);
  }
  std::vector<TestType> many(5000, most);
  CHECK_THROWS_WITH((reduced<CheckedProduct<TestType>, TestType>(many)),
                    Catch::Contains("it is beyond 18446744073709551615, "));
  many[4000] = -1;
  CHECK_THROWS_WITH((reduced<CheckedProduct<TestType>, TestType>(many)),
                    Catch::Contains("it is beyond -18446744073709551615, "));
  many[4999] = 0;
  CHECK(reduced<CheckedProduct<TestType>, TestType>(many) == 0);
  CHECK_THROWS_WITH((reduced<CheckedProduct<TestType>, TestType>(std::vector{half, TestType(-2)})),
                    Catch::Contains("it is " + text(std::uint64_t(most) + 1) + ", "));
}

TEMPLATE_TEST_CASE("integers: any split gives the same value", "", std::int32_t, std::int64_t,
                   std::uint32_t, std::uint64_t) {
  check_splits<WrappingReduction<TestType, Sum>>("wrapping sum");
  check_splits<WrappingReduction<TestType, Product>>("wrapping product");
  check_splits<WrappingReduction<TestType, Minimum>>("minimum");
  check_splits<WrappingReduction<TestType, Maximum>>("maximum");
  check_splits<CheckedSum<TestType>>("checked sum");
  check_splits<CheckedProduct<TestType>>("checked product");
}

namespace {

/// Result of an operation over the products of elements and factors.
template <class Operation, class Integer>
Integer of_products(const std::vector<Integer>& x, const std::vector<Integer>& y) {
  using Wide = WideInteger<Integer>;
  std::vector<Wide> products;
  for (std::size_t i = 0; i < x.size(); ++i) products.push_back(Wide(x[i]) * y[i]);
  const Operation operation;
  const auto half = static_cast<Index>(products.size() / 2);
  const auto rest = static_cast<Index>(products.size()) - half;
  const auto right = operation.fold(products.data() + half, rest, 1, half);
  if (half == 0) return operation.finish(right);
  return operation.finish(operation.join(operation.fold(products.data(), half, 1, 0), right));
}

template <class Operation, class Integer>
void check_products(const cpp_int& exact, const std::vector<Integer>& x,
                    const std::vector<Integer>& y) {
  using Limits = std::numeric_limits<Integer>;
  if (exact < Limits::min() || exact > Limits::max()) {
    CHECK_THROWS_WITH((of_products<Operation, Integer>(x, y)),
                      Catch::Contains("it is " + exact.str() + ", "));
  } else {
    CHECK(of_products<Operation, Integer>(x, y) == exact);
  }
}

}  // namespace

TEMPLATE_TEST_CASE("integers: products that need not fit", "", std::int32_t, std::int64_t,
                   std::uint32_t, std::uint64_t) {
  for (const Kind kind : all_kinds) {
    for (const std::size_t count : {1, 2, 3, 10, 1000}) {
      const auto x = integers<TestType>(kind, count, 3 * count);
      const auto y = integers<TestType>(kind, count, 3 * count + 1);
      cpp_int sum = 0;
      std::vector<cpp_int> products;
      for (std::size_t i = 0; i < count; ++i) {
        products.push_back(cpp_int(x[i]) * y[i]);
        sum += products.back();
      }
      CAPTURE(static_cast<int>(kind), count);
      check_products<CheckedSumOfProducts<TestType>>(sum, x, y);
      check_products<CheckedExtremeOfProducts<TestType, Minimum>>(
          *std::min_element(products.begin(), products.end()), x, y);
      check_products<CheckedExtremeOfProducts<TestType, Maximum>>(
          *std::max_element(products.begin(), products.end()), x, y);
    }
  }
}

}  // namespace integers_test
