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
  std::shared_ptr<void> result_;
  std::shared_ptr<void> scratch_;
  std::size_t scratch_bytes_ = 0;
};

}  // namespace bracket::baseline
