// SPDX-License-Identifier: MIT

#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "bracket/model/operation.hpp"
#include "bracket/runtime/computation.hpp"
#include "bracket/runtime/device.hpp"

namespace bracket::runtime {

/// Computes like a computation of the host, but folds the rank's own elements on the device in
/// whose memory they lie. The device folds the brackets that every run needs in one launch for each
/// item, when the run begins.
class DeviceComputation final : public Computation {
 public:
  /// Over items with these cells, arrays and memory, which must exist as long as the computation.
  /// `asked` are the operations of the items, null for one of the program's own.
  DeviceComputation(std::unique_ptr<Computation> host, const FieldCells* cells,
                    const FieldArrays* arrays, const std::vector<const Operation*>& asked,
                    Index chunk, device::ArrayMemory& memory);

  /// Announces a fold of every run, of elements by their numbers among the rank's own.
  void expect(std::size_t item, Range elements);

  /// Looks up where the arrays lie, and folds what is announced. Returns the computation of this
  /// run: that of the host if all arrays lie there. Throws `Error` for an operation that devices do
  /// not have, for two factors in different memories, and if a device fails.
  Computation& begin_run() {
    bool on_device = false;
    for (std::size_t item = 0; item < items_.size(); ++item) {
      items_[item].device = device_of(item);
      on_device |= items_[item].device != device::no_device;
    }
    if (!on_device) return *host_;
    fold_expected();
    return *this;
  }

  [[nodiscard]] std::size_t value_bytes() const override { return host_->value_bytes(); }
  [[nodiscard]] std::shared_ptr<void> make_slots(std::size_t count) const override {
    return host_->make_slots(count);
  }
  void fold_own(Index first, Index count, Index item, Index items, void* target) override;
  void copy_own(Index first, Index count, Index item, Index items, void* target) override;
  void fold(const void* from, Index stride, Index count, Index item, Index items,
            void* target) override {
    host_->fold(from, stride, count, item, items, target);
  }
  void copy(const void* from, Index stride, Index count, Index items, void* target) override {
    host_->copy(from, stride, count, items, target);
  }
  void join(const void* left, const void* right, Index item, Index items, void* target) override {
    host_->join(left, right, item, items, target);
  }

 private:
  struct Item {
    const Operation* operation = nullptr;
    std::vector<Range> expected;     // ascending
    int device = device::no_device;  // in whose memory the arrays of this run lie
    std::unique_ptr<device::Fold> fold;
    std::vector<std::byte> values;  // of what is expected
  };

  [[nodiscard]] int device_of(std::size_t item) const {
    const FieldArrays& arrays = arrays_[item];
    const FieldCells& cells = cells_[item];
    if (arrays.make != nullptr || cells.elements.count() == 0) return device::no_device;
    const int device = memory_.device_of(arrays.elements);
    if (cells.factors && memory_.device_of(arrays.factors) != device) refuse_two_memories();
    return device;
  }
  [[noreturn]] static void refuse_two_memories();
  void fold_expected();
  [[nodiscard]] device::Source source(std::size_t item) const;
  void start(std::size_t item);
  void fold_on_device(std::size_t item, Range elements, std::byte* target);

  std::unique_ptr<Computation> host_;
  const FieldCells* cells_;
  const FieldArrays* arrays_;
  Index chunk_;
  device::ArrayMemory& memory_;
  std::vector<Item> items_;
};

}  // namespace bracket::runtime
