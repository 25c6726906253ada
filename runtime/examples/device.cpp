// SPDX-License-Identifier: MIT

// Sums an array in the memory of a CUDA device, with the bits of the same array on the host. On any
// number of ranks it prints the same line, or says that there is no device.

#include <cuda_runtime.h>

#include <bit>
#include <bracket/runtime/reducer.hpp>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

using bracket::Index;

void check(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

void run(Index elements) {
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    if (rank == 0) std::puts("skipped: there is no CUDA device");
    return;
  }
  check(cudaSetDevice(rank % devices));

  std::vector<double> mine;  // this rank's slab of the sequence
  for (Index i = elements * rank / ranks; i < elements * (rank + 1) / ranks; ++i) {
    mine.push_back(1.0 / static_cast<double>(i + 1));
  }
  const std::size_t bytes = mine.size() * sizeof(double);
  double* on_device = nullptr;
  double* result_on_device = nullptr;
  check(cudaMalloc(&on_device, bytes + 1));
  check(cudaMalloc(&result_on_device, sizeof(double)));
  check(cudaMemcpy(on_device, mine.data(), bytes, cudaMemcpyHostToDevice));

  bracket::Reducer<double> sum(MPI_COMM_WORLD,
                               bracket::Layout::contiguous(static_cast<Index>(mine.size())));
  const double of_host = *sum.run(mine);
  const double of_device = *sum.run({on_device, mine.size()});   // the result on the host
  sum.run({{{on_device, mine.size()}}}, {result_on_device, 1});  // and on the device
  double copied = 0;
  check(cudaMemcpy(&copied, result_on_device, sizeof copied, cudaMemcpyDeviceToHost));
  check(cudaFree(on_device));
  check(cudaFree(result_on_device));
  if (rank > 0) return;
  std::printf("%016llX %016llX %016llX\n", std::bit_cast<unsigned long long>(of_host),
              std::bit_cast<unsigned long long>(of_device),
              std::bit_cast<unsigned long long>(copied));
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  try {
    run(argc > 1 ? std::stoll(argv[1]) : 1000);
  } catch (const std::exception& wrong) {
    std::fprintf(stderr, "%s\n", wrong.what());
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  MPI_Finalize();
}
