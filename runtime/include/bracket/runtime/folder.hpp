#pragma once

#include <algorithm>
#include <bit>
#include <memory>
#include <type_traits>

#include "bracket/runtime/fold.hpp"
#include "bracket/runtime/kernel.hpp"
#include "bracket/runtime/threads.hpp"

namespace bracket {

/// A *source* gives a rank's elements to a folder:
///
///     void fold(operation, chunk, first, count, item, items, Value* target)
///     void copy(operation, first, count, item, items, Value* target)
///
/// `count` >= 1 elements from the rank's own number `first` on, of each the items from `item` on,
/// folded in chunks of `chunk` or one by one, to `target`, where items lie side by side.

/// The source of elements that are values: vectors of them behind each other, `stride` from one to
/// the next.
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

/// Folds brackets of chunks by an operation (see operation.hpp), with one thread or several: the
/// bits are the same, since the threads fold brackets of one tree.
template <class Operation>
class Folder {
 public:
  using Value = typename Operation::Value;

  /// `chunk` elements are folded from left to right, unless the operation is associative and there
  /// are threads to share them; `items` are the most that an element has.
  /// Throws `Error` as `check_threads` does, and as `check_floating_point` for each thread, since
  /// each has a mode of its own.
  Folder(Operation operation, Index chunk, Index items, int threads)
      : operation_(operation),
        chunk_(threads > 1 && operation.associative ? 1 : chunk),
        threads_(threads) {
    check_threads(threads);
    if (threads > 1) for_each_part(threads, threads, [](Index) { check_floating_point(); });
    if (threads > 1) {
      blocks_ = std::make_unique<Value[]>(static_cast<std::size_t>(most_blocks() * slim(items)));
    }
  }

  /// Folds `count` ≥ 1 elements of a source from the one of number `first` on, `items` of each from
  /// `item` on, to `target`. Allocates nothing.
  template <class Source>
  void fold(const Source& source, Index first, Index count, Index item, Index items,
            Value* target) {
    constexpr auto bytes = static_cast<Index>(sizeof(typename Operation::Element));
    const bool worth_threads = threads_ > 1 && count * items >= fewest_bytes / bytes;
    if (!worth_threads) {
      source.fold(operation_, chunk_, first, count, item, items, target);
    } else if (items > slim(items)) {
      fold_slices(source, first, count, item, items, target);
    } else {
      fold_blocks(source, first, count, item, items, target);
    }
  }

  [[nodiscard]] const Operation& operation() const { return operation_; }

 private:
  /// Less than this is folded sooner than threads are woken.
  static constexpr Index fewest_bytes = 128 * 1024;

  /// Enough for the last, incomplete one, and whoever has one more, not to be waited for.
  [[nodiscard]] Index most_blocks() const { return Index{64} * threads_; }

  /// `items`, up to where they are enough for all threads.
  [[nodiscard]] Index slim(Index items) const { return std::min(items, Index{16} * threads_); }

  /// Each part some of the items.
  template <class Source>
  void fold_slices(const Source& source, Index first, Index count, Index item, Index items,
                   Value* target) {
    for_each_part(threads_, threads_, [&](Index part) {
      const Index begin = items * part / threads_;
      const Index end = items * (part + 1) / threads_;
      source.fold(operation_, chunk_, first, count, item + begin, end - begin, target + begin);
    });
  }

  /// Each part one aligned bracket, whose neighbours are joined in the end.
  template <class Source>
  void fold_blocks(const Source& source, Index first, Index count, Index item, Index items,
                   Value* target) {
    const Index chunks = (count - 1) / chunk_ + 1;
    const auto least = static_cast<std::uint64_t>((chunks - 1) / most_blocks() + 1);
    const Index block = static_cast<Index>(std::bit_ceil(least)) * chunk_;
    const Index whole = count / block;
    const Index rest = count - whole * block;
    Value* const values = blocks_.get();
    for_each_part(threads_, whole + (rest > 0 ? 1 : 0), [&](Index part) {
      source.fold(operation_, chunk_, first + part * block, part < whole ? block : rest, item,
                  items, values + part * items);
    });
    const Index blocks = whole + (rest > 0 ? 1 : 0);
    for (Index k = 0; k < items; ++k) {
      // The blocks are the elements of a tree over them: one each, whatever the chunks were.
      target[k] = fold_elements<Value>(
          blocks, 1, [&](Index i) { return values[i * items + k]; },
          [&](const Value& left, const Value& right) { return operation_.join(left, right); });
    }
  }

  Operation operation_;
  Index chunk_;
  int threads_;
  std::unique_ptr<Value[]> blocks_;  // not a vector, which has no places for bool
};

}  // namespace bracket
