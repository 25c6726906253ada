#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "bracket/model/range.hpp"

namespace bracket {

/// Where a rank's elements of a field lie: an index range of an array of up to five dimensions. The
/// elements are numbered with the last dimension fastest, whatever the strides.
struct Layout {
  std::vector<Index> extents;  ///< of the array in each dimension; none: a single number
  std::vector<Range> ranges;   ///< the elements meant in each dimension; none: all
  std::vector<Index> strides;  ///< bytes from one index to the next in each dimension, of any sign,
                               ///< 0 or at least those of an element; none: the elements lie close,
                               ///< the last dimension's side by side
  Index origin = 0;            ///< bytes from where the array is given to begin to its element of
                               ///< index 0 in every dimension, the last one of reversed ones

  /// `count` elements side by side.
  static Layout contiguous(Index count) { return {{count}, {}, {}}; }
};

/// A layout as it is walked: only what is not next to each other is a dimension. Addresses are
/// bytes from where the array is given to begin.
class Cells {
 public:
  Cells() = default;
  /// Of elements of `element_bytes` bytes. Throws `Error` for more than five dimensions, an index
  /// range outside of the array, a negative extent, lists of different lengths, strides shorter
  /// than an element, or an array beyond what an `Index` can count.
  Cells(const Layout& layout, std::size_t element_bytes);

  /// Elements.
  [[nodiscard]] Index count() const { return count_; }

  [[nodiscard]] std::size_t element_bytes() const { return element_bytes_; }

  /// Elements in each dimension, as the layout has them.
  [[nodiscard]] const std::vector<Index>& shape() const { return shape_; }

  /// Addresses of bytes that elements have, from the lowest to behind the highest.
  struct Reach {
    Index begin = 0;
    Index end = 0;
  };
  [[nodiscard]] Reach reach() const { return reach_; }

  /// Whether the elements `[first, first + count)`, at least one, lie side by side.
  [[nodiscard]] bool contiguous(Index first, Index count) const {
    return inner_.stride == static_cast<Index>(element_bytes_) &&
           first % inner_.count + count <= inner_.count;
  }

  /// Address of an element.
  [[nodiscard]] Index address(Index element) const;

  /// Calls `row(address, stride, count)` for pieces of equal stride that make up `count` elements
  /// from `first` on.
  template <class Row>
  void for_each_row(Index first, Index count, Row&& row) const {
    while (count > 0) {
      const Index left_in_row = inner_.count - first % inner_.count;
      const Index size = count < left_in_row ? count : left_in_row;
      row(address(first), inner_.stride, size);
      first += size;
      count -= size;
    }
  }

 private:
  struct Dimension {
    Index count = 1;
    Index stride = 0;
  };

  Index count_ = 0;
  std::size_t element_bytes_ = 1;
  std::vector<Index> shape_;
  Reach reach_;
  Index origin_ = 0;                  // address of the first element meant
  std::array<Dimension, 4> outer_{};  // the innermost first
  int outer_count_ = 0;
  Dimension inner_;
};

}  // namespace bracket
