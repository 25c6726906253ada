#include "bracket/runtime/measure.hpp"

#include <sched.h>

#include <algorithm>
#include <fstream>
#include <thread>

#include "bracket/model/error.hpp"

namespace bracket {

namespace {

/// Largest k such that at most 2.5 % of samples of size n have fewer than k of their values below
/// the true median: the k-th smallest and k-th largest value bound it with 95 % confidence.
std::size_t order_statistic(std::size_t n) {
  double probability = 1;  // of exactly `below` values below the median, times 2^n
  for (std::size_t i = 0; i < n; ++i) probability /= 2;
  double tail = 0;
  std::size_t below = 0;
  while (below < n && tail + probability <= 0.025) {
    tail += probability;
    probability *= static_cast<double>(n - below) / static_cast<double>(below + 1);
    ++below;
  }
  return below;
}

}  // namespace

Summary summarize(std::span<const double> seconds) {
  if (seconds.empty()) throw Error("no repetition was measured");
  std::vector<double> sorted(seconds.begin(), seconds.end());
  std::sort(sorted.begin(), sorted.end());
  const std::size_t n = sorted.size();
  // Beyond a thousand samples 2^-n underflows; the interval is then that of a thousand evenly
  // chosen ones, which is wider.
  std::size_t k = n <= 1000 ? order_statistic(n) : order_statistic(1000) * n / 1000;
  k = std::max<std::size_t>(k, 1);
  const double median = (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
  return {n, median, sorted[k - 1], sorted[n - k]};
}

Environment environment(const Communicator& communicator) {
  Environment found;
  found.ranks = communicator.size();
  std::ifstream cpu_info("/proc/cpuinfo");
  for (std::string line; std::getline(cpu_info, line);) {
    if (line.starts_with("model name") && line.find(": ") != std::string::npos) {
      found.processor = line.substr(line.find(": ") + 2);
      break;
    }
  }
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(version, &length);
  found.mpi_library = std::string(version, static_cast<std::size_t>(length));
  found.mpi_library = found.mpi_library.substr(0, found.mpi_library.find_first_of(",\n"));
#if defined(__clang__)
  found.compiler = "Clang " __clang_version__;
#elif defined(__GNUC__)
  found.compiler = "GCC " __VERSION__;
#endif
  MPI_Comm host = MPI_COMM_NULL;
  check_mpi(
      MPI_Comm_split_type(communicator.handle(), MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host),
      "MPI_Comm_split_type");
  // Ranks may each be bound to cores of their own: what counts is all of them together.
  cpu_set_t mine;
  CPU_ZERO(&mine);
  // Fails where the kernel knows more cores than the set can hold.
  const bool known = sched_getaffinity(0, sizeof mine, &mine) == 0;
  cpu_set_t all;
  check_mpi(MPI_Allreduce(&mine, &all, sizeof mine, MPI_BYTE, MPI_BOR, host), "MPI_Allreduce");
  int ranks_on_host = 0;
  check_mpi(MPI_Comm_size(host, &ranks_on_host), "MPI_Comm_size");
  check_mpi(MPI_Comm_free(&host), "MPI_Comm_free");
  const auto cores =
      known ? CPU_COUNT(&all) : static_cast<int>(std::thread::hardware_concurrency());
  int figures[2] = {ranks_on_host, cores};
  check_mpi(MPI_Bcast(figures, 2, MPI_INT, 0, communicator.handle()), "MPI_Bcast");
  found.ranks_on_host = figures[0];
  found.cores_available = figures[1];
  return found;
}

}  // namespace bracket
