// SPDX-License-Identifier: MIT

#include "plan/frontier_part.hpp"

#include <algorithm>
#include <utility>

namespace bracket::model {

/// The memory of a thread; empty while a part uses it. Destructors of other objects may make parts
/// when it is gone.
struct FrontierPart::Spare {
  std::unique_ptr<Memory> memory;

  ~Spare() { gone = true; }

  /// Null if it is gone.
  static Spare* of_thread() {
    if (gone) return nullptr;
    thread_local Spare spare;
    return &spare;
  }

 private:
  static thread_local bool gone;  // has no destructor, and so is there as long as the thread
};

thread_local bool FrontierPart::Spare::gone = false;

FrontierPart::FrontierPart(const Problem& problem, Rank rank)
    : order_(problem.order), own_(problem.distribution.range(rank)), items_{0, problem.items} {
  if (Spare* const spare = Spare::of_thread()) memory_ = std::move(spare->memory);
  if (!memory_) memory_ = std::make_unique<Memory>();
  memory_->clear(problem.items);
  find(own_, memory_->covered);
  for (const Partial& partial : memory_->covered.partials) {
    if (!partial.run) memory_->part.fold(partial);
  }
}

FrontierPart::~FrontierPart() {
  Spare* const spare = Spare::of_thread();
  if (spare != nullptr && memory_->is_small()) spare->memory = std::move(memory_);
}

void FrontierPart::Memory::clear(Items items) {
  part.reset(items);
  joined.clear();
  covered.range = {};
  covered.partials.clear();
  other.range = {};
  other.partials.clear();
}

bool FrontierPart::Memory::is_small() const {
  constexpr std::size_t most = 1024;
  return std::max({part.steps().capacity(), part.operands().capacity(), joined.capacity(),
                   covered.partials.capacity(), other.partials.capacity(), sent.capacity(),
                   joins.capacity()}) <= most;
}

void FrontierPart::find(Range range, Known& known) const {
  if (known.range == range) return;
  order_.frontier(range, known.partials);
  known.range = range;
}

/// The partials of `ranges`. Valid until the next call.
std::span<const Partial> FrontierPart::partials(std::span<const Range> ranges, Range items) {
  memory_->sent.clear();
  for (const Range range : ranges) {
    Known& known = range == memory_->covered.range ? memory_->covered : memory_->other;
    find(range, known);
    memory_->sent.insert(memory_->sent.end(), known.partials.begin(), known.partials.end());
  }
  for (Partial& partial : memory_->sent) partial.segment = items;
  return memory_->sent;
}

void FrontierPart::send(Rank to, std::span<const Range> ranges, Range items) {
  memory_->part.send(to, partials(ranges, items));
}

void FrontierPart::recv(Rank from, std::span<const Range> ranges) {
  memory_->part.recv(from, partials(ranges, items_));
}

Range FrontierPart::join(Range left, Range right) {
  if (left.empty()) return right;
  if (right.empty()) return left;
  if (right == memory_->covered.range) std::swap(memory_->covered, memory_->other);
  find(left, memory_->covered);
  find(right, memory_->other);
  memory_->joins.clear();
  append_to_frontier(order_, memory_->covered.partials, memory_->other.partials, memory_->joins);
  memory_->covered.range = {left.begin, right.end};
  for (const auto& [first, second] : memory_->joins) {
    if (!memory_->joined.insert({first.range.begin, second.range.end})) continue;
    memory_->part.join(first.over(items_), second.over(items_));
  }
  return memory_->covered.range;
}

}  // namespace bracket::model
