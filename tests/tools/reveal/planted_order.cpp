// SPDX-License-Identifier: MIT

// An MPI_Allreduce with a planted fault, for LD_PRELOAD: the order of a sum of doubles depends on
// the item, on the run or on the rank, as PLANTED in the environment says.
#include <mpi.h>

#include <cstdlib>
#include <string_view>
#include <vector>

extern "C" int MPI_Allreduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op,
                             MPI_Comm communicator) {
  static int runs = 0;
  const char* const planted = std::getenv("PLANTED");
  if (type != MPI_DOUBLE || op != MPI_SUM || planted == nullptr) {
    return PMPI_Allreduce(from, to, count, type, op, communicator);
  }
  const std::string_view fault(planted);
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(communicator, &rank);
  MPI_Comm_size(communicator, &ranks);
  std::vector<double> all(static_cast<std::size_t>(count) * static_cast<std::size_t>(ranks));
  const int code =
      PMPI_Allgather(from, count, MPI_DOUBLE, all.data(), count, MPI_DOUBLE, communicator);
  ++runs;
  for (int item = 0; item < count; ++item) {
    const int first = (fault == "item" ? item : fault == "run" ? runs : rank) % ranks;
    const auto operand = [&](int i) {
      return all[static_cast<std::size_t>((first + i) % ranks * count + item)];
    };
    double sum = operand(0);
    for (int i = 1; i < ranks; ++i) sum += operand(i);
    static_cast<double*>(to)[item] = sum;
  }
  return code;
}
