// SPDX-License-Identifier: MIT

#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>

#include "bracket/runtime/element_reader.hpp"
#include "bracket/runtime/kernel.hpp"
#include "bracket/runtime/reductions.hpp"

namespace bracket::runtime {

/// The arrays of a field whose elements lie side by side in aligned rows. Kernels fold units of
/// them where they lie.
template <class Element>
class FieldRows {
 public:
  /// Empty if the elements do not lie so. Refers to the field.
  [[nodiscard]] static std::optional<FieldRows> of(const FieldCells& field,
                                                   const FieldArrays& arrays) {
    const auto& [elements, factors, _] = field;
    if (arrays.make != nullptr || !has_rows(elements, arrays.elements)) return std::nullopt;
    if (!factors) return FieldRows{elements, arrays.elements, nullptr, nullptr};
    if (!has_rows(*factors, arrays.factors)) return std::nullopt;
    // The bits of products do not depend on which array is which.
    const bool swap = elements.places().outer_count == 0;
    const FieldRows rows = swap ? FieldRows{*factors, arrays.factors, &elements, arrays.elements}
                                : FieldRows{elements, arrays.elements, &*factors, arrays.factors};
    const bool contiguous = rows.factor_cells_->places().outer_count == 0;
    if (!contiguous && !rows.cells_->has_shape_of(*rows.factor_cells_)) return std::nullopt;
    return rows;
  }

  /// Whether there are factors.
  [[nodiscard]] bool products() const { return factors_ != nullptr; }

  /// Whether `fold_units` is faster than a copy, for a fold that begins with the element `first`.
  /// Units that begin in one row and end in another take long.
  [[nodiscard]] bool pays(Index first) const {
    const Index length = cells_->places().inner.count;
    return length >= 64 || (length % 4 == 0 && first % 4 == 0);
  }

  /// Elements that `fold_units` folds at once. Short rows have short units, of which fewer begin in
  /// one row and end in another.
  [[nodiscard]] Index unit() const { return cells_->places().inner.count < 512 ? 4 : most; }

  /// Folds every `unit()` elements or products, and the rest, in tree order.
  template <class Operation>
  [[gnu::noinline]] void fold_units(const Operation& operation, Index first, Index count,
                                    Element* to) const {
    const Index unit = this->unit();
    std::array<Element, most> waiting;  // less than a unit, of the rows before
    Index begun = 0;
    const auto fold = [&](RowsOf<Element> elements, RowsOf<Element> factors, Index rows,
                          Index length) {
      if constexpr (FoldsProducts<Operation>) {
        if (products()) operation.fold_units(elements, factors, rows, length, unit, to);
      }
      if (!products()) operation.fold_units(elements, rows, length, unit, to);
      to += rows * length / unit;
    };
    const auto wait = [&](const Element* x, const Element* y, Index more) {
      for (Index i = 0; i < more; ++i) {
        waiting[static_cast<std::size_t>(begun++)] = products() ? x[i] * y[i] : x[i];
      }
    };
    for_each_piece(first, count, [&](const Piece& piece) {
      if (begun == 0 && piece.length % unit == 0) {
        fold(piece.elements, piece.factors, piece.rows, piece.length);
        return;
      }
      for (Index row = 0; row < piece.rows; ++row) {
        const Element* const x = piece.elements.row(row);
        const Element* const y = piece.factors.row(row);
        Index done = 0;
        if (begun > 0) {
          done = std::min(unit - begun, piece.length);
          wait(x, y, done);
          if (begun < unit) continue;
          *to++ = operation.fold(waiting.data(), unit, 1, 0);
          begun = 0;
        }
        const Index whole = (piece.length - done) & -unit;
        fold({x + done, 0}, {y + done, 0}, 1, whole);
        done += whole;
        wait(x + done, y + done, piece.length - done);
      }
    });
    if (begun > 0) *to = operation.fold(waiting.data(), begun, 1, 0);
  }

  /// Whether rows are so long that an associative operation folds one after the other faster than a
  /// copy of several.
  [[nodiscard]] bool long_rows() const { return cells_->places().inner.count >= 256; }

  /// Calls `use(elements, factors, position, size)` for the pieces of rows that make up `count`
  /// elements from `first` on. Without products, the factors mean nothing.
  template <class Use>
  void for_each_row(Index first, Index count, Use&& use) const {
    for_each_piece(first, count, [&](const Piece& piece) {
      for (Index row = 0; row < piece.rows; ++row) {
        use(piece.elements.row(row), piece.factors.row(row), piece.first + row * piece.length,
            piece.length);
      }
    });
  }

 private:
  static constexpr Index most = 16;

  /// Rows of one length.
  struct Piece {
    RowsOf<Element> elements;
    RowsOf<Element> factors;
    Index first;  ///< position of the first element
    Index rows;
    Index length;
  };

  template <class Use>
  void for_each_piece(Index first, Index count, Use&& use) const {
    cells_->for_each_rows(first, count, [&](const Cells::Rows& rows) {
      const RowsOf<Element> elements{element_at(array_, rows.address), rows.distance};
      RowsOf<Element> factors = elements;  // not read without products
      if (products()) {
        factors = {element_at(factors_, factor_cells_->address(first)),
                   factor_cells_->row_distance(rows.count)};
      }
      use(Piece{elements, factors, first, rows.rows, rows.count});
      first += rows.rows * rows.count;
    });
  }

  FieldRows(const Cells& cells, const void* array, const Cells* factor_cells, const void* factors)
      : cells_(&cells), array_(array), factor_cells_(factor_cells), factors_(factors) {}

  /// Whether the elements of each row lie side by side and are aligned.
  [[nodiscard]] static bool has_rows(const Cells& cells, const void* array) {
    return cells.places().inner.stride == static_cast<Index>(sizeof(Element)) &&
           cells.aligned(alignof(Element), array);
  }

  [[nodiscard]] static const Element* element_at(const void* array, Index address) {
    return reinterpret_cast<const Element*>(static_cast<const std::byte*>(array) + address);
  }

  const Cells* cells_;
  const void* array_;
  const Cells* factor_cells_;  // of rows of the same length, or contiguous; or null
  const void* factors_;
};

}  // namespace bracket::runtime
