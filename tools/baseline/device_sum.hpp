// SPDX-License-Identifier: MIT

#pragma once

#include <cstddef>
#include <memory>

#include "bracket/model/range.hpp"

namespace bracket::baseline {

/// The sum of float64 in the memory of a CUDA device by CUB's DeviceReduce, whose bits depend on
/// the device.
class DeviceSum {
 public:
  /// Throws `Error` without a device, and without a build for CUDA.
  DeviceSum();

  /// Adds `count` elements, and brings the sum to the host. Throws `Error` if the device fails.
  double operator()(const double* elements, Index count);

 private:
  /// Memory of the device.
  struct Scratch {
    std::shared_ptr<void> place;
    std::size_t bytes = 0;
  };

  std::shared_ptr<void> result_;
  Scratch scratch_;
};

}  // namespace bracket::baseline
