// SPDX-License-Identifier: MIT

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <vector>

#include "bracket/model/algorithm.hpp"
#include "bracket/model/order.hpp"
#include "digits/digits_rows.hpp"
#include "digits/error_bound.hpp"
#include "digits/exact_reference.hpp"
#include "digits/sampled_sum.hpp"
#include "support/catch.hpp"
#include "support/exact.hpp"
#include "support/hostile.hpp"
#include "support/reference.hpp"

// The numbers of `bracket digits` on hostile inputs, against arithmetic of large integers.

namespace hostile_digits_test {

using namespace bracket;
using namespace bracket::tools;
using testing::Exact;
using testing::Hostile;

namespace {

constexpr const char* algorithm_names[] = {"tree",          "chunked-tree:5", "sequential",
                                           "binned:1",      "binned:2",       "binned:3",
                                           "double-double", "stochastic"};

/// Numbers with a large sum of magnitudes, and a sum that is smaller by a random factor of up to
/// 2^60.
std::vector<double> ill_conditioned(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<double> elements;
  const int smaller = static_cast<int>(random() % 61);
  while (elements.size() < count) {
    const double element = std::ldexp(uniform(random), static_cast<int>(random() % 20));
    elements.push_back(element);
    elements.push_back(-element);
    elements.push_back(std::ldexp(uniform(random), -smaller));
  }
  std::shuffle(elements.begin(), elements.end(), random);
  return elements;
}

/// Finite numbers of one of six kinds.
std::vector<double> hostile_input(std::uint64_t seed) {
  constexpr Hostile kinds[] = {Hostile::uniform, Hostile::cancelling, Hostile::signed_zeros,
                               Hostile::subnormals, Hostile::spread};
  const std::size_t count = 1 + seed * 7919 % 700;
  const std::size_t kind = seed % 6;
  return kind == 5 ? ill_conditioned(count, seed)
                   : testing::hostile_elements(kinds[kind], count, seed);
}

template <class Number>
double ulps_of(const Exact& sum, double computed) {
  const Exact error = abs(Exact(testing::exact(computed) - sum));
  const int place =
      sum == 0 ? std::numeric_limits<Number>::min_exponent - std::numeric_limits<Number>::digits
               : testing::last_place<Number>(testing::exact(testing::nearest<Number>(sum)));
  // 40 places after the point.
  const Exact quotient = error * (Exact(1) << 40) / testing::power_of_two(place);
  return quotient.convert_to<double>() * 0x1p-40;
}

}  // namespace

TEMPLATE_TEST_CASE("digits: errors, bounds and estimates on 1000 hostile inputs", "", double,
                   float) {
  constexpr bool narrow = sizeof(TestType) == 4;
  constexpr Type type = narrow ? Type::float32 : Type::float64;
  std::map<std::string, int> too_many;  // inputs with more estimated digits than true ones, plus 1
  int inputs = 0;
  for (std::uint64_t seed = 0; inputs < 1000; ++seed) {
    auto elements = hostile_input(seed);
    for (double& element : elements) element = static_cast<TestType>(element);
    const ExactReference exact(elements, type);
    if (exact.first_special()) continue;  // too large for a float32
    ++inputs;
    const Exact sum = testing::exact_sum(elements);
    Exact magnitudes = 0;
    for (const double element : elements) magnitudes += testing::exact(std::abs(element));
    CAPTURE(seed, elements.size());
    REQUIRE(exact.sum() == static_cast<double>(testing::nearest<TestType>(sum)));
    if (sum != 0 && exact.finite()) {
      const Exact expected = magnitudes * (Exact(1) << 20) / abs(sum);
      if (expected < (Exact(1) << 1000)) {
        REQUIRE(exact.condition() ==
                Catch::Approx(expected.template convert_to<double>() * 0x1p-20).epsilon(2e-6));
      }
    }
    for (const char* const name : algorithm_names) {
      CAPTURE(name);
      const Algorithm algorithm = make_algorithm(name);
      const double computed = sum_by(elements, type, algorithm);
      if (!std::isfinite(computed)) continue;
      const double ulps = exact.ulps(computed);
      const double expected_ulps = ulps_of<TestType>(sum, computed);
      REQUIRE((ulps == expected_ulps || ulps == Catch::Approx(expected_ulps).margin(1e-11)));
      REQUIRE(ulps <= bound_in_ulps(exact, algorithm, computed));
      const auto row = digits_row(elements, exact, algorithm);
      const double digits = row.at("digits");
      const double estimated = row.at("estimated_digits");
      REQUIRE((0 <= digits && digits <= exact.most_digits()));
      REQUIRE((0 <= estimated && estimated <= exact.most_digits()));
      too_many[name] += estimated > digits + 1 ? 1 : 0;
    }
  }
  for (const auto& [name, count] : too_many) {
    CAPTURE(name);
    CHECK(count <= inputs / 20);  // 5 %
  }
  CHECK(too_many.size() == std::size(algorithm_names));
}

TEST_CASE("digits: the height of an order is the largest number of additions in a row") {
  const auto height = [](const char* order, Index elements) {
    return height_of(make_order(order, elements));
  };
  CHECK(height("tree", 1) == 0);
  CHECK(height("tree", 8) == 3);
  CHECK(height("tree", 9) == 4);
  CHECK(height("sequential", 9) == 8);
  CHECK(height("chunked-tree:4", 9) == 5);  // 3 in a chunk, 2 above
  CHECK(height("explicit:0:0:2", 4) == 2);
  CHECK(height("explicit:0:1:2", 4) == 3);
}

TEST_CASE("digits: sums and samples have the bracketing of the order") {
  // Random brackets of an explicit order, against a sum of its brackets from the top.
  std::mt19937_64 random(5);
  for (int i = 0; i < 50; ++i) {
    const Index count = 2 + static_cast<Index>(random() % 40);
    std::string spec = "explicit";
    std::vector<Index> open{0};
    for (Index x = 1; x < count; ++x) {
      open.resize(1 + random() % open.size());
      spec += ':' + std::to_string(open.back());
      open.push_back(x);
    }
    const Order order = make_order(spec, count);
    const auto elements =
        testing::hostile_elements(Hostile::spread, static_cast<std::size_t>(count), random());
    const auto sum = [&](const auto& self, Range range) -> double {
      if (range.size() == 1) return elements[static_cast<std::size_t>(range.begin)];
      const Index middle = order.split(range);
      return self(self, {range.begin, middle}) + self(self, {middle, range.end});
    };
    CAPTURE(spec);
    CHECK(sum_by(elements, Type::float64, Algorithm{spec}) == sum(sum, {0, count}));
  }
}

}  // namespace hostile_digits_test
