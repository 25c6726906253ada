// SPDX-License-Identifier: MIT

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bracket/model/spec.hpp"

namespace bracket {

/// The arithmetics of sums of floats other than plain. The columns are the enumerator; the written
/// name, what is written after it, a summary and a source; the order; the parameter in words, its
/// default and its maximum ("", 0, 0 without one); the default, the minimum and the maximum of the
/// width of bins (0, 0, 0 without bins); the bytes of a partial for each K, and those in addition;
/// the floating-point operations to add one element for each K, and those in addition; whether
/// minimum and maximum accept the arithmetic, which does not change their bits.
///
/// For each row, the runtime has a function `make_NAME` (runtime/src/operations/operations.hpp).
#define BRACKET_ARITHMETICS(ROW)                                                                 \
  ROW(binned, "binned", "[:K[:W]]",                                                              \
      "sums of K bins of W bits: the same bits for any sequence of the elements",                \
      "Demmel and Nguyen 2015", "associative", "number of bins K", 3, 8, 40, 8, 50, 16, 8, 3, 0, \
      true)                                                                                      \
  ROW(binned_exact, "binned-exact", "[:K[:W]]",                                                  \
      "as binned, but products are not rounded before they are added", "Demmel and Nguyen 2015", \
      "associative", "number of bins K", 3, 8, 40, 8, 50, 16, 8, 3, 0, true)                     \
  ROW(pre_rounded, "pre-rounded", "[:K]",                                                        \
      "sums of multiples of K units, by two reductions: the same bits for any sequence",         \
      "Demmel and Nguyen 2013", "associative", "number of levels K", 2, 4, 0, 0, 0, 8, 0, 4, 1,  \
      false)                                                                                     \
  ROW(double_double, "double-double", "", "sums: the tree over double-double numbers",           \
      "He and Ding 2001", "tree", "", 0, 0, 0, 0, 0, 0, 16, 0, 11, false)                        \
  ROW(stochastic, "stochastic", "", "sums: the mean of three with random rounding, by the tree", \
      "CADNA; Fortin, section 4.2", "tree", "", 0, 0, 0, 0, 0, 0, 48, 0, 20, false)

/// Representation of partial results. `plain` is that of the elements: the order determines the
/// bits.
enum class Arithmetic : std::uint8_t {
  plain,
#define BRACKET_ROW(name, ...) name,
  BRACKET_ARITHMETICS(BRACKET_ROW)
#undef BRACKET_ROW
};

/// A row of the table of arithmetics, with the columns above.
struct ArithmeticEntry {
  Arithmetic arithmetic;
  CatalogueEntry entry;
  std::string_view order;
  std::string_view parameter;
  int usual;
  int most;
  int usual_width;
  int least_width;
  int most_width;
  int bytes_each;  ///< of a partial of a real number
  int bytes_more;
  int flops_each;  ///< to add a real number
  int flops_more;
  bool of_extremes;
};

inline constexpr ArithmeticEntry arithmetics[] = {
#define BRACKET_ROW(name, written, parameters, summary, source, ...) \
  {Arithmetic::name, {written, parameters, summary, source}, __VA_ARGS__},
    BRACKET_ARITHMETICS(BRACKET_ROW)
#undef BRACKET_ROW
};

/// The row of an arithmetic other than plain.
constexpr const ArithmeticEntry& row_of(Arithmetic arithmetic) {
  return arithmetics[static_cast<std::size_t>(arithmetic) - 1];
}

/// Names the arithmetics other than plain, for help: "binned[:K], double-double or stochastic".
std::string other_arithmetics();

/// How a result is computed: an order, and the arithmetic in which it combines the elements. The
/// bits of the result depend on the algorithm, the number of elements and the elements, and not on
/// the ranks, threads, plan or kernel.
///
/// A NaN among the elements, or infinities of both signs in a sum, give one quiet NaN. A sum of
/// elements that are all −0 is −0. Plain, double-double and stochastic sums overflow if a partial
/// sum does: to an infinity, or to NaN if partial sums overflow in both directions. Binned sums
/// overflow only if the sum does, since their partial sums are exact.
struct Algorithm {
  std::string order = "tree";  ///< for `make_order`
  Arithmetic arithmetic = Arithmetic::plain;
  int parameter = 0;  ///< K: the bins of `binned` and `binned-exact`, the levels of
                      ///< `pre-rounded`; 0 without one
  int width = 0;      ///< W: the bits of each bin; 0 without bins

  /// Whether sums have bins, as those of `binned` and `binned-exact` do.
  [[nodiscard]] bool binned() const {
    return arithmetic == Arithmetic::binned || arithmetic == Arithmetic::binned_exact;
  }

  /// Written form with each parameter, for `make_algorithm`.
  [[nodiscard]] std::string spec() const;

  friend bool operator==(const Algorithm&, const Algorithm&) = default;
};

struct AlgorithmEntry {
  CatalogueEntry entry;
};

/// Every algorithm by name: the orders, which stand for plain arithmetic, then the other
/// arithmetics.
std::vector<AlgorithmEntry> algorithms();

/// The algorithm that `spec` describes. Throws `Error` for an unknown name or bad parameters.
Algorithm make_algorithm(std::string_view spec);

}  // namespace bracket
