// SPDX-License-Identifier: MIT

#include "program/fused_computation.hpp"

#include <cstring>
#include <numeric>
#include <utility>

#include "bracket/runtime/memory.hpp"

namespace bracket::runtime {

namespace {

constexpr std::size_t slot_alignment = 64;

}  // namespace

FusedComputation::FusedComputation(std::vector<std::unique_ptr<Computation>> all,
                                   std::vector<std::size_t> of_item)
    : all_(std::move(all)), of_item_(std::move(of_item)) {
  // A multiple of each size, so that the distance between slots is a whole number of partials.
  for (const auto& one : all_) slot_bytes_ = std::lcm(slot_bytes_, one->value_bytes());
}

std::shared_ptr<void> FusedComputation::make_slots(std::size_t count) const {
  // Zeros, since the bytes between partials are sent, too.
  return make_zeroed(count * slot_bytes_, slot_alignment);
}

void FusedComputation::fold_own(Index first, Index count, Index item, Index items, void* target) {
  for (Index i = 0; i < items; ++i) {
    of(item + i).fold_own(first, count, item + i, 1, slot(target, i));
  }
}

void FusedComputation::copy_own(Index first, Index count, Index item, Index items, void* target) {
  for (Index k = 0; k < count; ++k) {
    for (Index i = 0; i < items; ++i) {
      of(item + i).copy_own(first + k, 1, item + i, 1, slot(target, k * items + i));
    }
  }
}

void FusedComputation::fold(const void* from, Index stride, Index count, Index item, Index items,
                            void* target) {
  for (Index i = 0; i < items; ++i) {
    Computation& computation = of(item + i);
    const auto partials = static_cast<Index>(slot_bytes_ / computation.value_bytes());
    computation.fold(slot(from, i), stride * partials, count, item + i, 1, slot(target, i));
  }
}

void FusedComputation::copy(const void* from, Index stride, Index count, Index items,
                            void* target) {
  for (Index k = 0; k < count; ++k) {
    std::memmove(slot(target, k * items), slot(from, k * stride),
                 static_cast<std::size_t>(items) * slot_bytes_);
  }
}

void FusedComputation::join(const void* left, const void* right, Index item, Index items,
                            void* target) {
  for (Index i = 0; i < items; ++i) {
    of(item + i).join(slot(left, i), slot(right, i), item + i, 1, slot(target, i));
  }
}

}  // namespace bracket::runtime
