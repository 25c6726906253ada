// SPDX-License-Identifier: MIT

#include "bracket/runtime/device.hpp"
#include "device/cuda_device.hpp"
#include "device/kinds.hpp"

namespace bracket::runtime::device {

void check_cuda(cudaError_t status, const char* call) {
  if (status == cudaSuccess) return;
  throw Error(text("CUDA: ", call, ": ", cudaGetErrorString(status)));
}

CurrentDevice::CurrentDevice(int number) {
  check_cuda(cudaGetDevice(&former_), "cudaGetDevice");
  check_cuda(cudaSetDevice(number), "cudaSetDevice");
}

CurrentDevice::~CurrentDevice() { static_cast<void>(cudaSetDevice(former_)); }

void* CudaDevice::Memory::reserve(std::size_t bytes) {
  if (bytes > bytes_) {
    void* room = nullptr;
    room_.reset();
    bytes_ = 0;
    check_cuda(cudaHostAlloc(&room, bytes, cudaHostAllocPortable | cudaHostAllocMapped),
               "cudaHostAlloc");
    room_ = {room, [](void* memory) { static_cast<void>(cudaFreeHost(memory)); }};
    bytes_ = bytes;
  }
  return room_.get();
}

void CudaDevice::wait() {
  const CurrentDevice current(number_);
  check_cuda(cudaStreamSynchronize(cudaStreamLegacy), "cudaStreamSynchronize");
}

int CudaDevice::multiprocessors() const {
  int count = 0;
  check_cuda(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, number_),
             "cudaDeviceGetAttribute");
  return count;
}

bool built_for_cuda() { return true; }

int cuda_devices() {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    return 0;
  }
  return count;
}

std::shared_ptr<void> allocate_cuda(std::size_t bytes) {
  void* room = nullptr;
  check_cuda(cudaMalloc(&room, bytes), "cudaMalloc");
  return {room, [](void* memory) { static_cast<void>(cudaFree(memory)); }};
}

void copy_cuda(void* target, const void* source, std::size_t bytes) {
  check_cuda(cudaMemcpy(target, source, bytes, cudaMemcpyDefault), "cudaMemcpy");
}

void wait_for_stream(std::uintptr_t stream) {
  check_cuda(cudaStreamSynchronize(reinterpret_cast<cudaStream_t>(stream)),
             "cudaStreamSynchronize");
}

}  // namespace bracket::runtime::device
