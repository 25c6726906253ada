// SPDX-License-Identifier: MIT

#include "reducer/device_computation.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

namespace bracket::runtime {

DeviceComputation::DeviceComputation(std::unique_ptr<Computation> host, const FieldCells* cells,
                                     const FieldArrays* arrays,
                                     const std::vector<const Operation*>& asked, Index chunk,
                                     device::ArrayMemory& memory)
    : host_(std::move(host)),
      cells_(cells),
      arrays_(arrays),
      chunk_(chunk),
      memory_(memory),
      items_(asked.size()) {
  for (std::size_t item = 0; item < asked.size(); ++item) items_[item].operation = asked[item];
}

void DeviceComputation::expect(std::size_t item, Range elements) {
  auto& expected = items_[item].expected;
  const auto place = std::lower_bound(expected.begin(), expected.end(), elements);
  if (place == expected.end() || *place != elements) expected.insert(place, elements);
}

void DeviceComputation::fold_expected() {
  for (std::size_t item = 0; item < items_.size(); ++item) {
    if (items_[item].device != device::no_device) start(item);
  }
  for (Item& item : items_) {
    if (item.device != device::no_device) item.fold->finish(item.values.data());
  }
}

/// Begins to fold what is expected of an item.
void DeviceComputation::start(std::size_t number) {
  Item& item = items_[number];
  if (item.operation == nullptr) {
    throw Error("devices do not call an operator of your own: reduce arrays of the host");
  }
  if (item.fold == nullptr) {
    item.fold = device::make_fold(memory_.device_kind(), *item.operation);
    item.values.resize(item.expected.size() * item.fold->value_bytes());
  }
  item.fold->start(source(number), item.expected);
}

void DeviceComputation::refuse_two_memories() {
  throw Error(
      "the elements and the factors lie in different memories: both must lie in that of the host "
      "or of one device");
}

device::Source DeviceComputation::source(std::size_t item) const {
  return {cells_[item], arrays_[item], chunk_, items_[item].device};
}

void DeviceComputation::fold_on_device(std::size_t number, Range elements, std::byte* target) {
  Item& item = items_[number];
  const auto place = std::lower_bound(item.expected.begin(), item.expected.end(), elements);
  if (place == item.expected.end() || *place != elements) {
    item.fold->start(source(number), {&elements, 1});
    item.fold->finish(target);
    return;
  }
  const std::size_t bytes = item.fold->value_bytes();
  std::memcpy(target,
              item.values.data() + static_cast<std::size_t>(place - item.expected.begin()) * bytes,
              bytes);
}

void DeviceComputation::fold_own(Index first, Index count, Index item, Index items, void* target) {
  auto* next = static_cast<std::byte*>(target);
  for (Index k = item; k < item + items; ++k, next += value_bytes()) {
    if (items_[static_cast<std::size_t>(k)].device != device::no_device) {
      fold_on_device(static_cast<std::size_t>(k), {first, first + count}, next);
    } else {
      host_->fold_own(first, count, k, 1, next);
    }
  }
}

void DeviceComputation::copy_own(Index first, Index count, Index item, Index items, void* target) {
  const auto slot = [&](Index element, Index k) {
    return static_cast<std::byte*>(target) +
           static_cast<std::size_t>(element * items + k - item) * value_bytes();
  };
  for (Index k = item; k < item + items; ++k) {
    const Item& own = items_[static_cast<std::size_t>(k)];
    if (own.device == device::no_device) {
      for (Index i = 0; i < count; ++i) host_->copy_own(first + i, 1, k, 1, slot(i, k));
      continue;
    }
    const std::size_t bytes = own.fold->value_bytes();
    std::vector<std::byte> values(static_cast<std::size_t>(count) * bytes);
    own.fold->copy(source(static_cast<std::size_t>(k)), {first, first + count}, values.data());
    for (Index i = 0; i < count; ++i) {
      std::memcpy(slot(i, k), values.data() + static_cast<std::size_t>(i) * bytes, bytes);
    }
  }
}

}  // namespace bracket::runtime
