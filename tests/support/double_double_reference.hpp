// SPDX-License-Identifier: MIT

#pragma once

#include <cmath>
#include <cstddef>
#include <span>

namespace bracket::testing {

/// A double-double, added as in the paper's listing.
struct Pair {
  double h, l;
};

inline Pair ddpdd(Pair dda, Pair ddb) {
  const double t1 = dda.h + ddb.h;
  const double e = t1 - dda.h;
  const double t2 = ((ddb.h - e) + (dda.h - (t1 - e))) + dda.l + ddb.l;
  return {t1 + t2, t2 - ((t1 + t2) - t1)};
}

/// `ddpdd` computed with halves, for large numbers: it overflows only if the sum does.
inline Pair ddpdd_by_halves(Pair dda, Pair ddb) {
  const double t1 = dda.h + ddb.h;
  const double e = t1 / 2 - dda.h / 2;
  const double lost = 2 * ((ddb.h / 2 - e) + (dda.h / 2 - (t1 / 2 - e)));
  const double t2 = lost + dda.l + ddb.l;
  return {t1 + t2, t2 - ((t1 + t2) - t1)};
}

/// Expected sum, with the three deviations: a value that is not finite has no low part, only a sum
/// that is too large overflows, and −0 stays −0.
inline Pair expected_sum(Pair a, Pair b) {
  const double t1 = a.h + b.h;
  if (!std::isfinite(t1)) return {t1, 0};
  if (t1 == 0 && std::signbit(t1) && a.l == 0 && b.l == 0) return {t1, 0};
  Pair sum = ddpdd(a, b);
  if (std::isnan(sum.h)) sum = ddpdd_by_halves(a, b);
  return std::isinf(sum.h) ? Pair{sum.h, 0} : sum;
}

/// Folds from the top: the left part is the largest power of two of chunks below the total.
inline Pair expected_fold(std::span<const double> elements, std::size_t chunk) {
  if (elements.size() <= chunk) {
    Pair sum{elements[0], 0};
    for (const double x : elements.subspan(1)) sum = expected_sum(sum, {x, 0});
    return sum;
  }
  std::size_t left = chunk;
  while (2 * left < elements.size()) left *= 2;
  return expected_sum(expected_fold(elements.first(left), chunk),
                      expected_fold(elements.subspan(left), chunk));
}

}  // namespace bracket::testing
