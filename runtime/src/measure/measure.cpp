// SPDX-License-Identifier: MIT

#include "bracket/runtime/measure.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <numeric>
#include <random>

#include "bracket/runtime/mailboxes.hpp"
#include "bracket/runtime/node.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/order_statistics.hpp"
#include "measure/caches.hpp"

namespace bracket::runtime {

namespace {

/// How often to call what takes `seconds` so that it takes `least` in all. There is an end: by a
/// coarse clock a call may take nothing.
int calls_for(double seconds, double least) {
  constexpr int most = 1000;
  if (seconds >= least) return 1;
  return seconds * most <= least ? most : static_cast<int>(std::ceil(least / seconds));
}

/// Seconds that reading the clock twice takes.
double seconds_of_clock() {
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 100; ++i) {
    const double start = MPI_Wtime();
    least = std::min(least, MPI_Wtime() - start);
  }
  return least;
}

/// Each of `seconds` := that of the slowest rank.
void take_slowest(const Communicator& communicator, std::span<double> seconds) {
  constexpr std::size_t most = std::size_t{1} << 30;  // what MPI can count
  while (!seconds.empty()) {
    const auto part = seconds.first(std::min(seconds.size(), most));
    check_mpi(MPI_Allreduce(MPI_IN_PLACE, part.data(), static_cast<int>(part.size()), MPI_DOUBLE,
                            MPI_MAX, communicator.handle()),
              "MPI_Allreduce");
    seconds = seconds.subspan(part.size());
  }
}

/// What `time_side_by_side` measures, and what it knows of it.
class Candidate {
 public:
  Candidate(const std::function<void()>& action, const Method& method)
      : action_(action), method_(method) {}

  /// Calls it untimed.
  void lead_in(const Communicator& communicator) const {
    if (method_.cold || method_.lead_in_seconds <= 0) return;
    const int calls = calls_for(with_barrier_, method_.lead_in_seconds);
    for (int call = 0; call < calls; ++call) {
      if (call == 0 || !method_.in_a_row) barrier(communicator);
      action_();
    }
  }

  /// Times the calls of one sample on this rank, after `before_call` and a barrier each, or the
  /// first one if they follow each other.
  void sample(const Communicator& communicator, double clock,
              const std::function<void()>& before_call) {
    const double begin = MPI_Wtime();
    const int calls = method_.in_a_row ? calls_ : 1;  // between two readings of the clock
    for (int call = 0; call < calls_; call += calls) {
      if (before_call) before_call();
      barrier(communicator);
      const double start = MPI_Wtime();
      for (int k = 0; k < calls; ++k) action_();
      const double each = std::max(0.0, MPI_Wtime() - start - clock) / calls;
      seconds_.insert(seconds_.end(), static_cast<std::size_t>(calls), each);
    }
    sample_seconds_ = MPI_Wtime() - begin;
  }

  /// Takes what was timed so far for warming up. Collective, so that all ranks find the same number
  /// of calls.
  void warmed_up(const Communicator& communicator) {
    // The fastest: first calls are slower than what is measured.
    take_slowest(communicator, seconds_);
    fastest_ = std::min(fastest_, mean(seconds_));
    with_barrier_ = sample_seconds_ / calls_;
    take_slowest(communicator, {&with_barrier_, 1});
    if (!method_.cold) calls_ = calls_for(fastest_, method_.least_sample_seconds);
    seconds_.clear();
  }

  /// What was timed since. Collective.
  Samples samples(const Communicator& communicator) {
    take_slowest(communicator, seconds_);
    Samples samples{.seconds = {}, .calls = calls_};
    const auto calls = static_cast<std::size_t>(calls_);
    for (std::size_t first = 0; first < seconds_.size(); first += calls) {
      samples.seconds.push_back(mean(std::span(seconds_).subspan(first, calls)));
    }
    return samples;
  }

 private:
  static double mean(std::span<const double> seconds) {
    return std::accumulate(seconds.begin(), seconds.end(), 0.0) /
           static_cast<double>(seconds.size());
  }

  const std::function<void()>& action_;
  const Method& method_;
  int calls_ = 1;  // in a sample
  double fastest_ = std::numeric_limits<double>::infinity();
  // Of a call and its barrier, in the latest round of the warm-up. With more ranks than cores the
  // barrier takes much longer than the call.
  double with_barrier_ = std::numeric_limits<double>::infinity();
  double sample_seconds_ = 0;    // of the latest sample, with its barriers
  std::vector<double> seconds_;  // of each call
};

}  // namespace

Summary summarize(std::span<const double> seconds) {
  if (seconds.empty()) throw Error("no repetition was measured");
  std::vector<double> sorted(seconds.begin(), seconds.end());
  std::sort(sorted.begin(), sorted.end());
  const std::size_t n = sorted.size();
  const std::size_t k = support::median_interval_rank(n);
  return {n, support::median(sorted), sorted[k - 1], sorted[n - k]};
}

std::vector<Samples> time_side_by_side(const Communicator& communicator,
                                       std::span<const std::function<void()>> actions,
                                       const Method& method) {
  std::function<void()> before_call;
  together(communicator, [&] {
    if (method.cold) before_call = CacheFlush();
  });
  const double clock = seconds_of_clock();
  std::vector<Candidate> candidates;
  candidates.reserve(actions.size());
  for (const auto& action : actions) candidates.emplace_back(action, method);
  std::vector<std::size_t> turns(actions.size());
  std::iota(turns.begin(), turns.end(), std::size_t{0});
  std::mt19937_64 random(method.seed);
  for (int round = -method.warm_up; round < method.repetitions; ++round) {
    if (method.before_round) method.before_round(round);
    std::shuffle(turns.begin(), turns.end(), random);
    for (const std::size_t turn : turns) {
      candidates[turn].lead_in(communicator);
      candidates[turn].sample(communicator, clock, before_call);
    }
    if (round >= 0) continue;
    for (Candidate& candidate : candidates) candidate.warmed_up(communicator);
  }
  // Not between the samples: what a reduction leaves behind would be part of the next one.
  std::vector<Samples> samples;
  for (Candidate& candidate : candidates) samples.push_back(candidate.samples(communicator));
  return samples;
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
  // MPICH's is "MPICH Version:" with a tab.
  if (const auto at = found.mpi_library.find(" Version:\t"); at != std::string::npos) {
    found.mpi_library.replace(at, sizeof " Version:\t" - 1, " ");
  }
#if defined(__clang__)
  found.compiler = "Clang " __clang_version__;
#elif defined(__GNUC__)
  found.compiler = "GCC " __VERSION__;
#endif
  const bool shares =
      agreed_sharing(communicator) != Sharing::never && communicator.node().shares();
  MPI_Comm host = MPI_COMM_NULL;
  check_mpi(
      MPI_Comm_split_type(communicator.handle(), MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host),
      "MPI_Comm_split_type");
  const int cores = count_cores(host);
  int ranks_on_host = 0;
  check_mpi(MPI_Comm_size(host, &ranks_on_host), "MPI_Comm_size");
  check_mpi(MPI_Comm_free(&host), "MPI_Comm_free");
  int figures[3] = {ranks_on_host, cores, shares ? 1 : 0};
  check_mpi(MPI_Bcast(figures, 3, MPI_INT, 0, communicator.handle()), "MPI_Bcast");
  found.ranks_on_host = figures[0];
  found.cores_available = figures[1];
  found.shares_memory = figures[2] != 0;
  return found;
}

}  // namespace bracket::runtime
