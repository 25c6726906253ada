// SPDX-License-Identifier: MIT

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bracket/runtime/layout.hpp"

namespace bracket::runtime {

/// Places of elements, by strides. Devices use it, too.
struct CellPlaces {
  struct Dimension {
    Index count = 1;
    Index stride = 0;
    double inverse = 1;  ///< 1 / count

    /// The quotient of a number below `most_exact` and the count, without a division, for which
    /// devices take long. The product is off by one at most.
    [[nodiscard]] constexpr Index quotient(Index number) const {
      const auto nearby = static_cast<Index>(static_cast<double>(number) * inverse);
      const Index rest = number - nearby * count;
      return rest < 0 ? nearby - 1 : rest >= count ? nearby + 1 : nearby;
    }

    /// The quotient of any number and the count. It takes a division from `most_exact` on.
    [[nodiscard]] constexpr Index quotient_of(Index number) const {
      return number < most_exact ? quotient(number) : number / count;
    }
  };

  static constexpr Index most_exact = Index{1} << 52;

  Index origin = 0;  ///< address of the first element
  Dimension inner;
  Dimension outer[4];  ///< the innermost first
  int outer_count = 0;

  /// Address of an element, in bytes from the array's address.
  [[nodiscard]] constexpr Index address(Index element) const {
    if (element < most_exact) return address_below_most(element);
    Index place = origin + element % inner.count * inner.stride;
    element /= inner.count;
    for (int i = 0; i < outer_count; ++i) {
      place += element % outer[i].count * outer[i].stride;
      element /= outer[i].count;
    }
    return place;
  }

  /// The address of an element whose number is below `most_exact`.
  [[nodiscard]] constexpr Index address_below_most(Index element) const {
    if (outer_count == 0) return origin + element * inner.stride;
    Index rows = inner.quotient(element);
    Index place = origin + (element - rows * inner.count) * inner.stride;
    for (int i = 0; i + 1 < outer_count; ++i) {
      const Index above = outer[i].quotient(rows);
      place += (rows - above * outer[i].count) * outer[i].stride;
      rows = above;
    }
    return place + rows * outer[outer_count - 1].stride;
  }
};

/// A layout prepared for traversal: dimensions that lie next to each other are merged. Addresses
/// are bytes from the array's address.
class Cells {
 public:
  Cells() = default;
  /// Prepares a layout of elements of `element_bytes` bytes. Throws `Error` for more than five
  /// dimensions, an index range outside of the array, a negative extent, lists of different
  /// lengths, strides shorter than an element, or an array beyond what an `Index` can count.
  Cells(const Layout& layout, std::size_t element_bytes);

  /// Number of elements.
  [[nodiscard]] Index count() const { return count_; }

  [[nodiscard]] std::size_t element_bytes() const { return element_bytes_; }

  /// Number of elements in each dimension of the layout.
  [[nodiscard]] const std::vector<Index>& shape() const { return shape_; }

  /// Range of addresses that elements occupy.
  struct Reach {
    Index begin = 0;
    Index end = 0;
  };
  [[nodiscard]] Reach reach() const { return reach_; }

  /// Number of elements from `first` on that are known to lie side by side. 0 if no elements do.
  [[nodiscard]] Index side_by_side(Index first) const {
    const CellPlaces::Dimension& inner = places_.inner;
    if (inner.stride != static_cast<Index>(element_bytes_)) return 0;
    if (places_.outer_count == 0) return count_ - first;
    return inner.count - (first - inner.quotient_of(first) * inner.count);
  }

  /// Whether the elements `[first, first + count)`, at least one, lie side by side.
  [[nodiscard]] bool contiguous(Index first, Index count) const {
    return count <= side_by_side(first);
  }

  /// Whether all elements are aligned to `bytes` bytes, a power of two.
  [[nodiscard]] bool aligned(std::size_t bytes, const void* array) const {
    auto bits = reinterpret_cast<std::uintptr_t>(array) |
                static_cast<std::uintptr_t>(places_.origin | places_.inner.stride);
    for (int i = 0; i < places_.outer_count; ++i) {
      bits |= static_cast<std::uintptr_t>(places_.outer[i].stride);
    }
    return bits % bytes == 0;
  }

  /// Whether the elements of another array lie in as many rows of the same length.
  [[nodiscard]] bool has_shape_of(const Cells& other) const {
    const auto same = [](const CellPlaces::Dimension& one, const CellPlaces::Dimension& another) {
      return one.count == another.count;
    };
    return same(places_.inner, other.places_.inner) &&
           std::equal(places_.outer, places_.outer + places_.outer_count, other.places_.outer,
                      other.places_.outer + other.places_.outer_count, same);
  }

  /// Distance from one row of `count` elements to the next; if all are contiguous, that of so many
  /// elements.
  [[nodiscard]] Index row_distance(Index count) const {
    return places_.outer_count == 0 ? count * places_.inner.stride : places_.outer[0].stride;
  }

  /// Address of an element.
  [[nodiscard]] Index address(Index element) const {
    if (places_.outer_count == 0) return places_.origin + element * places_.inner.stride;
    return places_.address(element);
  }

  [[nodiscard]] const CellPlaces& places() const { return places_; }

  /// Rows of equal length and at equal distances: pieces of a row, or several whole ones.
  struct Rows {
    Index address = 0;   ///< of the first element
    Index stride = 0;    ///< from one element of a row to the next
    Index count = 0;     ///< elements of a row
    Index rows = 1;      ///< number of rows
    Index distance = 0;  ///< from one row to the next
  };

  /// Calls `use(Rows)` for rows that make up `count` elements from `first` on, in their sequence.
  template <class Use>
  void for_each_rows(Index first, Index count, Use&& use) const {
    const Index length = places_.inner.count;
    while (count > 0) {
      Rows rows{address(first), places_.inner.stride, 0, 1, 0};
      const Index rows_before = places_.inner.quotient_of(first);
      const Index begun = first - rows_before * length;
      if (begun != 0 || count < length || places_.outer_count == 0) {
        rows.count = count < length - begun ? count : length - begun;
      } else {
        const CellPlaces::Dimension& outer = places_.outer[0];
        const Index left =
            outer.count - (rows_before - outer.quotient_of(rows_before) * outer.count);
        const Index whole = places_.inner.quotient_of(count);
        rows.count = length;
        rows.rows = whole < left ? whole : left;
        rows.distance = outer.stride;
      }
      use(rows);
      first += rows.rows * rows.count;
      count -= rows.rows * rows.count;
    }
  }

  /// Calls `row(address, stride, count)` for pieces of equal stride that make up `count` elements
  /// from `first` on.
  template <class Row>
  void for_each_row(Index first, Index count, Row&& row) const {
    for_each_rows(first, count, [&](const Rows& rows) {
      for (Index i = 0; i < rows.rows; ++i) {
        row(rows.address + i * rows.distance, rows.stride, rows.count);
      }
    });
  }

 private:
  Index count_ = 0;
  std::size_t element_bytes_ = 1;
  std::vector<Index> shape_;
  Reach reach_;
  CellPlaces places_;
};

}  // namespace bracket::runtime
