#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bracket/model/spec.hpp"

namespace bracket {

/// Representation of partial results.
enum class Arithmetic : std::uint8_t {
  plain,         ///< numbers as the elements are; the order determines the bits
  binned,        ///< sums of floats in K bins: the same bits in any order (Demmel and Nguyen 2015)
  double_double  ///< sums of floats by pairs of float64 (He and Ding 2001)
};

/// How a result is computed: an order, and the arithmetic in which it combines the elements. The
/// bits of the result depend on the algorithm, the number of elements and the elements, and not on
/// the ranks, threads, plan or kernel.
///
/// A NaN among the elements, or infinities of both signs in a sum, give one quiet NaN. A sum of
/// elements that are all −0 is −0. Plain and double-double sums overflow if a partial sum does: to
/// an infinity, or to NaN if partial sums overflow in both directions. Binned sums overflow only if
/// the sum does, since their partial sums are exact.
struct Algorithm {
  std::string order = "tree";  ///< for `make_order`
  Arithmetic arithmetic = Arithmetic::plain;
  int bins = 0;  ///< K of `binned`, 1 to `most_bins`, of 40 bits each; otherwise 0

  static constexpr int most_bins = 8;

  /// Written form with each parameter, for `make_algorithm`.
  [[nodiscard]] std::string spec() const;

  friend bool operator==(const Algorithm&, const Algorithm&) = default;
};

struct AlgorithmEntry {
  CatalogueEntry entry;
};

/// Every algorithm by name: the orders, which stand for plain arithmetic, then `binned[:K]`, whose
/// K is 3 if it is not written, and `double-double`, which adds in tree order.
std::vector<AlgorithmEntry> algorithms();

/// The algorithm that `spec` describes. Throws `Error` for an unknown name or bad parameters.
Algorithm make_algorithm(std::string_view spec);

}  // namespace bracket
