// SPDX-License-Identifier: MIT

#include "bracket/runtime/folder.hpp"

#include <bit>
#include <cstdint>
#include <cstring>

#include "bracket/runtime/kernel.hpp"
#include "bracket/runtime/memory.hpp"
#include "bracket/runtime/threads.hpp"

namespace bracket::runtime {

SharedFold::SharedFold(Index chunk, Index items, int threads, std::size_t value_bytes,
                       std::size_t value_alignment)
    : chunk_(chunk), threads_(threads), value_bytes_(value_bytes) {
  check_threads(threads);
  if (threads == 1) return;
  for_each_part(threads, threads, [](Index) { check_floating_point(); });
  blocks_ = make_zeroed(static_cast<std::size_t>(most_blocks() * slim(items)) * value_bytes,
                        value_alignment);
}

void SharedFold::run(Fold* fold, const void* fold_context, Join* join, const void* join_context,
                     Index first, Index count, Index item, Index items, void* target) {
  const auto value = [this](void* values, Index number) -> void* {
    return static_cast<std::byte*>(values) + static_cast<std::size_t>(number) * value_bytes_;
  };
  if (items > slim(items)) {
    // Each thread folds its share of the items.
    for_each_part(threads_, threads_, [&](Index part) {
      const Index begin = items * part / threads_;
      const Index end = items * (part + 1) / threads_;
      fold(fold_context, first, count, item + begin, end - begin, value(target, begin));
    });
    return;
  }
  // Each part is one aligned bracket.
  const Index chunks = (count - 1) / chunk_ + 1;
  const auto least = static_cast<std::uint64_t>((chunks - 1) / most_blocks() + 1);
  const Index block = static_cast<Index>(std::bit_ceil(least)) * chunk_;
  const Index blocks = (count - 1) / block + 1;
  void* const values = blocks_.get();
  for_each_part(threads_, blocks, [&](Index part) {
    const Index begin = part * block;
    fold(fold_context, first + begin, std::min(block, count - begin), item, items,
         value(values, part * items));
  });
  // The tree over the blocks, level by level. A left child without a right sibling passes through
  // unchanged.
  for (Index width = 1; width < blocks; width *= 2) {
    for (Index left = 0; left + width < blocks; left += 2 * width) {
      for (Index k = 0; k < items; ++k) {
        join(join_context, value(values, left * items + k),
             value(values, (left + width) * items + k));
      }
    }
  }
  std::memcpy(target, values, static_cast<std::size_t>(items) * value_bytes_);
}

}  // namespace bracket::runtime
