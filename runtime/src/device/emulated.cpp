// SPDX-License-Identifier: MIT

#include "device/device_fold.hpp"
#include "device/emulated_device.hpp"
#include "device/kinds.hpp"

namespace bracket::runtime::device {

std::unique_ptr<Fold> make_emulated_fold(const Operation& operation, const Launch& launch) {
  return make_fold_on(EmulatedDevice(launch.seed), operation, launch);
}

}  // namespace bracket::runtime::device
