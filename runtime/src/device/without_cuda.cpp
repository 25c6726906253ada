// SPDX-License-Identifier: MIT

#include "bracket/support/error.hpp"
#include "device/kinds.hpp"

namespace bracket::runtime::device {

namespace {

[[noreturn]] void refuse() {
  throw Error(
      "this build of Bracket has no CUDA: arrays in the memory of a device need a build with "
      "-DBRACKET_DEVICE=ON");
}

}  // namespace

std::unique_ptr<Fold> make_cuda_fold(const Operation& /*operation*/, const Launch& /*launch*/) {
  refuse();
}

bool built_for_cuda() { return false; }
int cuda_devices() { return 0; }
std::shared_ptr<void> allocate_cuda(std::size_t /*bytes*/) { refuse(); }
void copy_cuda(void* /*target*/, const void* /*source*/, std::size_t /*bytes*/) { refuse(); }
void wait_for_stream(std::uintptr_t /*stream*/) { refuse(); }

}  // namespace bracket::runtime::device
