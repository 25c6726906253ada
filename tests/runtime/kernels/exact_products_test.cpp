// SPDX-License-Identifier: MIT

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include "bracket/runtime/binned.hpp"
#include "bracket/runtime/kernel.hpp"
#include "support/binned_reference.hpp"
#include "support/catch.hpp"
#include "support/hostile.hpp"
#include "support/reference.hpp"

namespace exact_products_test {

using namespace bracket;
using namespace bracket::runtime;
using testing::bits;

namespace {

/// Compares each kernel's sum of the first `length` products, which are not rounded, with the
/// definition, and its bytes with those of the scalar kernel.
template <int K>
void check_exact_products(const std::vector<double>& elements, const std::vector<double>& factors,
                          std::size_t length, int width = Bins::width) {
  const auto numbers = testing::exact_products({elements.data(), length}, {factors.data(), length});
  const double expected = testing::binned_sum(numbers, K, 1, width);
  Binned<K> first;
  for (const auto& kernel : kernels()) {
    if (!kernel.supported()) continue;
    const Binned<K> sum = kernel.binned.of_exact_products<K>()(elements.data(), factors.data(),
                                                               static_cast<Index>(length), width);
    if (kernel.name == "scalar") first = sum;
    const double result = BinnedSum<K>{&kernel, width}.finish(sum);
    if (bits(result) != bits(expected) || std::memcmp(&sum, &first, sizeof sum) != 0) {
      FAIL(kernel.name << ", " << K << " bins of " << width << ", length " << length
                       << ": exact products " << std::hexfloat << result << ", not " << expected);
    }
  }
}

}  // namespace

TEST_CASE("every kernel adds products that are not rounded") {
  std::mt19937_64 random(17);
  for (const auto& kind : testing::binned_kinds) {
    CAPTURE(kind.name);
    const auto elements = kind.elements(1100, 23);
    std::vector<double> hostile;
    std::vector<double> small;
    for (std::size_t i = 0; i < elements.size(); ++i) {
      hostile.push_back(testing::hostile_factor(i));
      small.push_back(testing::with_exponent(testing::one_of(-60, 2, random), random));
    }
    for (const auto& factors : {hostile, small, elements}) {
      for (std::size_t length = 0; length <= 1100; length += length < 20 ? 1 : 360) {
        check_exact_products<1>(elements, factors, length);
        check_exact_products<3>(elements, factors, length);
        check_exact_products<8>(elements, factors, length, 50);
        check_exact_products<2>(elements, factors, length, 13);
      }
    }
  }
}

TEST_CASE("errors of products at the limits of exponents") {
  // Products near the largest number, near the least normal one and around the least subnormal, and
  // factors that no splitting may overflow.
  std::mt19937_64 random(29);
  for (const int sum_of_exponents :
       {1022,  1023,  1000,  950,   900,   0,     -900,  -960,  -968,  -970,
        -1021, -1022, -1023, -1060, -1073, -1074, -1075, -1076, -1077, -1200}) {
    std::vector<double> elements;
    std::vector<double> factors;
    for (int i = 0; i < 300; ++i) {
      const int exponent = testing::one_of(std::max(-1074, sum_of_exponents - 1023),
                                           std::min(1023, sum_of_exponents + 1074), random);
      elements.push_back(testing::with_exponent(exponent, random));
      factors.push_back(testing::with_exponent(sum_of_exponents - exponent, random));
    }
    for (const std::size_t length : {1, 8, 9, 300}) {
      check_exact_products<1>(elements, factors, length);
      check_exact_products<3>(elements, factors, length);
      check_exact_products<8>(elements, factors, length, 50);
    }
  }
}

TEST_CASE("an ill-conditioned dot product has all digits if its products are not rounded") {
  // (1 + h)(1 - h) - 1 = -h^2: the rounded products cancel.
  const double h = 0x1p-30;
  const std::vector<double> x(1000, 1 + h);
  const std::vector<double> y(1000, 1 - h);
  std::vector<double> left = x;
  std::vector<double> right = y;
  left.insert(left.end(), 1000, -1.0);
  right.insert(right.end(), 1000, 1.0);
  BinnedSum<3> sum;
  sum.prepare();
  const auto count = static_cast<Index>(left.size());
  CHECK(sum.finish(sum.fold_products(left.data(), right.data(), count, 1)) == 0);
  sum.exact_products = true;
  CHECK(sum.finish(sum.fold_products(left.data(), right.data(), count, 1)) == -1000 * 0x1p-60);
}

}  // namespace exact_products_test
