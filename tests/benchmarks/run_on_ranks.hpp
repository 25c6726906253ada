// SPDX-License-Identifier: MIT

#pragma once

#include <fmt/format.h>
#include <mpi.h>

#include <exception>
#include <vector>

#include "bracket/runtime/measure.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "bracket/support/whole_number.hpp"

namespace bracket::benchmarks {

/// The main function of a program that mpiexec starts: prints where it runs, and calls
/// `measure(communicator, elements)` for each number of elements that the command line has, or for
/// those in `counts`. Returns the exit code. After a failure, all ranks end with exit code 2.
template <class Measure>
int run_on_ranks(int argc, char** argv, std::vector<Index> counts, Measure measure) {
  MPI_Init(&argc, &argv);
  int code = 0;
  try {
    const Communicator world(MPI_COMM_WORLD);
    const runtime::Environment where = runtime::environment(world);
    if (world.rank() == 0) {
      fmt::print("{}, {} ranks, {}\n", where.processor, where.ranks, where.mpi_library);
    }
    if (argc > 1) counts.clear();
    for (int i = 1; i < argc; ++i) {
      counts.push_back(support::parse_count(argv[i], "the number of elements"));
      if (counts.back() < 0) throw Error(text(counts.back(), " elements: the least number is 0"));
    }
    for (const Index elements : counts) measure(world, elements);
  } catch (const std::exception& failure) {
    fmt::print(stderr, "{}\n", failure.what());
    code = 2;
    MPI_Abort(MPI_COMM_WORLD, code);
  }
  MPI_Finalize();
  return code;
}

}  // namespace bracket::benchmarks
