// SPDX-License-Identifier: MIT

#include "accumulator/pending_brackets.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>

#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

namespace bracket::runtime {

namespace {

constexpr Index most_elements = std::numeric_limits<Index>::max();

/// The most brackets of a frontier, one that is pushed, and two for intermediate values.
constexpr std::size_t slots = 2 * 63 + 3;

/// Number of elements in the largest bracket from `begin` on that has at most `count`.
Index largest_bracket(Index begin, Index count) {
  const auto most = static_cast<Index>(std::bit_floor(static_cast<std::uint64_t>(count)));
  return begin == 0 ? most : std::min(most, begin & -begin);
}

}  // namespace

PendingBrackets::PendingBrackets(const FieldOperation& operation, std::size_t element_bytes,
                                 int threads)
    : operation_(operation),
      associative_(operation.associative()),
      cells_{Cells(Layout::contiguous(most_elements / static_cast<Index>(element_bytes)),
                   element_bytes),
             std::nullopt, 0},
      computation_(operation.computation(&cells_, &arrays_, 1, threads)),
      slots_(computation_->make_slots(slots)) {
  brackets_.reserve(slots);
}

bool PendingBrackets::joinable(Range left, Range right) const {
  return associative_ || (left.size() == right.size() && left.begin / left.size() % 2 == 0);
}

void PendingBrackets::push(Index count) {
  brackets_.push_back({elements_.end, elements_.end + count});
  elements_.end += count;
  while (brackets_.size() > 1) {
    const std::size_t right = brackets_.size() - 1;
    if (!joinable(brackets_[right - 1], brackets_[right])) return;
    computation_->join(slot(right - 1), slot(right), 0, 1, slot(right - 1));
    brackets_[right - 1].end = brackets_[right].end;
    brackets_.pop_back();
  }
}

void PendingBrackets::append(const void* elements, Index count) {
  if (count > most_elements - elements_.end) {
    throw Error(text(count, " elements after those up to ", elements_.end,
                     ": a 64-bit index cannot count as many"));
  }
  arrays_.elements = elements;
  cells_.begin = elements_.end;
  for (Index done = 0; done < count;) {
    const Index size = associative_ ? count : largest_bracket(elements_.end, count - done);
    computation_->fold_own(done, size, 0, 1, slot(brackets_.size()));
    push(size);
    done += size;
  }
}

void PendingBrackets::append(const PendingBrackets& other) {
  for (std::size_t i = 0; i < other.brackets_.size(); ++i) {
    std::memcpy(slot(brackets_.size()), other.slot(i), computation_->value_bytes());
    push(other.brackets_[i].size());
  }
}

void PendingBrackets::combine(Range range, void* target) const {
  const auto begins = [&](const Range& bracket) { return bracket.begin == range.begin; };
  const auto ends = [&](const Range& bracket) { return bracket.end == range.end; };
  const auto first = std::find_if(brackets_.begin(), brackets_.end(), begins);
  const auto last = std::find_if(first, brackets_.end(), ends);
  if (last == brackets_.end()) {
    throw Error(text("the plan needs the elements ", range,
                     " themselves, which an accumulator does not keep: choose another plan, such "
                     "as aggregated"));
  }
  // A left child without a right sibling passes through, so pending values are joined from the
  // right.
  auto number = static_cast<std::size_t>(last - brackets_.begin());
  const void* value = slot(number);
  for (const auto end = static_cast<std::size_t>(first - brackets_.begin()); number > end;) {
    --number;
    void* const joined = slot(slots - 1 - number % 2);
    computation_->join(slot(number), value, 0, 1, joined);
    value = joined;
  }
  std::memcpy(target, value, computation_->value_bytes());
}

}  // namespace bracket::runtime
