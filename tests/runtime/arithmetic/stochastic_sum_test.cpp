// SPDX-License-Identifier: MIT

#include "bracket/runtime/stochastic_sum.hpp"

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "bracket/runtime/kernel.hpp"
#include "support/catch.hpp"
#include "support/hostile.hpp"
#include "support/property.hpp"
#include "support/reference.hpp"

namespace stochastic_sum_test {

using namespace bracket;
using namespace bracket::runtime;
using testing::bits;
using Value = StochasticValue<double>;

namespace {

bool same(const Value& left, const Value& right) {
  for (int i = 0; i < 3; ++i) {
    if (bits(left.samples[i]) != bits(right.samples[i])) return false;
  }
  return left.cancellations == right.cancellations && left.begin == right.begin &&
         left.end == right.end;
}

std::uint64_t mixed(std::uint64_t word) {
  word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9u;
  word = (word ^ (word >> 27)) * 0x94D049BB133111EBu;
  return word ^ (word >> 31);
}

std::uint64_t word_of(std::uint64_t begin, std::uint64_t end) {
  constexpr std::uint64_t increment = 0x9E3779B97F4A7C15u;
  return mixed(mixed(begin + increment) + end * increment);
}

/// Directions by a search in the list of complete brackets of 32 elements, from the root on.
std::uint64_t expected_directions(Index begin, Index end) {
  const Index first = begin / 32 * 32;
  int place = 0;
  for (Index size = 32; size > 1; size /= 2) {
    for (Index from = first; from < first + 32; from += size, place += 2) {
      if (from != begin || from + size != end) continue;
      return word_of(static_cast<std::uint64_t>(first), static_cast<std::uint64_t>(first) + 32) >>
                 place &
             3;
    }
  }
  return word_of(static_cast<std::uint64_t>(begin), static_cast<std::uint64_t>(end)) & 3;
}

/// The sum in a rounding mode of the processor, except for infinities, NaN and zeros.
double expected_sum(double left, double right, bool up) {
  const volatile double a = left;
  const volatile double b = right;
  const double nearest = a + b;
  if (!std::isfinite(nearest) || nearest == 0) return nearest;
  const int before = std::fegetround();
  std::fesetround(up ? FE_UPWARD : FE_DOWNWARD);
  const volatile double sum = a + b;
  std::fesetround(before);
  return sum;
}

int expected_common(const Value& value) {
  const double of_second = std::abs(value.samples[1] - value.samples[0]);
  const double of_third = std::abs(value.samples[2] - value.samples[0]);
  if (std::isnan(of_second) || std::isnan(of_third)) return 53;
  const double spread = std::max(of_second, of_third);
  const double sample = value.samples[0];
  if (spread == 0) return 53;
  const auto exponent = [](double x) {
    if (!std::isfinite(x)) return 1024;
    return std::abs(x) < 0x1p-1022 ? -1023 : std::ilogb(x);
  };
  return std::clamp(exponent(sample) - exponent(spread), 0, 53);
}

/// The fold from the top: the left part is the largest power of two below the size.
Value expected_fold(std::span<const double> elements, Index index) {
  const auto count = static_cast<Index>(elements.size());
  if (count == 1) return {{elements[0], elements[0], elements[0]}, 0, index, index + 1};
  Index middle = 1;
  while (2 * middle < count) middle *= 2;
  const auto part = static_cast<std::size_t>(middle);
  const Value left = expected_fold(elements.first(part), index);
  const Value right = expected_fold(elements.subspan(part), index + middle);
  const std::uint64_t up = expected_directions(index, index + count);
  const bool ups[] = {(up & 1) != 0, (up & 2) != 0, (up & 2) == 0};
  Value sum{{}, left.cancellations + right.cancellations, index, index + count};
  for (int i = 0; i < 3; ++i) {
    sum.samples[i] = expected_sum(left.samples[i], right.samples[i], ups[i]);
  }
  const int before = std::min(expected_common(left), expected_common(right));
  if (before - expected_common(sum) >= 13) ++sum.cancellations;
  return sum;
}

const Kernel& scalar() { return select_kernel("scalar"); }

}  // namespace

TEST_CASE("stochastic sum: the reference kernel gives the bits of the definition") {
  for (const auto kind : testing::all_hostile) {
    const auto elements = testing::hostile_elements(kind, 5000, 7);
    for (const Index index : {0, 32, 4096, 5, 48}) {
      for (const std::size_t count :
           {1, 2, 3, 4, 5, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 127, 128, 1000, 4999}) {
        CAPTURE(static_cast<int>(kind), index, count);
        const Value expected = expected_fold(std::span(elements).first(count), index);
        CHECK(
            same(scalar().stochastic(elements.data(), static_cast<Index>(count), index), expected));
      }
    }
  }
  CHECK(scalar().stochastic(nullptr, 0, 5).cancellations == 0);
}

TEST_CASE("stochastic sum: every kernel gives the reference's bits for every length and shift") {
  constexpr std::size_t longest = 1100;
  alignas(64) static double room[longest + 8];
  for (const auto kind : testing::all_hostile) {
    const auto source = testing::hostile_elements(kind, longest, 20010301);
    for (const Index index : {0, 64, 3 * 1024, 8}) {
      std::vector<Value> expected;
      for (std::size_t length = 0; length <= longest; ++length) {
        expected.push_back(scalar().stochastic(source.data(), static_cast<Index>(length), index));
      }
      for (const auto& kernel : kernels()) {
        if (!kernel.supported()) continue;
        CAPTURE(kernel.name, static_cast<int>(kind), index);
        for (std::size_t shift = 0; shift < (index == 0 ? 8 : 1); ++shift) {
          std::copy(source.begin(), source.end(), room + shift);
          for (std::size_t length = 0; length <= longest; ++length) {
            const Value value = kernel.stochastic(room + shift, static_cast<Index>(length), index);
            if (!same(value, expected[length])) FAIL("length " << length << ", shift " << shift);
          }
        }
      }
    }
  }
}

TEST_CASE("stochastic sum: every kernel gives the reference's bits for long inputs") {
  for (const auto kind : testing::all_hostile) {
    for (const std::size_t length : {2047, 2048, 2049, 4096, 65535, 262144 + 511}) {
      const auto elements = testing::hostile_elements(kind, length, length);
      const auto count = static_cast<Index>(length);
      const Value expected = scalar().stochastic(elements.data(), count, 1 << 20);
      for (const auto& kernel : kernels()) {
        if (!kernel.supported()) continue;
        CAPTURE(kernel.name, static_cast<int>(kind), length);
        CHECK(same(kernel.stochastic(elements.data(), count, 1 << 20), expected));
      }
    }
  }
}

TEST_CASE("stochastic sum: kernels read no byte outside their input") {
  const auto inner = testing::hostile_elements(testing::Hostile::uniform, 777, 5);
  std::vector<double> framed(inner.size() + 128, std::numeric_limits<double>::quiet_NaN());
  std::copy(inner.begin(), inner.end(), framed.begin() + 64);
  for (const auto& kernel : kernels()) {
    if (!kernel.supported()) continue;
    CAPTURE(kernel.name);
    for (Index length = 0; length <= 777; ++length) {
      const std::vector<double> exactly(inner.begin(),
                                        inner.begin() + length);  // for the sanitizer
      CHECK(same(kernel.stochastic(exactly.data(), length, 0),
                 kernel.stochastic(framed.data() + 64, length, 0)));
    }
  }
}

TEST_CASE("stochastic sum: brackets of the tree, joined, are the tree") {
  testing::property("a bracket and what is behind it", [](std::uint64_t seed) {
    const auto count = *rc::gen::inRange<Index>(2, 3000);
    const auto elements =
        testing::hostile_elements(testing::Hostile::spread, static_cast<std::size_t>(count), seed);
    StochasticSum sum;
    sum.prepare();
    Index left = 1;
    while (2 * left < count) left *= 2;
    const Value joined = sum.join(sum.fold(elements.data(), left, 1, 0),
                                  sum.fold(elements.data() + left, count - left, 1, left));
    RC_ASSERT(same(joined, sum.fold(elements.data(), count, 1, 0)));
  });
}

TEST_CASE("stochastic sum: infinities, NaN, zeros and overflow") {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr double largest = std::numeric_limits<double>::max();
  StochasticSum sum;
  sum.prepare();
  const auto total = [&](const std::vector<double>& elements) {
    return sum.finish(sum.fold(elements.data(), static_cast<Index>(elements.size()), 1, 0));
  };
  for (const std::size_t count : {3u, 300u}) {
    std::vector<double> elements(count, 1);
    elements[count / 2] = infinity;
    CHECK(total(elements) == infinity);
    elements[count - 1] = -infinity;
    CHECK(std::bit_cast<std::uint64_t>(total(elements)) == 0x7FF8000000000000u);
    elements.assign(count, -0.0);
    CHECK(bits(total(elements)) == bits(-0.0));
    elements[1] = 0;
    CHECK(bits(total(elements)) == bits(0.0));
    elements.assign(count, largest);
    CHECK(total(elements) == infinity);
  }
  CHECK(bits(total({1, -1})) == bits(0.0));
  CHECK(total({3}) == 3);
}

// Computed with rational numbers. The bits of a random word and the place of each direction may not
// change.
TEST_CASE("golden bits of the stochastic sum") {
  std::vector<double> elements(64);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    elements[i] = 1 / static_cast<double>(i + 1);
  }
  for (const auto& kernel : kernels()) {
    if (!kernel.supported()) continue;
    const Value value = kernel.stochastic(elements.data(), 64, 0);
    CAPTURE(kernel.name);
    CHECK(value.samples[0] == 0x1.2f9be897cd529p+2);
    CHECK(value.samples[1] == 0x1.2f9be897cd529p+2);
    CHECK(value.samples[2] == 0x1.2f9be897cd528p+2);
  }
}

}  // namespace stochastic_sum_test
