// SPDX-License-Identifier: MIT

#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bracket/model/distribution.hpp"
#include "bracket/model/operation.hpp"
#include "bracket/runtime/field.hpp"
#include "bracket/runtime/kernel.hpp"
#include "bracket/runtime/reducer.hpp"

namespace bracket::tools {

/// What `bench` adds, and how it lies in memory.
struct BenchShape {
  bool products = false;  ///< of elements and factors: a dot product
  Index cells = 0;        ///< of each row, which has ghosts at both ends; 0: side by side

  static constexpr Index ghosts = 2;  ///< at each end of a row

  /// Whether elements lie side by side and have no factors.
  [[nodiscard]] bool plain() const { return !products && cells == 0; }

  /// As on the command line: `contiguous` or `ghosted:CELLS`.
  [[nodiscard]] std::string layout() const;

  /// Reads it. Throws `Error` for anything else.
  void read_layout(const std::string& written);

  /// Throws `Error` unless each rank's elements fill whole rows.
  void check(const Distribution& held) const;
};

/// One rank's elements, and factors if the shape has products, in arrays of the shape.
class BenchField {
 public:
  /// Copies rows, because they need ghosts. `factors` has as many as `elements` if the shape has
  /// products. Refers to both otherwise.
  BenchField(const BenchShape& shape, std::span<const double> elements,
             std::span<const double> factors);
  BenchField(const BenchField&) = delete;
  BenchField& operator=(const BenchField&) = delete;

  /// Rows or, if elements lie side by side, elements.
  [[nodiscard]] Index pieces() const { return pieces_; }

  /// The irreproducible sum of some of the pieces.
  [[nodiscard]] double sum(Baseline way, const runtime::Kernel& kernel, Range pieces) const;

  /// Sum of the absolute values of what is added.
  [[nodiscard]] double magnitudes() const;

  /// The field for a reducer.
  [[nodiscard]] Field field(const Distribution& held) const;

  /// The sum by a reducer of this field.
  [[nodiscard]] double sum(Reducer<double>& reducer) const;

 private:
  [[nodiscard]] double sum_of_row(Baseline way, const runtime::Kernel& kernel, Index first,
                                  Index count) const;
  [[nodiscard]] Layout layout() const;

  BenchShape shape_;
  Index pieces_;
  std::vector<double> rows_[2];  // elements and factors, with ghosts
  std::span<const double> elements_;
  std::span<const double> factors_;
};

}  // namespace bracket::tools
