// SPDX-License-Identifier: MIT

#include "device/cuda_device.hpp"
#include "device/device_fold.hpp"

namespace bracket::runtime::device {

template std::unique_ptr<Fold> make_binned_fold(const Operation&, const CudaDevice&, const Launch&);

}  // namespace bracket::runtime::device
