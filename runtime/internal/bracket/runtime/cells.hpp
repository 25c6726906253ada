#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "bracket/runtime/layout.hpp"

namespace bracket::runtime {

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
  Index origin_ = 0;                  // address of the first element
  std::array<Dimension, 4> outer_{};  // the innermost first
  int outer_count_ = 0;
  Dimension inner_;
};

}  // namespace bracket::runtime
