// SPDX-License-Identifier: MIT

#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <memory>

#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "device/pieces.hpp"
#include "device/sources.hpp"

namespace bracket::runtime::device {

/// Throws `Error` if a call of CUDA failed.
void check_cuda(cudaError_t status, const char* call);

/// Makes a device the current one, and the former one again at the end.
class CurrentDevice {
 public:
  explicit CurrentDevice(int number);
  ~CurrentDevice();
  CurrentDevice(const CurrentDevice&) = delete;
  CurrentDevice& operator=(const CurrentDevice&) = delete;

 private:
  int former_ = 0;
};

#ifdef __CUDACC__

/// A warp of a CUDA device: each thread has the value of its own lane (see leaf.hpp).
class CudaWarp {
 public:
  template <class Type>
  using Lanes = Type;

  template <class Type>
  static BRACKET_EVERYWHERE Type& at(Type& lanes, int /*lane*/) {
    return lanes;
  }
  template <class Function>
  BRACKET_EVERYWHERE void run(Function function) const {
    function(lane());
  }
  template <class Function>
  BRACKET_EVERYWHERE auto each(Function function) const {
    return function(lane());
  }
  template <class Type>
  static BRACKET_EVERYWHERE Type exchange(const Type& value, int distance) {
    auto words = bytes_as<WordsOf<Type>>(value);
#ifdef __CUDA_ARCH__
#pragma unroll
    for (int i = 0; i < WordsOf<Type>::count; ++i) {
      using Word = std::conditional_t<sizeof words.of[i] == 8, unsigned long long, unsigned>;
      words.of[i] = __shfl_xor_sync(0xFFFFFFFFu, static_cast<Word>(words.of[i]), distance);
    }
#else
    static_cast<void>(distance);
#endif
    return bytes_as<Type>(words);
  }
  template <class Type>
  BRACKET_EVERYWHERE void give(const Type& value, Type& target) const {
    if (lane() == 0) target = value;
  }

 private:
  static BRACKET_EVERYWHERE int lane() {
#ifdef __CUDA_ARCH__
    return static_cast<int>(threadIdx.x) % warp_lanes;
#else
    return 0;
#endif
  }
};

/// A block of a CUDA device.
template <class Value>
class CudaBlock {
 public:
  using Warp = CudaWarp;

  explicit BRACKET_EVERYWHERE CudaBlock(Value* room) : room_(room) {}

  template <class Body>
  BRACKET_EVERYWHERE void for_each_warp(Body body) const {
#ifdef __CUDA_ARCH__
    body(CudaWarp(), static_cast<int>(threadIdx.x) / warp_lanes);
    __syncthreads();
#endif
  }
  BRACKET_EVERYWHERE Value& shared(int warp) const { return room_[warp]; }
  template <class Body>
  BRACKET_EVERYWHERE void by_first_warp(Body body) const {
#ifdef __CUDA_ARCH__
    if (threadIdx.x < warp_lanes) body(CudaWarp());
#endif
  }

 private:
  Value* room_;
};

inline constexpr int most_warps = 8;

template <class Operation, class Source>
__global__ void __launch_bounds__(most_warps* warp_lanes, Operation::blocks)
    fold_pieces(const __grid_constant__ Operation operation, const __grid_constant__ Source source,
                const __grid_constant__ Brackets brackets, Shape shape,
                typename Operation::Value* pieces) {
  using Value = typename Operation::Value;
  __shared__ alignas(alignof(Value)) unsigned char room[sizeof(Value) * most_warps];
  CudaBlock<Value> block(reinterpret_cast<Value*>(room));
  fold_piece(block, operation, source, brackets, shape, blockIdx.x, pieces);
}

template <class Element>
__global__ void __launch_bounds__(256)
    gather_elements(const __grid_constant__ FieldElements<Element> field, Index first, Index count,
                    Element* target) {
  const Index i = static_cast<Index>(blockIdx.x) * 256 + threadIdx.x;
  if (i < count) target[i] = field(first + i);
}

#endif

/// Launches the leaf of devices by CUDA, on the default stream.
class CudaDevice {
 public:
  /// Memory of the host that the devices see.
  class Memory {
   public:
    /// Throws `Error` without a device.
    void* reserve(std::size_t bytes);

   private:
    std::shared_ptr<void> room_;
    std::size_t bytes_ = 0;
  };

  void select(int number) { number_ = number; }
  void wait();
  [[nodiscard]] int multiprocessors() const;

#ifdef __CUDACC__
  template <class Value>
  using Block = CudaBlock<Value>;

  template <class Operation, class Source>
  void fold(const Operation& operation, const Source& source, const Brackets& brackets, Shape shape,
            typename Operation::Value* pieces) {
    const CurrentDevice current(number_);
    fold_pieces<<<static_cast<unsigned>(brackets.pieces),
                  static_cast<unsigned>(shape.warps * warp_lanes), 0, cudaStreamLegacy>>>(
        operation, source, brackets, shape, pieces);
    check_cuda(cudaGetLastError(), "the launch of a fold");
  }
  template <class Element>
  void gather(const FieldElements<Element>& field, Index first, Index count, Element* target) {
    const CurrentDevice current(number_);
    gather_elements<<<static_cast<unsigned>((count - 1) / 256 + 1), 256, 0, cudaStreamLegacy>>>(
        field, first, count, target);
    check_cuda(cudaGetLastError(), "the launch of a copy");
  }
#endif

 private:
  int number_ = 0;
};

}  // namespace bracket::runtime::device
