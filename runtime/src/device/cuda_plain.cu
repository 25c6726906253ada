// SPDX-License-Identifier: MIT

#include "device/cuda_device.hpp"
#include "device/device_fold.hpp"
#include "device/kinds.hpp"

namespace bracket::runtime::device {

// In cuda_binned.cu, which compiles side by side.
extern template std::unique_ptr<Fold> make_binned_fold(const Operation&, const CudaDevice&,
                                                       const Launch&);

std::unique_ptr<Fold> make_cuda_fold(const Operation& operation, const Launch& launch) {
  return make_fold_on(CudaDevice(), operation, launch);
}

}  // namespace bracket::runtime::device
