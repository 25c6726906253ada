// SPDX-License-Identifier: MIT

#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "bracket/runtime/computation.hpp"

namespace bracket::runtime {

/// Computes each item by one of several computations. Their partials may differ in size, so a slot
/// has room for any of them.
class FusedComputation final : public Computation {
 public:
  /// Computes item k by `all[of_item[k]]`.
  FusedComputation(std::vector<std::unique_ptr<Computation>> all, std::vector<std::size_t> of_item);

  [[nodiscard]] std::size_t value_bytes() const override { return slot_bytes_; }
  [[nodiscard]] std::shared_ptr<void> make_slots(std::size_t count) const override;
  void fold_own(Index first, Index count, Index item, Index items, void* target) override;
  void copy_own(Index first, Index count, Index item, Index items, void* target) override;
  void fold(const void* from, Index stride, Index count, Index item, Index items,
            void* target) override;
  void copy(const void* from, Index stride, Index count, Index items, void* target) override;
  void join(const void* left, const void* right, Index item, Index items, void* target) override;

 private:
  [[nodiscard]] Computation& of(Index item) const {
    return *all_[of_item_[static_cast<std::size_t>(item)]];
  }
  [[nodiscard]] const std::byte* slot(const void* first, Index number) const {
    return static_cast<const std::byte*>(first) + static_cast<std::size_t>(number) * slot_bytes_;
  }
  [[nodiscard]] std::byte* slot(void* first, Index number) const {
    return static_cast<std::byte*>(first) + static_cast<std::size_t>(number) * slot_bytes_;
  }

  std::vector<std::unique_ptr<Computation>> all_;
  std::vector<std::size_t> of_item_;
  std::size_t slot_bytes_ = 1;
};

}  // namespace bracket::runtime
