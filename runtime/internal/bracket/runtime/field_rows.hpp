// SPDX-License-Identifier: MIT

#pragma once

#include <algorithm>
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

  /// The better number of elements in a unit, 4 or 16, for a fold that begins with the element
  /// `first`. Long units are faster unless the end of a row often lies inside a unit.
  [[nodiscard]] Index unit(Index first) const {
    const Index length = cells_->places().inner.count;
    const bool whole = length % 16 == 0 && first % 16 == 0;
    return length >= 128 || (length >= 64 && whole) ? 16 : 4;
  }

  /// Folds every `unit` elements or products, and the rest, in tree order.
  template <class Operation>
  [[gnu::noinline]] void fold_units(const Operation& operation, Index unit, Index first,
                                    Index count, Element* to) const {
    Waiting<Element> waiting;
    for_each_piece(first, count, [&](const Piece& piece) {
      const auto& [elements, factors, _, rows, length] = piece;
      if constexpr (FoldsProducts<Operation>) {
        if (products()) {
          to = operation.fold_units(elements, factors, rows, length, unit, waiting, to);
          return;
        }
      }
      to = operation.fold_units(elements, rows, length, unit, waiting, to);
    });
    if (waiting.count > 0) {
      *to = operation.fold(waiting.room + waiting.first, waiting.count, 1, 0);
    }
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
