// SPDX-License-Identifier: MIT

// Sums 1 / k for k from 1 to N without an array of these numbers. The program exists in C, C++,
// Fortran and Python. It prints the same lines on any number of ranks.

#include <bit>
#include <bracket/runtime/accumulator.hpp>
#include <cstdio>
#include <stdexcept>
#include <string>

using bracket::Index;

double element(Index k) { return 1.0 / static_cast<double>(k); }

void run(Index elements) {
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);

  // The ranks take turns: binned sums do not depend on the sequence.
  bracket::Accumulator<double> binned({.algorithm = "binned"});
  for (Index k = rank + 1; k <= elements; k += ranks) binned.add(element(k));

  // Each rank has a slab of the sequence, which begins at a global index.
  const Index first = elements * rank / ranks;
  const Index end = elements * (rank + 1) / ranks;
  bracket::Accumulator<double> tree({}, first);
  for (Index i = first; i < end; ++i) tree.add(element(i + 1));

  const double sums[] = {binned.reduce(MPI_COMM_WORLD).value(),
                         tree.reduce(MPI_COMM_WORLD).value()};
  if (rank > 0) return;
  std::printf("binned %016llX\n", std::bit_cast<unsigned long long>(sums[0]));
  std::printf("tree %016llX\n", std::bit_cast<unsigned long long>(sums[1]));
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
