// SPDX-License-Identifier: MIT

#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>
#include <type_traits>

#include "bracket/model/work.hpp"
#include "bracket/runtime/fold.hpp"
#include "bracket/runtime/kernel.hpp"
#include "bracket/runtime/threads.hpp"

namespace bracket::runtime {

/// Folds `count` ≥ 1 vectors of `items` items that lie `stride` values apart, from left to right,
/// item by item.
template <class Value, class Join>
void fold_in_sequence(const Value* elements, Index count, Index stride, Index items, Join join,
                      Value* __restrict target) {
  std::copy_n(elements, items, target);
  for (Index i = 1; i < count; ++i) {
    const Value* const element = elements + i * stride;
    for (Index k = 0; k < items; ++k) target[k] = join(target[k], element[k]);
  }
}

/// Folds such vectors, four of them, by the tree over them.
template <class Value, class Join>
void fold_four(const Value* elements, Index stride, Index items, Join join,
               Value* __restrict target) {
  const Value* const second = elements + stride;
  const Value* const third = second + stride;
  const Value* const fourth = third + stride;
  for (Index k = 0; k < items; ++k) {
    target[k] = join(join(elements[k], second[k]), join(third[k], fourth[k]));
  }
}

/// Items that go through all elements at a time, so that their values stay in cache.
template <class Value>
constexpr Index items_at_once = sizeof(Value) < 1024 ? 1024 / static_cast<Index>(sizeof(Value)) : 1;

/// Folds such vectors by an associative operation. `target` does not overlap them.
template <class Value, class Join>
void fold_items_in_sequence(const Value* elements, Index count, Index stride, Index items,
                            Join join, Value* target) {
  constexpr Index most = items_at_once<Value>;
  for (Index first = 0; first < items; first += most) {
    fold_in_sequence(elements + first, count, stride, std::min(most, items - first), join,
                     target + first);
  }
}

/// Folds a bracket of vectors that begins a chunk (see fold.hpp), item by item: `items` items of
/// each vector. The vectors lie `stride` values apart. `target` does not overlap them.
template <class Value, class Join>
void fold_items(const Value* elements, Index count, Index stride, Index items, Index chunk,
                Join join, Value* target) {
  // Blocks of four elements, or chunks, are joined like the carries of a binary counter (see
  // `Pending`).
  constexpr Index most = items_at_once<Value>;
  constexpr Index levels = 64;
  alignas(64) std::byte storage[static_cast<std::size_t>(levels * most) * sizeof(Value)];
  auto* const pending = reinterpret_cast<Value*>(storage);
  const Index block = chunk == 1 ? 4 : chunk;
  const auto fold_block = [&](const Value* element, Index taken, Index size, Value* value) {
    if (chunk == 1 && taken == 4) {
      fold_four(element, stride, size, join, value);
    } else {
      fold_in_sequence(element, taken, stride, size, join, value);
    }
  };
  if (count <= block) {
    for (Index first = 0; first < items; first += most) {
      fold_block(elements + first, count, std::min(most, items - first), target + first);
    }
    return;
  }
  for (Index first = 0; first < items; first += most) {
    const Index size = std::min(most, items - first);
    Index depth = 0;
    const auto join_last = [&] {
      --depth;
      Value* __restrict left = pending + (depth - 1) * most;
      const Value* __restrict right = pending + depth * most;
      for (Index k = 0; k < size; ++k) left[k] = join(left[k], right[k]);
    };
    const Value* element = elements + first;
    Index left = count;
    for (Index number = 0; left > 0; ++number) {
      Value* const value = pending + depth++ * most;
      const Index taken = std::min(block, left);
      fold_block(element, taken, size, value);
      element += taken * stride;
      left -= taken;
      for (Index rest = number; (rest & 1) != 0; rest >>= 1) join_last();
    }
    while (depth > 1) join_last();
    std::copy_n(pending, size, target + first);
  }
}

/// A *source* gives a rank's elements to a folder:
///
///     void fold(operation, chunk, first, count, item, items, Value* target)
///     void copy(operation, first, count, item, items, Value* target)
///     void use_block(operation, chunk, first, item, fit, use)     // optional
///
/// They read `count` >= 1 of the rank's own elements from number `first` on, and of each element
/// `items` items from `item` on. They fold them in chunks of `chunk`, or copy them one by one, to
/// `target`, where items are contiguous.
///
/// `use_block` is for brackets of one item that follow each other, the first from number `first`
/// on. `fit(most, unit)` counts the elements of as many of them as begin at a multiple of `unit`
/// elements, a power of two, and have at most `most` elements together. `use_block` puts as many
/// elements side by side, unless they are, and calls `use(block, count)`. Then
/// `block.fold(operation, chunk, first, count)` folds one of the brackets. `use_block` does nothing
/// if the first bracket does not fit.

/// The source of elements that are values: vectors of them, `stride` values apart.
template <class Operation>
struct Vectors {
  using Value = typename Operation::Value;

  static constexpr bool of_elements = std::is_same_v<Value, typename Operation::Element>;

  const Value* values = nullptr;
  Index stride = 1;

  struct Block {
    const Value* values = nullptr;
    Index index = 0;  ///< of the first

    [[nodiscard]] Value fold(const Operation& operation, Index chunk, Index first,
                             Index count) const requires of_elements {
      return operation.fold(values + first, count, chunk, index + first);
    }
  };

  template <class Fit, class Use>
  void use_block(const Operation&, Index /*chunk*/, Index first, Index /*item*/, const Fit& fit,
                 const Use& use) const requires of_elements {
    const Index count = stride == 1 ? fit(std::numeric_limits<Index>::max(), Index{1}) : 0;
    if (count > 0) use(Block{values + first, first}, count);
  }

  void fold(const Operation& operation, Index chunk, Index first, Index count, Index item,
            Index items, Value* target) const {
    const Value* const begin = values + first * stride + item;
    if constexpr (of_elements) {
      if (items == 1 && stride == 1) {
        *target = operation.fold(begin, count, chunk, first);
        return;
      }
    }
    const auto join = [&](const Value& left, const Value& right) {
      return operation.join(left, right);
    };
    if constexpr (Operation::associative) {
      fold_items_in_sequence(begin, count, stride, items, join, target);
    } else {
      fold_items(begin, count, stride, items, chunk, join, target);
    }
  }

  void copy(const Operation&, Index first, Index count, Index item, Index items,
            Value* target) const {
    const Value* const begin = values + first * stride + item;
    if (items == stride) {
      std::copy_n(begin, count * items, target);
      return;
    }
    for (Index i = 0; i < count; ++i) std::copy_n(begin + i * stride, items, target + i * items);
  }
};

/// Shares folds among the threads of a rank. It has no static types, since OpenMP's loops take long
/// to compile for each type.
class SharedFold {
 public:
  /// Folds a bracket, as a source does.
  using Fold = void(const void* context, Index first, Index count, Index item, Index items,
                    void* target);
  /// Joins two neighbours: `left` becomes left ∘ right.
  using Join = void(const void* context, void* left, const void* right);

  /// `chunk` elements are folded from left to right; `items` is the largest number of items of an
  /// element. Throws `Error` as `check_threads` does, and as `check_floating_point` does for each
  /// thread, since each has a mode of its own.
  SharedFold(Index chunk, Index items, int threads, std::size_t value_bytes,
             std::size_t value_alignment);

  /// Whether it takes longer to fold so many elements than to wake the threads.
  [[nodiscard]] bool pays(Index elements, Index element_bytes) const {
    return threads_ > 1 && elements >= bytes_for_threads / element_bytes;
  }

  /// Folds `count` ≥ 1 elements from number `first` on, `items` items of each from `item` on, to
  /// `target`. Allocates no memory.
  void run(Fold* fold, const void* fold_context, Join* join, const void* join_context, Index first,
           Index count, Index item, Index items, void* target);

 private:
  /// Enough blocks that threads seldom wait for the last, incomplete one, or for a thread that has
  /// one more.
  [[nodiscard]] Index most_blocks() const { return Index{64} * threads_; }

  /// `items`, at most as many as are enough for all threads.
  [[nodiscard]] Index slim(Index items) const { return std::min(items, Index{16} * threads_); }

  Index chunk_;
  int threads_;
  std::size_t value_bytes_;
  std::shared_ptr<void> blocks_;
};

/// Folds brackets of chunks by an operation (see reductions.hpp), with one thread or several. The
/// bits are the same, since the threads fold brackets of one tree.
template <class Operation>
class Folder {
 public:
  using Value = typename Operation::Value;

  /// `chunk` elements are folded from left to right, unless the operation is associative: then
  /// their grouping is open. `items` is the largest number of items of an element. Throws `Error`
  /// as `SharedFold` does.
  Folder(Operation operation, Index chunk, Index items, int threads)
      : operation_(operation),
        chunk_(threads > 1 && operation.associative ? 1 : chunk),
        shared_(chunk_, items, threads, sizeof(Value), alignof(Value)) {}

  /// Folds `count` ≥ 1 elements of a source from number `first` on, `items` items of each from
  /// `item` on, to `target`. Allocates no memory.
  template <class Source>
  void fold(const Source& source, Index first, Index count, Index item, Index items,
            Value* target) {
    const Part<Source> part{*this, source};
    if (shares(count * items)) {
      shared_.run(fold_part<Source>, &part, join, &operation_, first, count, item, items, target);
    } else {
      fold_part<Source>(&part, first, count, item, items, target);
    }
  }

  /// Returns whether several threads fold so many elements.
  [[nodiscard]] bool shares(Index elements) const { return shared_.pays(elements, element_bytes); }

  [[nodiscard]] const Operation& operation() const { return operation_; }
  [[nodiscard]] Index chunk() const { return chunk_; }

 private:
  static constexpr auto element_bytes = static_cast<Index>(sizeof(typename Operation::Element));

  template <class Source>
  struct Part {
    const Folder& folder;
    const Source& source;
  };
  template <class Source>
  static void fold_part(const void* context, Index first, Index count, Index item, Index items,
                        void* target) {
    const auto& [folder, source] = *static_cast<const Part<Source>*>(context);
    source.fold(folder.operation_, folder.chunk_, first, count, item, items,
                static_cast<Value*>(target));
  }
  static void join(const void* operation, void* left, const void* right) {
    auto& value = *static_cast<Value*>(left);
    value =
        static_cast<const Operation*>(operation)->join(value, *static_cast<const Value*>(right));
  }

  Operation operation_;
  Index chunk_;
  SharedFold shared_;
};

}  // namespace bracket::runtime
