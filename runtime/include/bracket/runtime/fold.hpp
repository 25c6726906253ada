#pragma once

#include <algorithm>
#include <array>
#include <cfloat>

#include "bracket/model/range.hpp"

// Additions must round once each, in the order written.
#ifdef __FAST_MATH__
#error "Bracket's sums lose their bits under -ffast-math (or -Ofast)"
#endif
static_assert(FLT_EVAL_METHOD == 0, "Bracket needs double arithmetic that rounds to double");

namespace bracket {

/// Block values that wait for their neighbours. They are joined like the carries of a binary
/// counter: two of equal width make one of twice the width.
///
///     blocks   1   2   3   4          pending after 3 blocks: [1 2] [3]
///               \ /     \ /           block 4 joins 3, then [1 2]
///                 \     /
template <class Value, class Join>
class Pending {
 public:
  explicit Pending(Join join) : join_(join) {}

  /// Adds the value of block `number`. Blocks are counted from 0, and come in order.
  void add(Index number, Value value) {
    for (; (number & 1) != 0; number >>= 1) value = join_left(value);
    values_[depth_++] = value;
  }

  /// Adds the value of the elements after the last block.
  void add_rest(Value value) { values_[depth_++] = value; }

  /// The value of all blocks; `Value{}` without blocks. Since a left child without a right sibling
  /// passes through, pending values are joined from the right.
  Value finish() {
    if (depth_ == 0) return Value{};
    Value value = values_[--depth_];
    while (depth_ > 0) value = join_left(value);
    return value;
  }

 private:
  Value join_left(Value value) {
    // There are few joins, mostly none. GCC would vectorise them for a sum, and setting up its
    // vectors takes longer than all the rest.
    asm("" : "+r"(depth_));
    return join_(values_[--depth_], value);
  }

  Join join_;
  Value values_[64];
  int depth_ = 0;
};

/// Folds a bracket of `count` ≥ 1 elements that begins a chunk: chunks of `chunk` elements from
/// left to right, then the tree over them (see `Order`). `element(i)` is the i-th element.
template <class Value, class Element, class Join>
Value fold_elements(Index count, Index chunk, Element element, Join join) {
  Pending<Value, Join> pending(join);
  Index number = 0;
  for (Index begin = 0; begin < count; ++number) {
    const Index size = count - begin < chunk ? count - begin : chunk;
    Value value = element(begin);
    for (Index i = 1; i < size; ++i) value = join(value, element(begin + i));
    pending.add(number, value);
    begin += size;
  }
  return pending.finish();
}

/// Folds such a bracket of contiguous elements.
template <class Value, class Join>
Value fold(const Value* elements, Index count, Index chunk, Join join) {
  return fold_elements<Value>(
      count, chunk, [=](Index i) { return elements[i]; }, join);
}

/// Folds such a bracket of vectors, item by item: `items` items of each vector. The vectors lie
/// `stride` values apart.
template <class Value, class Join>
void fold_items(const Value* elements, Index count, Index stride, Index items, Index chunk,
                Join join, Value* target) {
  // A few items at a time go through all elements, so that pending values stay in cache.
  constexpr Index most = sizeof(Value) < 512 ? 512 / static_cast<Index>(sizeof(Value)) : 1;
  using Strip = std::array<Value, static_cast<std::size_t>(most)>;
  for (Index first = 0; first < items; first += most) {
    const Index size = items - first < most ? items - first : most;
    const auto strip = [=](Index i) {
      Strip values{};
      std::copy_n(elements + i * stride + first, size, values.begin());
      return values;
    };
    const auto join_strips = [=](const Strip& left, const Strip& right) {
      Strip values{};
      for (std::size_t i = 0; i < static_cast<std::size_t>(size); ++i) {
        values[i] = join(left[i], right[i]);
      }
      return values;
    };
    std::copy_n(fold_elements<Strip>(count, chunk, strip, join_strips).begin(), size,
                target + first);
  }
}

}  // namespace bracket
