// SPDX-License-Identifier: MIT

#pragma once

#include <memory>

#include "bracket/runtime/device.hpp"

namespace bracket::runtime::device {

/// Parts of the functions in device.hpp, for each kind of device.
std::unique_ptr<Fold> make_emulated_fold(const Operation& operation, const Launch& launch);
std::unique_ptr<Fold> make_cuda_fold(const Operation& operation, const Launch& launch);
std::shared_ptr<void> allocate_cuda(std::size_t bytes);
void copy_cuda(void* target, const void* source, std::size_t bytes);

}  // namespace bracket::runtime::device
