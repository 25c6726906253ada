// SPDX-License-Identifier: MIT

#include "device_sum.hpp"

#include <cub/device/device_reduce.cuh>

#include "bracket/runtime/device.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

namespace bracket::baseline {

namespace {

void check(cudaError_t status) {
  if (status != cudaSuccess) throw Error(text("CUDA: CUB's sum: ", cudaGetErrorString(status)));
}

}  // namespace

DeviceSum::DeviceSum()
    : result_(runtime::device::allocate(runtime::device::Kind::cuda, sizeof(double))) {}

double DeviceSum::operator()(const double* elements, Index count) {
  auto* const result = static_cast<double*>(result_.get());
  std::size_t bytes = 0;
  check(cub::DeviceReduce::Sum(nullptr, bytes, elements, result, count, cudaStreamLegacy));
  if (bytes > scratch_.bytes) {
    scratch_.place = runtime::device::allocate(runtime::device::Kind::cuda, bytes);
    scratch_.bytes = bytes;
  }
  check(cub::DeviceReduce::Sum(scratch_.place.get(), bytes, elements, result, count, cudaStreamLegacy));
  double sum = 0;
  runtime::device::copy_bytes(runtime::device::Kind::cuda, &sum, result, sizeof sum);
  return sum;
}

}  // namespace bracket::baseline
