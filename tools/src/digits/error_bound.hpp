// SPDX-License-Identifier: MIT

#pragma once

#include "bracket/model/algorithm.hpp"
#include "bracket/model/order.hpp"
#include "digits/exact_reference.hpp"

namespace bracket::tools {

/// Largest number of additions in a row: the height of the tree of a fixed order.
Index height_of(const Order& order);

/// Proven bound on the distance of a computed sum from the exact sum, in units of the last place of
/// the exact sum, as `ExactReference::ulps` gives it. u is the unit roundoff, h the height of the
/// tree:
///
/// - plain arithmetic: γ_h Σ|x| with γ_h = h u / (1 − h u) (Higham, "Accuracy and Stability of
///   Numerical Algorithms", 2002, section 4.2),
/// - double-double: h 2^-104 Σ|x| (He and Ding 2001; see `DoubleDouble`), and half an ulp,
/// - binned: N / 2 units of the lowest bin (Demmel and Nguyen 2015; see `BinnedSum`), and half an
///   ulp,
/// - stochastic: as plain arithmetic, with 2u for u, since each addition is rounded up or down, one
///   more addition for the mean, and half an ulp.
///
/// Infinite if `sum` is not finite: the bounds hold unless a partial sum overflows. Also if h u is
/// not below 1.
double bound_in_ulps(const ExactReference& exact, const Algorithm& algorithm, double sum);

}  // namespace bracket::tools
