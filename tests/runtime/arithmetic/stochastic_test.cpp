// SPDX-License-Identifier: MIT

#include "bracket/runtime/stochastic.hpp"

#include <cfenv>
#include <cmath>
#include <limits>
#include <random>
#include <set>

#include "support/catch.hpp"
#include "support/hostile.hpp"
#include "support/reference.hpp"

namespace stochastic_test {

using namespace bracket;
using namespace bracket::runtime;
using testing::bits;

namespace {

/// The sum by the processor's own rounding mode.
template <class Number>
Number sum_in_mode(int mode, Number left, Number right) {
  const volatile Number a = left;
  const volatile Number b = right;
  const int before = std::fegetround();
  std::fesetround(mode);
  const volatile Number sum = a + b;
  std::fesetround(before);
  return sum;
}

}  // namespace

TEMPLATE_TEST_CASE("stochastic: a directed sum is that of the processor's rounding mode", "", float,
                   double) {
  using Limits = std::numeric_limits<TestType>;
  for (const auto kind : testing::all_hostile) {
    if (kind == testing::Hostile::specials) continue;
    const auto x = testing::hostile_elements<TestType>(kind, 1000, 1);
    const auto y = testing::hostile_elements<TestType>(kind, 1000, 2);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const TestType nearest = x[i] + y[i];
      if (nearest == 0) continue;  // the processor's zero has the sign of the mode
      CAPTURE(x[i], y[i]);
      CHECK(bits(directed_sum(x[i], y[i], true)) == bits(sum_in_mode(FE_UPWARD, x[i], y[i])));
      CHECK(bits(directed_sum(x[i], y[i], false)) == bits(sum_in_mode(FE_DOWNWARD, x[i], y[i])));
    }
  }
  for (const bool up : {false, true}) {
    CHECK(bits(directed_sum<TestType>(-0.0, -0.0, up)) == bits(TestType(-0.0)));
    CHECK(bits(directed_sum<TestType>(1, -1, up)) == bits(TestType(0)));
    CHECK(directed_sum(Limits::max(), Limits::max(), up) == Limits::infinity());
    CHECK(directed_sum(Limits::infinity(), TestType(1), up) == Limits::infinity());
    CHECK(std::isnan(directed_sum(Limits::infinity(), -Limits::infinity(), up)));
  }
}

TEST_CASE("stochastic: random words have independent bits with probability 1/2") {
  // Each count is binomial with n = 4096: 6 standard deviations are 192.
  constexpr int words = 4096;
  int ones[64] = {};
  int equal[64] = {};
  std::set<std::uint64_t> different;
  for (Index begin = 0; begin < 64; ++begin) {
    for (Index size = 1; size <= 64; ++size) {
      const std::uint64_t word = random_word(begin, begin + size);
      const std::uint64_t next = random_word(begin, begin + size + 1);
      different.insert(word);
      for (int i = 0; i < 64; ++i) {
        ones[i] += static_cast<int>(word >> i & 1);
        equal[i] += static_cast<int>((word ^ next) >> i & 1);
      }
    }
  }
  CHECK(different.size() == words);
  for (int i = 0; i < 64; ++i) {
    CAPTURE(i);
    CHECK(std::abs(ones[i] - words / 2) < 192);
    CHECK(std::abs(equal[i] - words / 2) < 192);
  }
}

TEST_CASE("stochastic: the complete brackets of 32 elements have all bits of a word but two") {
  for (const Index first : {0, 32, 4096}) {
    const std::uint64_t word = random_word(first, first + 32);
    int place = 0;
    for (Index size = 32; size > 1; size /= 2) {
      for (Index begin = first; begin < first + 32; begin += size) {
        CHECK(directions_of(begin, begin + size) == (word >> place & 3));
        place += 2;
      }
    }
    CHECK(place == 62);
  }
  // Other brackets have words of their own.
  CHECK(directions_of(0, 3) == (random_word(0, 3) & 3));
  CHECK(directions_of(1, 3) == (random_word(1, 3) & 3));
  CHECK(directions_of(0, 64) == (random_word(0, 64) & 3));
}

TEST_CASE("golden bits of random words") {
  // SplitMix64's function of the increment is the first output of the generator with the seed 0.
  CHECK(random_word(0, 0) == support::split_mix(0xE220A8397B1DCDAFu));
  CHECK(random_word(0, 2) == 0xB382A305F4414F5Eu);
  CHECK(random_word(1024, 2048) == 0x58CC048726FB8EBu);
}

TEST_CASE("stochastic: an inexact addition never gives three equal samples") {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> uniform(1, 2);
  int first_up = 0;
  for (Index i = 0; i < 1000; ++i) {
    const double x = uniform(random);
    const double y = uniform(random) * 0x1p-30;
    const auto left = StochasticValue<double>::of(x, i);
    const auto sum = left + StochasticValue<double>::of(y, i + 1);
    const double up = sum_in_mode(FE_UPWARD, x, y);
    const double down = sum_in_mode(FE_DOWNWARD, x, y);
    if (up == down) continue;
    for (const double sample : sum.samples) CHECK((sample == up || sample == down));
    CHECK(sum.samples[1] != sum.samples[2]);
    CHECK((sum.begin == i && sum.end == i + 2));
    if (sum.samples[0] == up) ++first_up;
  }
  CHECK(std::abs(first_up - 500) < 100);
}

TEST_CASE("stochastic: cancellations lose four digits that the operands had") {
  using Value = StochasticValue<double>;
  const auto sum = [](std::initializer_list<double> elements) {
    Index i = 0;
    Value all = Value::of(*elements.begin(), i++);
    for (const double* x = elements.begin() + 1; x != elements.end(); ++x) {
      all = all + Value::of(*x, i++);
    }
    return all;
  };
  CHECK(sum({1, -1}).cancellations == 0);                     // exact operands
  CHECK(sum({1e16, 1, -1e16}).cancellations == 1);            // all digits
  CHECK(sum({1, 0x1p-60, -1 + 0x1p-9}).cancellations == 0);   // 9 bits
  CHECK(sum({1, 0x1p-60, -1 + 0x1p-20}).cancellations == 1);  // 20 bits
  CHECK(sum({1e16, 1, -1e16, 5, 1e16, 1, -1e16}).cancellations >= 2);
  CHECK(common_bits<double>({1, 1, 1}) == 53);
  CHECK(common_bits<double>({1, 1 + 0x1p-52, 1}) == 52);
  CHECK(common_bits<double>({1, 1, 1.5}) == 1);
  CHECK(common_bits<double>({1, -7, 1}) == 0);
  CHECK(common_bits<float>({1, 1, 1}) == 24);
}

TEST_CASE("stochastic: the mean of samples keeps equal ones and does not overflow") {
  constexpr double largest = std::numeric_limits<double>::max();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  CHECK(mean_of({1, 2, 6}) == 3);
  CHECK(bits(mean_of({-0.0, -0.0, -0.0})) == bits(-0.0));
  CHECK(mean_of({0.1, 0.1, 0.1}) == 0.1);
  CHECK(mean_of({largest, largest, std::nextafter(largest, 0)}) <= largest);
  CHECK(mean_of({infinity, largest, largest}) == infinity);
  CHECK(std::isnan(mean_of({infinity, -infinity, 1})));
}

TEST_CASE("stochastic: digits by Student's test") {
  constexpr double most = 15.95;
  // The standard deviation is 1: log10(√3 · 100 / 4.30265).
  CHECK(estimated_digits({99, 100, 101}, most) == Catch::Approx(1.60481).epsilon(1e-5));
  CHECK(estimated_digits({-99, -101, -100}, most) == Catch::Approx(1.60481).epsilon(1e-5));
  CHECK(estimated_digits({99e-320, 100e-320, 101e-320}, most) ==
        Catch::Approx(1.60481).epsilon(1e-2));
  CHECK(estimated_digits({99e306, 100e306, 101e306}, most) == Catch::Approx(1.60481).epsilon(1e-5));
  CHECK(estimated_digits({1, 2, 3}, most) == 0);  // log10(0.805) < 0
  CHECK(estimated_digits({5, 5, 5}, most) == most);
  CHECK(estimated_digits({0, 0, 0}, most) == most);
  CHECK(estimated_digits({-1, 0, 1}, most) == 0);
  CHECK(estimated_digits({1, 1, std::numeric_limits<double>::infinity()}, most) == 0);
}

}  // namespace stochastic_test
