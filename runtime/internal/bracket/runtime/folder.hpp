#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <type_traits>

#include "bracket/runtime/fold.hpp"
#include "bracket/runtime/kernel.hpp"
#include "bracket/runtime/threads.hpp"

namespace bracket::runtime {

/// Folds a bracket of vectors that begins a chunk (see fold.hpp), item by item: `items` items of
/// each vector. The vectors lie `stride` values apart.
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

/// A *source* gives a rank's elements to a folder:
///
///     void fold(operation, chunk, first, count, item, items, Value* target)
///     void copy(operation, first, count, item, items, Value* target)
///
/// Both read `count` >= 1 of the rank's own elements from number `first` on, and of each element
/// `items` items from `item` on. They fold them in chunks of `chunk`, or copy them one by one, to
/// `target`, where items are contiguous.

/// The source of elements that are values: vectors of them, `stride` values apart.
template <class Operation>
struct Vectors {
  using Value = typename Operation::Value;

  const Value* values = nullptr;
  Index stride = 1;

  void fold(const Operation& operation, Index chunk, Index first, Index count, Index item,
            Index items, Value* target) const {
    const Value* const begin = values + first * stride + item;
    if constexpr (std::is_same_v<Value, typename Operation::Element>) {
      if (items == 1 && stride == 1) {
        *target = operation.fold(begin, count, chunk, first);
        return;
      }
    }
    fold_items(
        begin, count, stride, items, chunk,
        [&](const Value& left, const Value& right) { return operation.join(left, right); }, target);
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
    return threads_ > 1 && elements >= 128 * 1024 / element_bytes;
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

  /// `chunk` elements are folded from left to right, unless the operation is associative and
  /// several threads share them; `items` is the largest number of items of an element. Throws
  /// `Error` as `SharedFold` does.
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
    constexpr auto bytes = static_cast<Index>(sizeof(typename Operation::Element));
    if (shared_.pays(count * items, bytes)) {
      shared_.run(fold_part<Source>, &part, join, &operation_, first, count, item, items, target);
    } else {
      fold_part<Source>(&part, first, count, item, items, target);
    }
  }

  [[nodiscard]] const Operation& operation() const { return operation_; }

 private:
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
