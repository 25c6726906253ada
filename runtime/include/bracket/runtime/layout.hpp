// SPDX-License-Identifier: MIT

#pragma once

#include <vector>

#include "bracket/model/range.hpp"

namespace bracket {

/// Places of a rank's elements of a field: an index range of an array of up to five dimensions. The
/// last index varies fastest in the sequence of elements, for any strides.
struct Layout {
  std::vector<Index> extents;  ///< of the array in each dimension; empty for a single number
  std::vector<Range> ranges;   ///< of the elements in each dimension; empty for all
  std::vector<Index> strides;  ///< bytes from one index to the next in each dimension: 0, or at
                               ///< least an element's bytes, with any sign; empty for an array
                               ///< without gaps whose last dimension is contiguous
  Index origin = 0;            ///< bytes from the array's address to its element with index 0 in
                               ///< every dimension

  /// `count` elements side by side.
  static Layout contiguous(Index count) { return {{count}, {}, {}}; }
};

}  // namespace bracket
