// SPDX-License-Identifier: MIT

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "bracket/model/algorithm.hpp"
#include "bracket/model/element.hpp"
#include "bracket/model/range.hpp"

namespace bracket {

/// A sum of float64 as programs without reproducibility compute it: each rank adds its own
/// elements, and the MPI library combines the sums of the ranks. The bits depend on the number of
/// ranks. It is what reproducible sums are compared with; reducers do not have it.
enum class Baseline : std::uint8_t {
  none,
  irreproducible,  ///< with vector instructions, in the fastest order
  accumulate       ///< from left to right, by `std::accumulate`
};

/// A row of the table of baselines.
struct BaselineEntry {
  Baseline baseline;
  CatalogueEntry entry;
};

/// Every baseline by name, without `Baseline::none`.
std::span<const BaselineEntry> baselines();

/// The baseline with this name, or `Baseline::none`.
Baseline baseline_named(std::string_view name);

/// The numbers that an operation reduces.
enum class Terms : std::uint8_t {
  elements,
  products,  ///< the products of the elements of two arrays
  squares    ///< products of an array with itself: their arithmetic, but half of their bytes
};

/// A row of the table of terms.
struct TermsEntry {
  Terms terms;
  CatalogueEntry entry;
};

/// All terms by name.
std::span<const TermsEntry> all_terms();

/// The computation of a reduction: an algorithm, an operator and a type of elements.
struct Operation {
  Algorithm algorithm{};
  Op op = Op::sum;
  Type type = Type::float64;
  bool widened = false;  ///< float32 and complex64 in float64, rounded once at the end
  bool checked = false;  ///< integers that do not fit are an error
  Terms terms = Terms::elements;
  Baseline baseline = Baseline::none;  ///< replaces the algorithm of a sum of float64
                                       ///< or of their products

  /// Throws `Error`, with the reason, if the combination makes no sense.
  void check() const;

  /// Whether terms are products, also of an array with itself.
  [[nodiscard]] bool of_products() const { return terms != Terms::elements; }

  /// Whether partials have plain arithmetic. Operators other than the sum always do, whatever the
  /// algorithm.
  [[nodiscard]] bool plain() const {
    return op != Op::sum || algorithm.arithmetic == Arithmetic::plain;
  }

  /// A copy of this operation, in `order` if its arithmetic is plain. Other arithmetics have orders
  /// of their own.
  [[nodiscard]] Operation in_order(const std::string& order) const;

  /// Whether the bits of the result do not depend on the bracketing.
  [[nodiscard]] bool associative() const;

  /// Size of a partial result in messages, in bytes. Throws `Error` as `check` does.
  [[nodiscard]] Index value_bytes() const;

  /// Size of the elements of a term in the caller's arrays, in bytes.
  [[nodiscard]] Index element_bytes() const {
    return static_cast<Index>(bytes_of(type)) * (terms == Terms::products ? 2 : 1);
  }

  /// Number of floating-point operations that add one element to a partial: 1 for the plain sum of
  /// real numbers, 3 for each bin of a binned sum (Demmel and Nguyen 2015) and 6 for an exact
  /// product, 4 for each level of a pre-rounded sum and 1 to scale the element, 11 for a
  /// double-double sum (He and Ding 2001), 20 for a stochastic sum (three samples with an
  /// error-free transformation each, and their distances). A comparison counts as one. Does not
  /// call `check`.
  [[nodiscard]] Index flops() const;

  /// Written form, for `make_operation`, such as `sum/float64`, `binned:3/sum/float64` or
  /// `checked/sum/int64`. It leaves out the order of plain arithmetic. Operations with equal
  /// written forms take the same time.
  [[nodiscard]] std::string spec() const;

  /// The name of the baseline or, without one, the written form of the algorithm.
  [[nodiscard]] std::string algorithm_spec() const;

  friend bool operator==(const Operation&, const Operation&) = default;
};

/// The operation that `spec` describes: words separated by slashes, in any sequence. A word is an
/// arithmetic, a baseline, an operator, a type, terms, `widened` or `checked`. Without an operator
/// it is a sum; without a type the elements are float64. Throws `Error` for unknown words, for two
/// of a kind, and as `Operation::check` does.
Operation make_operation(std::string_view spec);

}  // namespace bracket
