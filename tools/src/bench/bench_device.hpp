// SPDX-License-Identifier: MIT

#pragma once

#include <functional>
#include <memory>
#include <span>

#include "bench/bench_size.hpp"
#include "bracket/runtime/communicator.hpp"
#include "device_sum.hpp"
#include "mpi/unordered_sums.hpp"

namespace bracket::tools {

/// The candidates of `bench --device`, over a copy of the elements in the memory of a CUDA device.
class BenchDevice {
 public:
  /// Whether this rank finds a device.
  static bool found();

  /// Why no rank has a device, in words.
  static const char* reason();

  BenchDevice(const Communicator& world, const UnorderedSums& unordered)
      : world_(world), unordered_(unordered) {}

  /// Copies elements to the device, in place of earlier ones.
  void copy(std::span<const double> elements);

  /// Returns the timed action of an entrant over some of the copied elements, which puts its result
  /// into `sum`. Collective. Throws as `Reducer` does.
  std::function<void()> action(const BenchSize::Entrant& entrant, std::span<const double> elements,
                               double& sum);

 private:
  const Communicator& world_;
  const UnorderedSums& unordered_;
  std::shared_ptr<void> room_;
  const double* copied_ = nullptr;  // the first of the host's elements
  std::shared_ptr<baseline::DeviceSum> device_sum_;
};

}  // namespace bracket::tools
