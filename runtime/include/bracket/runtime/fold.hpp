// SPDX-License-Identifier: MIT

#pragma once

#include <bit>
#include <cfloat>
#include <cstdint>

#include "bracket/model/range.hpp"

// Additions must round once each, in the order written.
#ifdef __FAST_MATH__
#error "Bracket's sums lose their bits under -ffast-math or -Ofast: add -fno-fast-math behind it"
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

/// Folds such a bracket of elements that do not lie side by side, in blocks of at most `most`
/// elements, a power of two. `fold_block(first, size)` folds a bracket of whole chunks.
/// `extend(value, first, size, begins)` continues a chunk of more than `most` elements: its value
/// so far, and the next elements from left to right, which begin the chunk if `begins`.
template <class Value, class FoldBlock, class Extend, class Join>
Value fold_in_blocks(Index count, Index chunk, Index most, FoldBlock fold_block, Extend extend,
                     Join join) {
  Pending<Value, Join> pending(join);
  Index number = 0;
  if (chunk > most) {
    for (Index begin = 0; begin < count; begin += chunk) {
      const Index end = count - begin < chunk ? count : begin + chunk;
      Value value{};
      for (Index next = begin; next < end; next += most) {
        extend(value, next, end - next < most ? end - next : most, next == begin);
      }
      pending.add(number++, value);
    }
    return pending.finish();
  }
  // A block is a whole bracket of the tree over chunks.
  const Index block =
      chunk * static_cast<Index>(std::bit_floor(static_cast<std::uint64_t>(most / chunk)));
  Index begin = 0;
  for (; count - begin >= block; begin += block) pending.add(number++, fold_block(begin, block));
  if (begin < count) pending.add_rest(fold_block(begin, count - begin));
  return pending.finish();
}

}  // namespace bracket
