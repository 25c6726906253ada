#include "bracket/runtime/measure.hpp"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <numeric>
#include <random>
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

/// How often to call what takes `seconds` so that it takes `least` in all. There is an end: by a
/// coarse clock a call may take nothing.
int calls_for(double seconds, double least) {
  constexpr int most = 1000;
  if (seconds >= least) return 1;
  return seconds * most <= least ? most : static_cast<int>(std::ceil(least / seconds));
}

/// Seconds that `calls` calls take on this rank after all have started together.
double time_calls(const Communicator& communicator, const std::function<void()>& action,
                  int calls) {
  barrier(communicator);
  const double start = MPI_Wtime();
  for (int call = 0; call < calls; ++call) action();
  return MPI_Wtime() - start;
}

/// Each of `seconds` := that of the slowest rank.
void take_slowest(const Communicator& communicator, std::vector<double>& seconds) {
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, seconds.data(), static_cast<int>(seconds.size()),
                          MPI_DOUBLE, MPI_MAX, communicator.handle()),
            "MPI_Allreduce");
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

std::vector<Samples> time_side_by_side(const Communicator& communicator,
                                       std::span<const std::function<void()>> actions,
                                       const Method& method) {
  const std::size_t count = actions.size();
  std::vector<std::size_t> turns(count);
  std::iota(turns.begin(), turns.end(), std::size_t{0});
  std::mt19937_64 random(method.seed);
  std::vector<Samples> samples(count);
  std::vector<double> round(count);
  // The fastest of the warm-up: its first calls are slower than what is measured.
  std::vector<double> fastest(count, std::numeric_limits<double>::infinity());
  for (int i = -method.warm_up; i < method.repetitions; ++i) {
    if (method.before_round) method.before_round(i);
    std::shuffle(turns.begin(), turns.end(), random);
    for (const std::size_t turn : turns) {
      if (method.lead_in_seconds > 0) {
        const int calls = calls_for(fastest[turn], method.lead_in_seconds);
        for (int call = 0; call < calls; ++call) actions[turn]();
      }
      round[turn] = time_calls(communicator, actions[turn], samples[turn].calls);
    }
    if (i >= 0) {
      for (std::size_t k = 0; k < count; ++k) {
        samples[k].seconds.push_back(round[k] / samples[k].calls);
      }
      continue;
    }
    // By the slowest rank's time, so that all ranks find the same number of calls.
    take_slowest(communicator, round);
    for (std::size_t k = 0; k < count; ++k) {
      fastest[k] = std::min(fastest[k], round[k] / samples[k].calls);
      samples[k].calls = calls_for(fastest[k], method.least_sample_seconds);
    }
  }
  // Not between the samples: what a reduction leaves behind would be part of the next one.
  for (auto& candidate : samples) take_slowest(communicator, candidate.seconds);
  return samples;
}

std::vector<double> time_repetitions(const Communicator& communicator, int warm_up, int repetitions,
                                     const std::function<void()>& action) {
  const Method method{.warm_up = warm_up,
                      .repetitions = repetitions,
                      .least_sample_seconds = 0,
                      .lead_in_seconds = 0};
  return time_side_by_side(communicator, {&action, 1}, method).front().seconds;
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
