// SPDX-License-Identifier: MIT

#include "bracket/runtime/binned.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "bracket/runtime/kernel.hpp"
#include "support/binned_reference.hpp"
#include "support/catch.hpp"
#include "support/hostile.hpp"
#include "support/property.hpp"
#include "support/reference.hpp"

namespace binned_test {

using namespace bracket;
using namespace bracket::runtime;
using testing::bits;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double largest = std::numeric_limits<double>::max();
constexpr double least = std::numeric_limits<double>::denorm_min();

template <int K>
Binned<K> folded(const std::vector<double>& elements) {
  BinnedSum<K> sum;
  sum.prepare();
  return elements.empty() ? Binned<K>()
                          : sum.fold(elements.data(), static_cast<Index>(elements.size()), 1, 0);
}

template <int K = 3>
double summed(const std::vector<double>& elements) {
  return BinnedSum<K>().finish(folded<K>(elements));
}

/// Sum of ranges cut at random. A random kernel folds each range, or its single element is taken as
/// a value. The parts are joined in a random tree and sequence.
template <int K>
Binned<K> joined_at_random(const std::vector<double>& elements, std::mt19937_64& random,
                           int width = Bins::width) {
  std::vector<Binned<K>> parts;
  for (std::size_t begin = 0; begin < elements.size();) {
    const std::size_t size =
        std::min(elements.size() - begin, random() % 40 == 0 ? 1 : random() % 900);
    const Kernel& kernel = kernels()[random() % kernels().size()];
    const BinnedSum<K> sum{kernel.supported() ? &kernel : &select_kernel(), width};
    const auto first = static_cast<Index>(begin);
    if (size == 1) {
      parts.push_back(sum.value(elements[begin], first));
    } else if (size > 1) {
      parts.push_back(sum.fold(elements.data() + begin, static_cast<Index>(size), 1, first));
    } else {
      parts.emplace_back();
    }
    begin += size;
  }
  while (parts.size() > 1) {
    std::swap(parts[random() % parts.size()], parts.back());
    const Binned<K> taken = parts.back();
    parts.pop_back();
    Binned<K>& other = parts[random() % parts.size()];
    other =
        random() % 2 == 0 ? BinnedSum<K>().join(other, taken) : BinnedSum<K>().join(taken, other);
  }
  return parts.empty() ? Binned<K>() : parts.front();
}

/// Doubles with random bits, and multiples of powers of two.
rc::Gen<double> any_double() {
  return rc::gen::oneOf(
      rc::gen::map(rc::gen::arbitrary<std::uint64_t>(),
                   [](std::uint64_t drawn) { return std::bit_cast<double>(drawn); }),
      rc::gen::map(rc::gen::pair(rc::gen::inRange(-3000, 3000), rc::gen::inRange(-1074, 1000)),
                   [](auto drawn) { return std::ldexp(drawn.first, drawn.second); }),
      rc::gen::map(rc::gen::pair(rc::gen::inRange(-99, 99), rc::gen::inRange(-4, 4)),
                   [](auto drawn) { return std::ldexp(drawn.first, 40 * drawn.second); }));
}

}  // namespace

// Bits computed by hand. They must not change, nor may the bins and their units.
TEST_CASE("golden bits of the binned sum") {
  CHECK(bits(summed({1, 0x1p-60, 0x1p-60, -1})) == bits(0x1p-59));
  // 1 lies in bin 0. One bin counts in units of 2, and 1 is half a unit: this tie rounds to 0, and
  // 3 rounds to 4.
  CHECK(bits(summed<1>({1, 0, 0})) == bits(0.0));
  CHECK(bits(summed<1>({1, 3})) == bits(4.0));
  CHECK(bits(summed<2>({1, 3})) == bits(4.0));
  CHECK(bits(summed<1>({std::nextafter(1.0, 0)})) == bits(1.0));  // bin −1, of 2^−39
  // Bins 0, −1 and −2: the unit of the last is 2^−79.
  CHECK(bits(summed({1, 0x1p-79, -1})) == bits(0x1p-79));
  CHECK(bits(summed({1, 0x1p-80, -1})) == bits(0.0));
  CHECK(bits(summed({1, 0x1.8p-79, -1})) == bits(0x1p-78));
  CHECK(bits(summed<2>({1, 0x1.8p-79, -1})) == bits(0.0));
  CHECK(bits(summed<8>({0x1p200, 1, -0x1p200})) == bits(1.0));

  // −5, 2^54 + 1 and 2 units. The numbers are specified, the bytes are not.
  const auto sum = folded<3>({-0x1.4p3, 0x1p-25, 0x1p-38, 0x1p-78});
  CHECK(sum.top == 0);
  CHECK(sum.digits[0].low == static_cast<std::uint64_t>(-5));
  CHECK(sum.digits[0].high == ~std::uint64_t{0});
  CHECK(sum.digits[1].low == 0x4002);
  CHECK(sum.digits[2].low == 2);
}

TEST_CASE("zeros, NaNs and infinities of the binned sum") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(bits(summed({})) == bits(0.0));
  CHECK(bits(summed({-0.0, -0.0})) == bits(-0.0));
  CHECK(bits(summed(std::vector<double>(3000, -0.0))) == bits(-0.0));
  CHECK(bits(summed({-0.0, 0.0, -0.0})) == bits(0.0));
  CHECK(bits(summed({1, -0.0, -1})) == bits(0.0));
  CHECK(bits(summed({-1, -0.0, 1})) == bits(0.0));
  CHECK(summed({1, infinity, largest}) == infinity);
  CHECK(summed({-infinity, 1, -infinity}) == -infinity);
  for (const auto& elements : std::vector<std::vector<double>>{
           {1, nan}, {-nan}, {infinity, 1, -infinity}, {nan, infinity}, {-0.0, -nan}}) {
    CHECK(std::bit_cast<std::uint64_t>(summed(elements)) == 0x7FF8000000000000u);
  }
  // Joining an empty sum changes no result.
  const BinnedSum<3> sum;
  CHECK(bits(sum.finish(sum.join({}, sum.value(-0.0, 0)))) == bits(-0.0));
  CHECK(bits(sum.finish(sum.join({}, {}))) == bits(0.0));
}

TEST_CASE("the binned sum overflows only if the sum does") {
  CHECK(summed({largest, largest, -largest}) == largest);
  CHECK(summed({largest, largest}) == infinity);
  CHECK(summed({-largest, -largest}) == -infinity);
  // Half an ulp of the largest double is 2^970. The unit of the last bin is 2^921 for three bins
  // and 2^961 for two.
  CHECK(summed({largest, 0x1p970}) == infinity);
  CHECK(summed({largest, 0x1p970 - 0x1p921}) == largest);
  CHECK(summed({-largest, -0x1p970}) == -infinity);
  CHECK(summed({-largest, -0x1.fp969}) == -largest);
  CHECK(summed({largest, 0x1p970, -0x1p922}) == largest);
  CHECK(summed<2>({largest, 0x1p970, -0x1p922}) == infinity);
}

TEST_CASE("the binned sum of subnormal numbers is exact") {
  CHECK(summed({least, least, least}) == 3 * least);
  CHECK(summed<1>({least, least, least}) == 3 * least);
  CHECK(summed({-least, least}) == 0);
  CHECK(summed<8>({0x1p-1022, -least}) == 0x1p-1022 - least);
  CHECK(summed({0x1p-1000, least, -0x1p-1000}) == least);
}

TEST_CASE("any permutation, split and tree gives the same binned sum, byte for byte") {
  std::mt19937_64 random(20150801);
  for (const auto& kind : testing::binned_kinds) {
    CAPTURE(kind.name);
    auto elements = kind.elements(2500, 5);
    testing::for_each_bins([&](auto bins) {
      const auto expected = folded<bins>(elements);
      for (int repetition = 0; repetition < 25; ++repetition) {
        std::shuffle(elements.begin(), elements.end(), random);
        const auto again = joined_at_random<bins>(elements, random);
        if (std::memcmp(&again, &expected, sizeof expected) != 0) FAIL(bins << " bins");
      }
    });
  }
}

TEST_CASE("properties of the binned sum") {
  testing::property("it is the definition's in any sequence and tree", [](std::uint64_t seed) {
    auto elements = *rc::gen::container<std::vector<double>>(any_double());
    std::mt19937_64 random(seed);
    testing::for_each_bins([&](auto bins) {
      const int width = *rc::gen::inRange<int>(Bins::least_width, Bins::most_width + 1);
      const double expected = testing::binned_sum(elements, bins, 1, width);
      std::shuffle(elements.begin(), elements.end(), random);
      const auto sum = joined_at_random<bins>(elements, random, width);
      RC_ASSERT(bits(BinnedSum<bins>{nullptr, width}.finish(sum)) == bits(expected));
    });
  });
  testing::property("join is associative and commutative, of nothing too", [] {
    const auto any = rc::gen::map(rc::gen::container<std::vector<double>>(any_double()),
                                  [](const std::vector<double>& x) { return folded<3>(x); });
    const auto [a, b, c] = *rc::gen::tuple(any, any, any);
    const BinnedSum<3> sum;
    RC_ASSERT(sum.join(sum.join(a, b), c) == sum.join(a, sum.join(b, c)));
    RC_ASSERT(sum.join(a, b) == sum.join(b, a));
    RC_ASSERT(sum.join(a, Binned<3>()) == a);
  });
}

TEST_CASE("the binned sum's error is within its bound, whatever the condition") {
  std::mt19937_64 random(3);
  for (int digits = 0; digits <= 30; ++digits) {
    // The condition number is about 10^digits, since the elements that do not cancel are smaller by
    // this.
    const int cancelled = static_cast<int>(digits * 3.33);
    std::vector<double> elements;
    for (int i = 0; i < 500; ++i) {
      const double large = testing::with_exponent(testing::one_of(-4, 0, random), random);
      elements.insert(elements.end(), {large, -large, testing::with_exponent(-cancelled, random)});
    }
    std::shuffle(elements.begin(), elements.end(), random);
    const testing::Exact exact = testing::exact_sum(elements);
    const testing::Exact largest_magnitude = testing::exact(testing::largest_magnitude(elements));
    testing::for_each_bins([&](auto bins) {
      CAPTURE(digits, static_cast<int>(bins));
      const testing::Exact result = testing::exact(summed<bins>(elements));
      const testing::Exact bound = (elements.size() * largest_magnitude) >> (40 * (bins - 1));
      const testing::Exact half_ulp =
          result == 0 ? testing::Exact(0) : testing::power_of_two(testing::last_place(result) - 1);
      CHECK(abs(testing::Exact(result - exact)) <= bound + half_ulp);
      if (bins >= 5) CHECK(bits(summed<bins>(elements)) == bits(testing::nearest(exact)));
    });
  }
}

TEST_CASE("binned sums of more elements than memory holds") {
  for (const auto& kind : testing::binned_kinds) {
    CAPTURE(kind.name);
    const auto elements = kind.elements(1001, 17);
    testing::for_each_bins([&](auto bins) {
      auto sum = folded<bins>(elements);
      testing::Exact times = 1;
      for (int doubling = 0; doubling < 60; ++doubling) {
        sum = BinnedSum<bins>().join(sum, sum);
        times *= 2;
      }
      CHECK(bits(BinnedSum<bins>().finish(sum)) ==
            bits(testing::binned_sum(elements, bins, times)));
    });
  }
}

}  // namespace binned_test
