// SPDX-License-Identifier: MIT

#include "bracket/runtime/double_double.hpp"

#include <algorithm>
#include <bit>
#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <span>
#include <vector>

#include "support/catch.hpp"
#include "support/double_double_reference.hpp"
#include "support/hostile.hpp"
#include "support/property.hpp"
#include "support/reference.hpp"

namespace double_double_test {

using namespace bracket;
using namespace bracket::runtime;
using boost::multiprecision::cpp_int;
using testing::bits;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double largest = std::numeric_limits<double>::max();

using testing::ddpdd;
using testing::expected_fold;
using testing::expected_sum;
using testing::Pair;

/// Expected result of a kernel, also for no elements.
Pair expected_tree(std::span<const double> elements) {
  return elements.empty() ? Pair{0, 0} : expected_fold(elements, 1);
}

bool same(const DoubleDouble& value, const Pair& expected) {
  return bits(value.high) == bits(expected.h) && bits(value.low) == bits(expected.l);
}

DoubleDouble folded(std::span<const double> elements, Index chunk = 1) {
  DoubleDoubleSum sum;
  sum.prepare();
  return sum.fold(elements.data(), static_cast<Index>(elements.size()), chunk, 0);
}

double total(std::span<const double> elements) {
  return DoubleDoubleSum().finish(folded(elements));
}

/// `x` in units of 2^-1074.
cpp_int exact(double x) {
  int exponent = 0;
  const double fraction = std::frexp(x, &exponent);
  // A subnormal has fewer digits: the shift to the right drops only zeros.
  const auto digits = static_cast<std::int64_t>(std::ldexp(fraction, 53));
  const int shift = exponent - 53 + 1074;
  const cpp_int magnitude = std::abs(digits);
  const cpp_int shifted = shift >= 0 ? cpp_int(magnitude << shift) : cpp_int(magnitude >> -shift);
  return digits < 0 ? cpp_int(-shifted) : shifted;
}

/// Elements whose sum is smaller than the sum of their magnitudes by a factor of about `condition`.
std::vector<double> ill_conditioned(std::size_t count, double condition, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const double most = std::log2(condition);
  std::vector<double> elements;
  while (elements.size() + 2 < count) {
    const double x = std::ldexp(uniform(random), static_cast<int>(most * uniform(random) / 2));
    elements.push_back(x);
    elements.push_back(-x);
  }
  while (elements.size() < count) {
    elements.push_back(std::ldexp(uniform(random), static_cast<int>(-most / 2)));
  }
  std::shuffle(elements.begin(), elements.end(), random);
  return elements;
}

}  // namespace

TEST_CASE("double-double: the bits of the published addition over the tree and over chunks") {
  for (const auto kind : testing::all_hostile) {
    const auto elements = testing::hostile_elements(kind, 300, 41);
    for (std::size_t count = 1; count <= elements.size(); ++count) {
      for (const std::size_t chunk : {std::size_t{1}, std::size_t{3}, std::size_t{64}, count}) {
        const std::span part(elements.data(), count);
        CAPTURE(static_cast<int>(kind), count, chunk);
        const DoubleDouble value = folded(part, static_cast<Index>(chunk));
        if (!same(value, expected_fold(part, chunk))) FAIL(value.high << " + " << value.low);
      }
    }
  }
}

TEST_CASE("double-double: of finite sums that are not zero the bits are the published ones") {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int i = 0; i < 200'000; ++i) {
    const auto number = [&] {
      const double high = std::ldexp(uniform(random), static_cast<int>(random() % 120));
      return ddpdd({high, 0}, {high * uniform(random) * 0x1p-53, 0});
    };
    Pair a = number();
    Pair b = number();
    if (random() % 4 == 0) b.h = -a.h;  // only the low parts remain
    const Pair published = ddpdd(a, b);
    if (published.h == 0) continue;
    const DoubleDouble sum = DoubleDouble{a.h, a.l} + DoubleDouble{b.h, b.l};
    if (!same(sum, published)) FAIL(a.h << ' ' << a.l << ' ' << b.h << ' ' << b.l);
  }
}

TEST_CASE("double-double: the error is within its bound, whatever the condition") {
  // Each addition rounds twice. The lost part is at most 2^-53 (|left| + |right|) and the left low
  // part at most 2^-53 |left|; their sum is rounded. That sum and the right low part, together at
  // most 2 · 2^-53 (|left| + |right|), are rounded again. Both roundings err by 2^-53: 4 · 2^-106
  // (|left| + |right|). The magnitudes of a level of the tree add up to Σ|x|, except for their own
  // errors, which 1 + 2^-40 covers. So c = 1.
  for (const double condition : {1.0, 1e8, 1e16, 1e20, 1e30}) {
    for (const std::size_t count : {2u, 3u, 10u, 100u, 1000u, 4097u, 20000u}) {
      const auto elements = ill_conditioned(count, condition, count);
      cpp_int sum = 0;
      cpp_int magnitudes = 0;
      for (const double x : elements) {
        sum += exact(x);
        magnitudes += abs(exact(x));
      }
      const double result = total(elements);
      const DoubleDouble value = folded(elements);
      const auto levels = static_cast<int>(std::bit_width(count - 1));
      const cpp_int of_tree = (magnitudes * levels >> 104) + (magnitudes * levels >> 144) + 1;
      CAPTURE(condition, count, result);
      CHECK(abs(exact(value.high) + exact(value.low) - sum) <= of_tree);
      const double ulp = std::nextafter(std::abs(result), infinity) - std::abs(result);
      CHECK(2 * abs(exact(result) - sum) <= 2 * of_tree + exact(ulp));
    }
  }
}

TEST_CASE("double-double: keeps what a double loses") {
  const std::vector<double> small = {1, 0x1p-80, -1};
  CHECK(total(small) == 0x1p-80);
  // 2^100 + 1 has 101 binary digits, 2^110 + 1 has 111.
  CHECK(total(std::vector<double>{0x1p100, 1, -0x1p100}) == 1);
  CHECK(total(std::vector<double>{0x1p110, 1, 0x1p-1, -0x1p110}) == 1.5);
}

TEST_CASE("double-double: the sum of two next to the largest double is exact or overflows") {
  std::mt19937_64 random(1024);
  const auto number = [&] {
    const double below =
        std::ldexp(static_cast<double>(random() % 5), 970 - static_cast<int>(random() % 3));
    const double magnitude = random() % 2 == 0 ? largest - below : below;
    return random() % 2 == 0 ? magnitude : -magnitude;
  };
  for (int i = 0; i < 100'000; ++i) {
    const double a = number();
    const double b = number();
    const DoubleDouble sum = DoubleDouble{a, 0} + DoubleDouble{b, 0};
    if (std::isinf(a + b)) {
      CHECK(same(sum, {a + b, 0}));
    } else if (exact(sum.high) + exact(sum.low) != exact(a) + exact(b)) {
      FAIL(a << " + " << b);
    }
  }
}

TEST_CASE("double-double: infinities, NaN and zeros") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(total(std::vector{infinity, infinity}) == infinity);
  CHECK(total(std::vector{infinity, 1.0, infinity, 2.0, 3.0}) == infinity);
  CHECK(total(std::vector{-infinity, largest, largest}) == -infinity);
  CHECK(total(std::vector{largest, largest}) == infinity);
  CHECK(total(std::vector{largest, largest, -1.0}) == infinity);
  // Here the high parts alone do not overflow, but their sum with the rest does.
  CHECK(total(std::vector{largest, 0x1p970}) == infinity);
  CHECK(total(std::vector{largest, 0x1p970, 1.0}) == infinity);
  CHECK(std::bit_cast<std::uint64_t>(total(std::vector{infinity, -infinity})) ==
        0x7FF8000000000000u);
  CHECK(std::bit_cast<std::uint64_t>(total(std::vector{1.0, -nan})) == 0x7FF8000000000000u);
  CHECK(std::bit_cast<std::uint64_t>(total(std::vector{-nan})) == 0x7FF8000000000000u);
  // For 2^1024 − 2^971 and −3 · 2^970 the published addition gives a NaN.
  CHECK(std::isnan(ddpdd({-0x3p970, 0}, {largest, 0}).h));
  CHECK(total(std::vector{-0x3p970, largest}) == largest - 0x1p971);
  // The lost part next to the largest double is kept: (−1.5 + 1) · 2^971 remains.
  for (const auto& kernel : kernels()) {
    if (!kernel.supported()) continue;
    std::vector<double> elements(64, 0.0);
    elements[0] = -0x3p970;
    elements[1] = largest;
    elements[2] = -(largest - 0x1p971);
    CHECK(same(kernel.double_double(elements.data(), 3), {-0x1p970, 0}));
    CHECK(same(kernel.double_double(elements.data(), 64), {-0x1p970, 0}));
  }

  for (const std::size_t count : {1u, 2u, 3u, 1000u, 5000u}) {
    std::vector<double> zeros(count, -0.0);
    CHECK(bits(total(zeros)) == bits(-0.0));
    zeros[count / 2] = 0.0;
    CHECK(bits(total(zeros)) == bits(0.0));
  }
  CHECK(bits(total(std::vector{1.0, -1.0})) == bits(0.0));
  CHECK(bits(total(std::vector{-1.0, 1.0, -0.0})) == bits(0.0));
}

TEST_CASE("double-double: brackets of the tree, joined, are the tree") {
  testing::property("a bracket and what is behind it", [](std::uint64_t seed) {
    const auto count = *rc::gen::inRange<std::size_t>(2, 700);
    const auto elements = testing::hostile_elements(testing::Hostile::cancelling, count, seed);
    std::size_t left = 1;
    while (2 * left < count) left *= 2;
    const std::span all(elements);
    const DoubleDouble joined =
        DoubleDoubleSum().join(folded(all.first(left)), folded(all.subspan(left)));
    const DoubleDouble whole = folded(all);
    RC_ASSERT(std::memcmp(&joined, &whole, sizeof whole) == 0);
  });
}

TEST_CASE("double-double: every kernel gives the reference's bits for every length and shift") {
  constexpr std::size_t longest = 1100;
  alignas(64) static double room[longest + 8];
  for (const auto kind : testing::all_hostile) {
    const auto source = testing::hostile_elements(kind, longest, 20010301);
    std::vector<Pair> expected;
    for (std::size_t length = 0; length <= longest; ++length) {
      expected.push_back(expected_tree({source.data(), length}));
    }
    for (const auto& kernel : kernels()) {
      if (!kernel.supported()) continue;
      CAPTURE(kernel.name, static_cast<int>(kind));
      for (std::size_t shift = 0; shift < 8; ++shift) {
        std::copy(source.begin(), source.end(), room + shift);
        for (std::size_t length = 0; length <= longest; ++length) {
          const DoubleDouble value = kernel.double_double(room + shift, static_cast<Index>(length));
          if (!same(value, expected[length])) FAIL("length " << length << ", shift " << shift);
        }
      }
    }
  }
}

TEST_CASE("double-double: every kernel gives the reference's bits for long inputs") {
  for (const auto kind : testing::all_hostile) {
    for (const std::size_t length : {2047, 2048, 2049, 4096, 65535, 262144 + 511}) {
      const auto elements = testing::hostile_elements(kind, length, length);
      const Pair expected = expected_tree(elements);
      for (const auto& kernel : kernels()) {
        if (!kernel.supported()) continue;
        CAPTURE(kernel.name, static_cast<int>(kind), length);
        CHECK(same(kernel.double_double(elements.data(), static_cast<Index>(length)), expected));
      }
    }
  }
}

TEST_CASE("double-double: one special element among others, in every kernel") {
  const double specials[] = {infinity, -infinity, largest, -largest, 0x1p970, -0x3p970, 0.0};
  for (const std::size_t length : {16u, 31u, 500u, 4100u}) {
    for (const double other : {-0.0, 1.0, largest, -infinity}) {
      for (const double special : specials) {
        std::vector<double> elements(length, -0.0);
        elements[length / 3] = special;
        elements[length - 2] = other;
        const Pair expected = expected_tree(elements);
        for (const auto& kernel : kernels()) {
          if (!kernel.supported()) continue;
          CAPTURE(kernel.name, length, other, special);
          CHECK(same(kernel.double_double(elements.data(), static_cast<Index>(length)), expected));
        }
      }
    }
  }
}

TEST_CASE("double-double: kernels read no byte outside their input") {
  const auto inner = testing::hostile_elements(testing::Hostile::uniform, 777, 5);
  std::vector<double> framed(inner.size() + 128, std::numeric_limits<double>::quiet_NaN());
  std::copy(inner.begin(), inner.end(), framed.begin() + 64);
  for (const auto& kernel : kernels()) {
    if (!kernel.supported()) continue;
    CAPTURE(kernel.name);
    for (Index length = 0; length <= 777; ++length) {
      const std::vector<double> exactly(inner.begin(),
                                        inner.begin() + length);  // for the sanitizer
      const DoubleDouble value = kernel.double_double(exactly.data(), length);
      CHECK(same(kernel.double_double(framed.data() + 64, length), {value.high, value.low}));
    }
  }
}

// Computed by hand. Neither the order nor the sequence of steps in an addition may change.
TEST_CASE("golden bits of the double-double sum") {
  // (1, 2^-60) and (2^-53, 0): 1 + 2^-53 rounds to 1, and 2^-53 + 2^-60 remains.
  const double elements[] = {1, 0x1p-60, 0x1p-53};
  // The low parts of (1, 2^-54) and (1, 2^-107) add up to the first one: the second is lost.
  const double lost[] = {1, 0x1p-54, 1, 0x1p-107};
  for (const auto& kernel : kernels()) {
    if (!kernel.supported()) continue;
    CAPTURE(kernel.name);
    CHECK(same(kernel.double_double(elements, 3), {0x1.0000000000001p0, -0x1.fcp-54}));
    CHECK(same(kernel.double_double(lost, 4), {2, 0x1p-54}));
  }
}

}  // namespace double_double_test
