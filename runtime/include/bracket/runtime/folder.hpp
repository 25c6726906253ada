#pragma once

#include <algorithm>
#include <bit>
#include <vector>

#include "bracket/runtime/fold.hpp"
#include "bracket/runtime/kernel.hpp"
#include "bracket/runtime/threads.hpp"

namespace bracket {

/// Folds brackets of chunks by an operation, with one thread or several: the bits are the same,
/// since the threads fold brackets of one tree. `Operation` as in `Executor`.
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
    if (threads > 1) blocks_.resize(static_cast<std::size_t>(most_blocks() * slim(items)));
  }

  /// Folds `count` ≥ 1 elements, `items` of each, which lie `stride` apart, to `target`. Allocates
  /// nothing.
  void fold(const Value* elements, Index count, Index stride, Index items, Value* target) {
    const bool worth_threads =
        threads_ > 1 && count * items >= fewest_bytes / static_cast<Index>(sizeof(Value));
    if (!worth_threads) {
      fold_alone(elements, count, stride, items, target);
    } else if (items > slim(items)) {
      fold_slices(elements, count, stride, items, target);
    } else {
      fold_blocks(elements, count, stride, items, target);
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

  void fold_alone(const Value* elements, Index count, Index stride, Index items,
                  Value* target) const {
    if (items == 1 && stride == 1) {
      *target = operation_.fold(elements, count, chunk_);
    } else {
      operation_.fold_items(elements, count, stride, items, chunk_, target);
    }
  }

  /// Each part some of the items.
  void fold_slices(const Value* elements, Index count, Index stride, Index items, Value* target) {
    for_each_part(threads_, threads_, [&](Index part) {
      const Index first = items * part / threads_;
      const Index end = items * (part + 1) / threads_;
      fold_alone(elements + first, count, stride, end - first, target + first);
    });
  }

  /// Each part one aligned bracket, whose neighbours are joined in the end.
  void fold_blocks(const Value* elements, Index count, Index stride, Index items, Value* target) {
    const Index chunks = (count - 1) / chunk_ + 1;
    const auto least = static_cast<std::uint64_t>((chunks - 1) / most_blocks() + 1);
    const Index block = static_cast<Index>(std::bit_ceil(least)) * chunk_;
    const Index whole = count / block;
    const Index rest = count - whole * block;
    Value* const values = blocks_.data();
    for_each_part(threads_, whole + (rest > 0 ? 1 : 0), [&](Index part) {
      fold_alone(elements + part * block * stride, part < whole ? block : rest, stride, items,
                 values + part * items);
    });
    const Index blocks = whole + (rest > 0 ? 1 : 0);
    for (Index item = 0; item < items; ++item) {
      // The blocks are the elements of a tree over them: one each, whatever the chunks were.
      target[item] = fold_elements<Value>(
          blocks, 1, [&](Index i) { return values[i * items + item]; },
          [&](const Value& left, const Value& right) { return operation_.join(left, right); });
    }
  }

  Operation operation_;
  Index chunk_;
  int threads_;
  std::vector<Value> blocks_;
};

}  // namespace bracket
