// SPDX-License-Identifier: MIT

#include "bracket/support/exact_sum.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "support/catch.hpp"
#include "support/exact.hpp"
#include "support/hostile.hpp"
#include "support/property.hpp"
#include "support/reference.hpp"

namespace exact_sum_test {

using namespace bracket;
using support::ExactSum;
using support::Rounding;
using testing::bits;
using testing::Exact;
using testing::property;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double largest = std::numeric_limits<double>::max();

ExactSum sum_of(const std::vector<double>& elements) {
  ExactSum sum;
  for (const double element : elements) sum.add(element);
  return sum;
}

double nearest_sum(const std::vector<double>& elements) {
  return sum_of(elements).rounded<double>();
}

/// Largest float of at most `number`, from the nearest one.
template <class Number>
Number rounded_down(const Exact& number) {
  const auto near = testing::nearest<Number>(number);
  if (std::isinf(near)) return near > 0 ? std::numeric_limits<Number>::max() : near;
  return testing::exact(near) <= number
             ? near
             : std::nextafter(near, -std::numeric_limits<Number>::infinity());
}

template <class Number>
void check(const ExactSum& sum, const Exact& expected) {
  CHECK(sum.rounded<Number>() == testing::nearest<Number>(expected));
  CHECK(sum.rounded<Number>(Rounding::down) == rounded_down<Number>(expected));
  CHECK(sum.rounded<Number>(Rounding::up) == -rounded_down<Number>(-expected));
}

/// Numbers of any exponent and of some places.
std::vector<double> any_numbers(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<double> numbers(count);
  const int span = 1 + static_cast<int>(random() % 2000);
  for (double& number : numbers) {
    const int places = 1 + static_cast<int>(random() % 53);
    const auto significand = static_cast<double>(random() >> (64 - places));
    number = std::ldexp(random() % 2 == 0 ? significand : -significand,
                        static_cast<int>(random() % static_cast<unsigned>(span)) - 1074);
  }
  return numbers;
}

}  // namespace

TEST_CASE("exact sum: rounded once in each direction, for float64 and float32") {
  property("for numbers of any exponent", [](std::uint64_t seed) {
    const auto elements = any_numbers(1 + seed % 300, seed);
    const Exact expected = testing::exact_sum(elements);
    check<double>(sum_of(elements), expected);
    check<float>(sum_of(elements), expected);
  });
  for (const auto kind : testing::all_hostile) {
    if (kind == testing::Hostile::specials || kind == testing::Hostile::negative_zeros) continue;
    for (const std::size_t count : {1, 2, 50, 3000}) {
      const auto elements = testing::hostile_elements(kind, count, count);
      check<double>(sum_of(elements), testing::exact_sum(elements));
      check<float>(sum_of(elements), testing::exact_sum(elements));
    }
  }
}

TEST_CASE("exact sum: sums of parts add up to the sum of all") {
  property("for numbers of any exponent", [](std::uint64_t seed) {
    const auto elements = any_numbers(2 + seed % 100, seed);
    ExactSum parts[3];
    for (std::size_t i = 0; i < elements.size(); ++i) parts[i % 3].add(elements[i]);
    ExactSum all;
    for (const ExactSum& part : parts) all.add(part);
    all.add(elements[0]);
    all.subtract(elements[0]);
    RC_ASSERT(bits(all.rounded<double>()) == bits(nearest_sum(elements)));
  });
}

TEST_CASE("exact sum: ties, subnormals and the largest number") {
  CHECK(nearest_sum({1, 0x1p-53}) == 1);
  CHECK(nearest_sum({1, 0x1p-53, 0x1p-1074}) == 1 + 0x1p-52);
  CHECK(nearest_sum({1 + 0x1p-52, 0x1p-53}) == 1 + 0x1p-51);
  CHECK(nearest_sum({-1, -0x1p-53, -0x1p-1074}) == -1 - 0x1p-52);
  CHECK(nearest_sum({0x1p-1074, 0x1p-1074, 0x1p-1022}) == 0x1p-1022 + 0x1p-1073);
  CHECK(nearest_sum({largest, 0x1p969}) == largest);
  CHECK(nearest_sum({largest, 0x1p970}) == infinity);
  CHECK(nearest_sum({largest, 0x1p970, -0x1p-1074}) == largest);
  CHECK(nearest_sum({largest, largest, -largest}) == largest);
  CHECK(nearest_sum({-largest, -largest}) == -infinity);
  const ExactSum large = sum_of({largest, largest});
  CHECK(large.rounded<double>(Rounding::down) == largest);
  CHECK(large.rounded<double>(Rounding::up) == infinity);
  CHECK(large.finite());
  // A float32 is rounded once: rounded to float64 before, this would be a tie.
  CHECK(sum_of({1, 0x1p-24, 0x1p-80}).rounded<float>() == 1 + 0x1p-23F);
  CHECK(sum_of({0x1p-150, 0x1p-200}).rounded<float>() == 0x1p-149F);
}

TEST_CASE("exact sum: zeros, infinities and NaN") {
  CHECK(bits(ExactSum().rounded<double>()) == bits(0.0));
  CHECK(bits(nearest_sum({-0.0, -0.0})) == bits(-0.0));
  CHECK(bits(nearest_sum({-0.0, 0.0})) == bits(0.0));
  CHECK(bits(nearest_sum({5, -5})) == bits(0.0));
  CHECK(bits(sum_of({-0.0}).rounded<float>()) == bits(-0.0F));
  CHECK(nearest_sum({1, infinity}) == infinity);
  CHECK(nearest_sum({-infinity, largest}) == -infinity);
  for (const auto& elements :
       {std::vector{infinity, -infinity}, {1, -std::numeric_limits<double>::quiet_NaN()}}) {
    const double sum = nearest_sum(elements);
    CHECK(std::bit_cast<std::uint64_t>(sum) == 0x7FF8000000000000u);
    CHECK_FALSE(sum_of(elements).finite());
  }
  ExactSum joined = sum_of({infinity});
  joined.add(sum_of({-infinity}));
  CHECK(std::isnan(joined.rounded<double>()));
}

TEST_CASE("exact sum: carries of many additions are not lost") {
  ExactSum sum;
  const double element = 0x1.fffffffffffffp30;
  ExactSum power = sum_of({element});
  // 2^40 additions, by doubling.
  for (int i = 0; i < 40; ++i) {
    const ExactSum half = power;
    power.add(half);
  }
  sum.add(power);
  CHECK(sum.rounded<double>() == element * 0x1p40);
  sum.subtract(element * 0x1p40);
  CHECK(bits(sum.rounded<double>()) == bits(0.0));
}

TEST_CASE("exact sum: a scaled sum has no limit of its exponent") {
  const support::Scaled large = sum_of({largest, largest, largest, largest}).scaled();
  CHECK(large.fraction == 0x1.fffffffffffffp-1);
  CHECK(large.exponent == 1026);
  const support::Scaled least = sum_of({-0x1p-1074}).scaled();
  CHECK(least.fraction == -0.5);
  CHECK(least.exponent == -1073);
  CHECK(large / large == 1);
  CHECK(sum_of({3}).scaled() / sum_of({-0x1p-1074}).scaled() == -infinity);
  CHECK(sum_of({3 * 0x1p-1074}).scaled() / least == -3);
  CHECK(sum_of({}).scaled().fraction == 0);
  // 2^53 + 1 is a tie, and so is the next odd number.
  CHECK(sum_of({0x1p53, 1}).scaled().fraction == 0.5);
  CHECK(sum_of({0x1p53, 3}).scaled().fraction == 0.5 + 0x1p-52);
}

}  // namespace exact_sum_test
