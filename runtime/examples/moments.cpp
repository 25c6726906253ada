// SPDX-License-Identifier: MIT

// Mean and variance of 1 / k for k from 1 to N, by an operator of the program. The program exists
// in C, C++, Fortran and Python.
//
//   moments [N] [PLAN.json]
//
// It prints the same lines on any number of ranks, and with any plan file of `bracket tune` for N
// elements in tree order. Compile it with -ffp-contract=off, as for any own operator.

#include <bit>
#include <bracket/runtime/read_plan_file.hpp>
#include <bracket/runtime/reducer.hpp>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

using bracket::Index;

struct Moments {
  double count;
  double mean;
  double squares;  // of the differences to the mean
};

struct Merge {
  Moments operator()(const Moments& a, const Moments& b) const {
    const double count = a.count + b.count;
    const double apart = b.mean - a.mean;
    return {count, a.mean + apart * b.count / count,
            a.squares + b.squares + apart * apart * a.count * b.count / count};
  }
};

void run(Index elements, const std::string& plan_file) {
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);

  // Without a plan file, each rank has a block of the elements.
  bracket::Range held{elements * rank / ranks, elements * (rank + 1) / ranks};
  bracket::Settings settings;
  if (!plan_file.empty()) {
    const auto planned = bracket::read_planned_reduction(MPI_COMM_WORLD, plan_file, elements);
    held = planned.distribution.range(rank);
    settings = bracket::settings_of(planned);
  }

  std::vector<Moments> mine;
  for (Index i = held.begin; i < held.end; ++i) {
    mine.push_back({1, 1 / static_cast<double>(i + 1), 0});
  }
  bracket::Reducer<Moments, Merge> all(MPI_COMM_WORLD, bracket::Layout::contiguous(held.size()),
                                       settings);
  const auto result = all.run(mine);
  if (!result || rank != settings.root.value_or(0)) return;  // rank 0, or the plan's root
  const double variance = result->squares / result->count;
  std::printf("mean %016llX\n", std::bit_cast<unsigned long long>(result->mean));
  std::printf("variance %016llX\n", std::bit_cast<unsigned long long>(variance));
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  try {
    run(argc > 1 ? std::stoll(argv[1]) : 1000, argc > 2 ? argv[2] : "");
  } catch (const std::exception& wrong) {
    std::fprintf(stderr, "%s\n", wrong.what());
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  MPI_Finalize();
}
