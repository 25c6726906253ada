// SPDX-License-Identifier: MIT

#include "bench/bench_device.hpp"

#include "bracket/runtime/device.hpp"
#include "bracket/runtime/reducer.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

namespace bracket::tools {

bool BenchDevice::found() { return runtime::device::cuda_devices() > 0; }

const char* BenchDevice::reason() {
  return runtime::device::built_for_cuda() ? "a rank finds no CUDA device"
                                           : "this build of Bracket has no CUDA";
}

void BenchDevice::copy(std::span<const double> elements) {
  constexpr auto cuda = runtime::device::Kind::cuda;
  room_.reset();
  copied_ = elements.data();
  if (elements.empty()) return;
  room_ = runtime::device::allocate(cuda, elements.size_bytes());
  runtime::device::copy_bytes(cuda, room_.get(), elements.data(), elements.size_bytes());
}

std::function<void()> BenchDevice::action(const BenchSize::Entrant& entrant,
                                          std::span<const double> elements, double& sum) {
  const auto count = static_cast<Index>(elements.size());
  const double* const array =
      count == 0 ? nullptr : static_cast<const double*>(room_.get()) + (elements.data() - copied_);
  if (entrant.plan == nullptr && entrant.algorithm == nullptr) {
    if (device_sum_ == nullptr) device_sum_ = std::make_shared<baseline::DeviceSum>();
    return [this, array, count, &sum] {
      sum = unordered_.combine(count == 0 ? 0 : (*device_sum_)(array, count));
    };
  }
  Settings settings;
  settings.memory = "cuda";
  settings.algorithm =
      entrant.algorithm != nullptr ? entrant.algorithm->spec() : entrant.sharing->order.spec();
  if (entrant.plan != nullptr) settings.plan = entrant.plan->spec();
  const auto reducer = std::make_shared<Reducer<double>>(
      world_.handle(), Field(Layout::contiguous(count), entrant.sharing->distribution), settings);
  return [reducer, array, count, &sum] {
    sum = reducer->run({array, static_cast<std::size_t>(count)}).value();
  };
}

}  // namespace bracket::tools
