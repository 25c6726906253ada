// SPDX-License-Identifier: MIT

#include "common/launch.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <string_view>
#include <thread>

#include "bracket/model/spec.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

namespace bracket::tools {

namespace {

/// Variables of Open MPI, of MPICH and its relatives, and of Slurm's srun. SLURM_NTASKS is not
/// usable, because a batch script has it as well.
constexpr std::array size_variables{"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"};
constexpr std::array rank_variables{"OMPI_COMM_WORLD_RANK", "PMI_RANK"};

/// Slurm's number of the rank. It says nothing about the ranks of an mpiexec that Slurm started:
/// they inherit it.
constexpr const char* number_by_slurm = "SLURM_PROCID";

/// Time for a line on stderr to reach the launcher.
constexpr std::chrono::milliseconds time_to_speak{500};

/// Returns 1 if the variable is not a number. The user did not write it, so there is no error.
Rank count_of(const char* name) {
  const char* const written = std::getenv(name);
  if (written == nullptr) return 1;
  try {
    return static_cast<Rank>(
        std::clamp<Index>(parse_integer(written, name), 1, std::numeric_limits<Rank>::max()));
  } catch (const Error&) {
    return 1;
  }
}

/// Ends the process with `code`. MPICH's launcher returns 1 if it sees the rank's connection closed
/// before the rank's exit code. Therefore this function first sends the code by the PMI 1 protocol,
/// as MPI_Abort does once MPI has started. The launcher forwards no output after that, so it first
/// gets time to forward earlier output.
[[noreturn]] void leave_launch(int code) {
  if (const char* const connection = std::getenv("PMI_FD")) {
    std::this_thread::sleep_for(time_to_speak);
    ::dprintf(std::atoi(connection), "cmd=abort exitcode=%d\n", code);
  }
  ::_exit(code);
}

}  // namespace

Rank launched_ranks() {
  Rank most = 1;
  for (const char* const name : size_variables) most = std::max(most, count_of(name));
  return most;
}

bool launched() {
  return std::any_of(size_variables.begin(), size_variables.end(),
                     [](const char* name) { return std::getenv(name) != nullptr; });
}

std::optional<Rank> rank_of_launch() {
  for (const char* const name : {rank_variables[0], rank_variables[1], number_by_slurm}) {
    const char* const written = std::getenv(name);
    if (written == nullptr) continue;
    try {
      const Index rank = parse_integer(written, name);
      if (rank >= 0 && rank <= std::numeric_limits<Rank>::max()) return static_cast<Rank>(rank);
    } catch (const Error&) {
      return std::nullopt;  // the user did not write it
    }
  }
  return launched() ? std::nullopt : std::optional<Rank>(0);
}

bool first_of_launch() {
  bool any = false;
  for (const char* const name : rank_variables) {
    const char* const rank = std::getenv(name);
    if (rank == nullptr) continue;
    if (rank != std::string_view("0")) return false;
    any = true;
  }
  if (any || count_of("SLURM_STEP_NUM_TASKS") == 1) return true;
  const char* const rank = std::getenv(number_by_slurm);
  return rank == nullptr || rank == std::string_view("0");
}

void allow_oversubscription() {
  ::setenv("OMPI_MCA_rmaps_base_oversubscribe", "1", 0);
  ::setenv("PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe", 0);
}

void check_alone(const std::string& mpi_library) {
  // A program that a rank of another launch started also has the variables of that launch. One
  // variable that says "alone" is therefore enough.
  for (const char* const name : size_variables) {
    if (std::getenv(name) != nullptr && count_of(name) == 1) return;
  }
  const Rank ranks = launched_ranks();
  if (ranks == 1) return;
  if (!first_of_launch()) std::this_thread::sleep_for(time_to_speak);
  throw Error(text("the launcher started ", ranks, " ranks, but each is alone in ", mpi_library,
                   ", which this program was built with: use the mpiexec of that library"));
}

std::chrono::duration<double> usual_start_limit(Rank ranks) {
  return std::chrono::duration<double>(60 + 0.1 * ranks);
}

std::chrono::duration<double> start_limit(std::chrono::duration<double> usual) {
  constexpr const char* name = "BRACKET_START_SECONDS";
  const char* const written = std::getenv(name);
  if (written == nullptr) return usual;
  const double seconds = parse_number(written, name);
  // A condition variable's clock ends after some 292 years.
  if (!(seconds > 0 && seconds <= 1e9)) {
    throw Error(text(name, " must be more than 0 and at most 1e9 seconds, not ", written));
  }
  return std::chrono::duration<double>(seconds);
}

void start_within(std::chrono::duration<double> limit, const std::function<void()>& start) {
  std::mutex mutex;
  std::condition_variable changed;
  bool started = false;
  std::thread watch([&] {
    std::unique_lock lock(mutex);
    if (changed.wait_for(lock, limit, [&] { return started; })) return;
    fmt::print(stderr,
               "bracket: MPI did not start in {:g} seconds: either a rank of this launch runs "
               "another command, which never joins, or the machine needs longer "
               "(BRACKET_START_SECONDS)\n",
               limit.count());
    std::fflush(stderr);
    leave_launch(exit_code_bad_input);
  });
  start();
  {
    const std::lock_guard lock(mutex);
    started = true;
  }
  changed.notify_one();
  watch.join();
}

}  // namespace bracket::tools
