// SPDX-License-Identifier: MIT

#include "bracket/runtime/pre_rounded.hpp"

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

#include "bracket/runtime/kernel.hpp"
#include "support/catch.hpp"
#include "support/hostile.hpp"
#include "support/pre_rounded_reference.hpp"
#include "support/reference.hpp"

namespace pre_rounded_test {

using namespace bracket;
using namespace bracket::runtime;
using testing::bits;

namespace {

double largest_of(const std::vector<double>& elements, const Kernel& kernel) {
  const LargestMagnitude largest{&kernel};
  return largest.finish(largest.fold(elements.data(), static_cast<Index>(elements.size()), 1, 0));
}

/// The sum over ranges that are cut at random, by random kernels, joined in a random tree.
template <int K>
PreRoundedSum<K> summed(const std::vector<double>& elements, std::mt19937_64& random,
                        Levels<K>& sum) {
  std::vector<const Kernel*> supported;
  for (const Kernel& kernel : kernels()) {
    if (kernel.supported()) supported.push_back(&kernel);
  }
  PreRoundedSum<K> operation;
  operation.prepare();
  operation.set_magnitude(largest_of(elements, *supported[random() % supported.size()]),
                          static_cast<Index>(elements.size()));
  std::vector<Levels<K>> parts;
  for (std::size_t begin = 0; begin < elements.size();) {
    const std::size_t size = std::min(elements.size() - begin, 1 + random() % 300);
    operation.kernel = supported[random() % supported.size()];
    parts.push_back(operation.fold(elements.data() + begin, static_cast<Index>(size), 1, 0));
    begin += size;
  }
  while (parts.size() > 1) {
    std::swap(parts[random() % parts.size()], parts.back());
    const Levels<K> taken = parts.back();
    parts.pop_back();
    Levels<K>& other = parts[random() % parts.size()];
    other = random() % 2 == 0 ? operation.join(other, taken) : operation.join(taken, other);
  }
  sum = parts.front();
  return operation;
}

/// Checks the elements as they come and in another sequence.
template <int K>
void check(std::vector<double> elements, std::mt19937_64& random) {
  // The reference takes most of the time of these tests.
  const auto [expected, expected_narrow] = testing::pre_rounded_sums(elements, K);
  for (int repetition = 0; repetition < 2; ++repetition) {
    Levels<K> sum;
    const PreRoundedSum<K> operation = summed<K>(elements, random, sum);
    if (bits(operation.finish(sum)) != bits(expected)) {
      FAIL(K << " levels of " << elements.size() << ": " << std::hexfloat << operation.finish(sum)
             << ", not " << expected);
    }
    const auto narrow = static_cast<float>(operation.finish_to_odd(sum));
    // The reference does not know the sign of what is too small for float32.
    if (bits(narrow) != bits(expected_narrow) && (narrow != 0 || expected_narrow != 0)) {
      FAIL(K << " levels of " << elements.size() << " as float32: " << std::hexfloat << narrow
             << ", not " << expected_narrow);
    }
    std::shuffle(elements.begin(), elements.end(), random);
  }
}

void check_all(const std::vector<double>& elements, std::mt19937_64& random) {
  check<1>(elements, random);
  check<2>(elements, random);
  check<3>(elements, random);
  check<4>(elements, random);
}

}  // namespace

TEST_CASE("the pre-rounded sum is its definition's, in any sequence, by any kernel") {
  std::mt19937_64 random(7);
  for (const auto& kind : testing::binned_kinds) {
    CAPTURE(kind.name);
    for (const std::size_t length : {1, 2, 3, 4, 5, 7, 8, 9, 31, 33, 64, 65, 1000, 2500}) {
      check_all(kind.elements(length, length), random);
    }
  }
  for (const auto kind : testing::all_hostile) {
    CAPTURE(static_cast<int>(kind));
    for (const std::size_t length : {1, 100, 1025}) {
      check_all(testing::hostile_elements(kind, length, 11), random);
    }
  }
}

TEST_CASE("the pre-rounded sum at the limits of its levels") {
  constexpr double largest = std::numeric_limits<double>::max();
  constexpr double least = std::numeric_limits<double>::denorm_min();
  std::mt19937_64 random(3);
  // As many units as a level may have: all of the largest, and of a power of two.
  for (const double element : {largest, 0x1p1023, std::nextafter(1.0, 0), 1.0, least, 3 * least}) {
    for (const std::size_t length : {1, 2, 4, 1024, 1025}) {
      check_all(std::vector<double>(length, element), random);
      std::vector<double> signs(length, element);
      for (std::size_t i = 0; i < length; i += 2) signs[i] = -element;
      check_all(signs, random);
    }
  }
  check_all({largest, largest, -largest}, random);
  check_all({1, 0x1p-60, -1}, random);
  // Rounded to float64 first, these are in the middle of two float32: 2^-60 decides.
  for (const double sign : {1.0, -1.0}) {
    check_all({sign, sign * 0x1p-24, sign * 0x1p-60}, random);
    check_all({sign * (1 + 0x1p-23), sign * 0x1p-24, -sign * 0x1p-60}, random);
  }
}

TEST_CASE("the error of the pre-rounded sum is within its bound") {
  std::mt19937_64 random(5);
  for (const std::size_t terms : {2, 100, 4096}) {
    std::vector<double> elements;
    for (std::size_t i = 0; i < terms; ++i) {
      elements.push_back(testing::with_exponent(testing::one_of(-80, 0, random), random));
    }
    const testing::Exact exact = testing::exact_sum(elements);
    const testing::Exact magnitude = testing::exact(testing::largest_magnitude(elements));
    for (int levels = 1; levels <= 4; ++levels) {
      const testing::Exact found = testing::exact(testing::pre_rounded_sum(elements, levels));
      const int digits = levels * (54 - testing::levels_of_terms(terms));
      const testing::Exact bound = (2 * terms * magnitude) >> digits;
      const testing::Exact ulp = testing::power_of_two(testing::last_place(found));
      CHECK(abs(testing::Exact(found - exact)) <= bound + ulp);
    }
  }
}

TEST_CASE("the largest magnitude is that of any element, and NaN above infinities") {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const Kernel& kernel : kernels()) {
    if (!kernel.supported()) continue;
    CHECK(largest_of({-0.0, 0.0}, kernel) == 0);
    CHECK(largest_of({1, -3, 2}, kernel) == 3);
    CHECK(largest_of({1, -infinity, 2}, kernel) == infinity);
    std::vector<double> elements(5000, -1.0);
    elements[4097] = nan;
    elements[7] = infinity;
    CHECK(std::isnan(largest_of(elements, kernel)));
  }
  const LargestMagnitude largest;
  CHECK(
      std::isnan(largest.finish(largest.join(largest.value(-nan, 0), largest.value(infinity, 1)))));
  CHECK_THROWS_WITH(PreRounding::of(1, (Index{1} << 52) + 1, 2), Catch::Contains("at most 2^52"));
}

}  // namespace pre_rounded_test
