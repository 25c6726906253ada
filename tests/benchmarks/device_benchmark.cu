// SPDX-License-Identifier: MIT

// Compares folds of device memory with CUB's sum, whose bits depend on the device, and with a copy
// within the device. All candidates take turns within one measurement. `device` is the time on the
// device, `whole` the time until the result is on the host; both are medians. `gigabytes` counts
// the bytes that a candidate reads and writes, per second of device time.
//
//     benchmark_device [--sweep | --once] [ELEMENTS ...]
//
// `--sweep` compares shapes of the launch. `--once` runs every candidate twice, for profilers.

#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cub/device/device_reduce.cuh>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "bracket/model/operation.hpp"
#include "bracket/runtime/device.hpp"

namespace {

using namespace bracket;
using namespace bracket::runtime;

int repetitions = 15;
int warm_up = 3;

void check(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(status));
  std::exit(1);
}

/// Numbers from −1 to 1 by a hash of their index.
template <class Number>
__global__ void fill(Number* elements, Index count) {
  for (Index i = blockIdx.x * Index{256} + threadIdx.x; i < count; i += gridDim.x * Index{256}) {
    std::uint64_t mixed = (static_cast<std::uint64_t>(i) + 1) * 0x9E3779B97F4A7C15u;
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBu;
    elements[i] = static_cast<Number>(static_cast<double>(mixed >> 11) * 0x1p-52 - 1);
  }
}

/// A candidate: `start` enqueues its work, `finish` waits and brings the result to the host.
struct Candidate {
  std::string name;
  double bytes;
  std::function<void()> start;
  std::function<void()> finish;
  std::vector<double> device{};
  std::vector<double> whole{};
};

double median(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  return samples[samples.size() / 2];
}

void measure(std::vector<Candidate>& candidates) {
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  std::mt19937 random(1);
  for (int repetition = -warm_up; repetition < repetitions; ++repetition) {
    std::vector<std::size_t> sequence(candidates.size());
    for (std::size_t i = 0; i < sequence.size(); ++i) sequence[i] = i;
    std::shuffle(sequence.begin(), sequence.end(), random);
    for (const std::size_t i : sequence) {
      Candidate& candidate = candidates[i];
      check(cudaDeviceSynchronize());
      const auto start = std::chrono::steady_clock::now();
      candidate.start();
      candidate.finish();
      const std::chrono::duration<double> whole = std::chrono::steady_clock::now() - start;
      check(cudaDeviceSynchronize());
      check(cudaEventRecord(begin, cudaStreamLegacy));
      candidate.start();
      check(cudaEventRecord(end, cudaStreamLegacy));
      candidate.finish();
      check(cudaEventSynchronize(end));
      float milliseconds = 0;
      check(cudaEventElapsedTime(&milliseconds, begin, end));
      if (repetition < 0) continue;
      candidate.device.push_back(milliseconds * 1e-3);
      candidate.whole.push_back(whole.count());
    }
  }
}

/// The fields that folds read.
struct Folding {
  FieldCells cells;
  FieldArrays arrays;
  std::vector<Range> brackets;
  std::unique_ptr<device::Fold> fold;
  std::vector<std::byte> value;
};

template <class Number>
Candidate folding(const std::string& name, const std::string& spec, const void* array,
                  const Layout& layout, Index chunk = 1, const device::Launch& launch = {}) {
  const auto own = std::make_shared<Folding>();
  own->cells.elements = Cells(layout, sizeof(Number));
  own->arrays.elements = array;
  own->brackets = {{0, own->cells.elements.count()}};
  own->fold = device::make_fold(device::Kind::cuda, make_operation(spec), launch);
  own->value.resize(own->fold->value_bytes());
  return {name, static_cast<double>(own->cells.elements.count()) * sizeof(Number),
          [own, chunk] {
            own->fold->start({own->cells, own->arrays, chunk, 0}, own->brackets);
          },
          [own] { own->fold->finish(own->value.data()); }};
}

template <class Number>
Candidate by_cub(const Number* array, Index count) {
  struct Rooms {
    std::shared_ptr<void> scratch;
    std::size_t bytes = 0;
    std::shared_ptr<void> result = device::allocate(device::Kind::cuda, sizeof(Number));
    Number sum = 0;
  };
  const auto rooms = std::make_shared<Rooms>();
  auto* const result = static_cast<Number*>(rooms->result.get());
  check(cub::DeviceReduce::Sum(nullptr, rooms->bytes, array, result, count));
  rooms->scratch = device::allocate(device::Kind::cuda, rooms->bytes);
  return {"CUB", static_cast<double>(count) * sizeof(Number),
          [=] {
            check(cub::DeviceReduce::Sum(rooms->scratch.get(), rooms->bytes, array, result, count,
                                         cudaStreamLegacy));
          },
          [=] { check(cudaMemcpy(&rooms->sum, result, sizeof(Number), cudaMemcpyDeviceToHost)); }};
}

template <class Number>
void run(Index count, bool sweep) {
  constexpr auto bytes = static_cast<Index>(sizeof(Number));
  const std::string type = sizeof(Number) == 8 ? "float64" : "float32";
  const auto room =
      device::allocate(device::Kind::cuda, static_cast<std::size_t>((count + 16) * bytes));
  auto* const array = static_cast<Number*>(room.get());
  fill<<<4096, 256>>>(array, count + 16);
  check(cudaGetLastError());
  const auto copied = device::allocate(device::Kind::cuda, static_cast<std::size_t>(count * bytes));
  const Layout all = Layout::contiguous(count);
  std::vector<Candidate> candidates;
  candidates.push_back(by_cub(array, count));
  candidates.push_back({"copy", 2.0 * static_cast<double>(count * bytes),
                        [=] {
                          check(cudaMemcpyAsync(copied.get(), array,
                                                static_cast<std::size_t>(count * bytes),
                                                cudaMemcpyDeviceToDevice, cudaStreamLegacy));
                        },
                        [] { check(cudaStreamSynchronize(cudaStreamLegacy)); }});
  const auto add = [&](const std::string& name, const std::string& operation, const void* from,
                       const Layout& layout, Index chunk = 1, const device::Launch& launch = {}) {
    candidates.push_back(
        folding<Number>(name, operation + "/" + type, from, layout, chunk, launch));
  };
  add("tree", "sum", array, all);
  add("tree, misaligned", "sum", array + 1, all);
  if (sweep) {
    for (const int warps : {2, 4, 8}) {
      for (const int tiles : {2, 4, 8, 16, 32}) {
        const std::string shape = std::to_string(warps) + "x" + std::to_string(tiles);
        add("tree " + shape, "sum", array, all, 1, {warps, tiles, 0});
      }
      for (const int tiles : {16, 64, 256, 1024}) {
        const std::string shape = std::to_string(warps) + "x" + std::to_string(tiles);
        add("binned:3 " + shape, "binned:3/sum", array, all, 1, {warps, tiles, 0});
        add("minimum " + shape, "minimum", array, all, 1, {warps, tiles, 0});
      }
    }
  } else {
    add("chunked-tree:64", "sum", array, all, 64);
    add("product", "product", array, all);
    for (const char* bins : {"1", "2", "3", "4", "8"}) {
      add(std::string("binned:") + bins, std::string("binned:") + bins + "/sum", array, all);
    }
    add("double-double", "double-double/sum", array, all);
    add("minimum", "minimum", array, all);
    add("maximum-location", "maximum-location", array, all);
    add("tree, every second", "sum", array, {{count / 2}, {}, {2 * bytes}, 0});
    add("tree, rows of 1000 of 1024", "sum", array,
        {{count / 1024, 1024}, {{0, count / 1024}, {12, 1012}}, {}, 0});
    if (sizeof(Number) == 4) add("widened tree", "widened/sum", array, all);
  }
  measure(candidates);
  const double cub = median(candidates[0].device);
  const double cub_whole = median(candidates[0].whole);
  std::printf("%s, %lld elements\n%-28s %12s %10s %10s %12s %10s\n", type.c_str(),
              static_cast<long long>(count), "candidate", "device µs", "gigabytes", "to CUB",
              "whole µs", "to CUB");
  for (const Candidate& candidate : candidates) {
    const double seconds = median(candidate.device);
    const double whole = median(candidate.whole);
    std::printf("%-28s %12.2f %10.0f %10.3f %12.2f %10.3f\n", candidate.name.c_str(), seconds * 1e6,
                candidate.bytes / seconds * 1e-9, seconds / cub, whole * 1e6, whole / cub_whole);
  }
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  if (device::cuda_devices() == 0) {
    std::fprintf(stderr, "skipped: no CUDA device was found\n");
    return 0;
  }
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, 0));
  std::printf("%s, %d multiprocessors, medians of %d\n", properties.name,
              properties.multiProcessorCount, repetitions);
  bool sweep = false;
  std::vector<Index> sizes;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--sweep") == 0) {
      sweep = true;
    } else if (std::strcmp(argv[i], "--once") == 0) {
      repetitions = 1;
      warm_up = 0;
    } else {
      sizes.push_back(std::atoll(argv[i]));
    }
  }
  if (sizes.empty()) sizes = {1'000'000, 10'000'000, 100'000'000, 1'000'000'000};
  for (const Index size : sizes) {
    run<double>(size, sweep);
    run<float>(size, sweep);
  }
}
