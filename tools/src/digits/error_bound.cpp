// SPDX-License-Identifier: MIT

#include "digits/error_bound.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "bracket/runtime/binned.hpp"
#include "digits/binned_unit.hpp"
#include "digits/ordered_fold.hpp"

namespace bracket::tools {

namespace {

/// Half of the last place of the sum or of the exact sum, whichever is larger.
double half_ulp(const ExactReference& exact, double sum) {
  return 0.5 * std::max(1.0, exact.last_place(sum) / exact.last_place(exact.sum()));
}

}  // namespace

Index height_of(const Order& order) {
  return fold_in_order(
      order, [](Index) { return Index{0}; },
      [](Index left, Index right) { return std::max(left, right) + 1; });
}

double bound_in_ulps(const ExactReference& exact, const Algorithm& algorithm, double sum) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (!std::isfinite(sum)) return infinity;
  const support::Scaled last_place = exact.last_place(exact.sum());
  // Rounded up: the products and quotients here round a few times.
  constexpr double above = 1 + 0x1p-40;
  const auto of_magnitudes = [&](double factor) {
    return factor == 0 ? 0 : factor * (exact.magnitudes() / last_place) * above;
  };
  if (algorithm.binned()) {
    const int exponent = binned_unit_exponent(exact.largest(), algorithm);
    const bool elements_are_units = exact.largest() == 0 || exponent <= least_exponent;
    const double units = static_cast<double>(exact.elements()) / 2;
    return (elements_are_units ? 0 : units * (support::Scaled{0.5, exponent + 1} / last_place)) *
               above +
           half_ulp(exact, sum);
  }
  const auto height = static_cast<double>(height_of(make_order(algorithm.order, exact.elements())));
  if (algorithm.arithmetic == Arithmetic::double_double) {
    return of_magnitudes(height * 0x1p-104) + half_ulp(exact, sum);
  }
  if (algorithm.arithmetic == Arithmetic::stochastic) {
    // Directed rounding errs by up to 2u. One more addition stands for the roundings of the mean.
    const double relative = (height == 0 ? 0 : height + 1) * 0x1p-52;
    return relative < 0.1 ? of_magnitudes(relative / (1 - relative)) + half_ulp(exact, sum)
                          : infinity;
  }
  const double relative = height * exact.roundoff();
  return relative < 1 ? of_magnitudes(relative / (1 - relative)) : infinity;
}

}  // namespace bracket::tools
