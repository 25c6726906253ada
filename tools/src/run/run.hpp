#pragma once

#include <string>
#include <vector>

#include "bracket/input/input.hpp"
#include "bracket/runtime/digest.hpp"
#include "common/arithmetic.hpp"
#include "common/options.hpp"
#include "mpi/measurement.hpp"
#include "mpi/mpi.hpp"
#include "rows/report.hpp"

/// What `run` does on one rank, by what it is asked for.
namespace bracket::tools {

struct RunOptions {
  InputOptions input;
  ScheduleOptions schedule;
  ArithmeticOptions arithmetic;
  bool order_given = false;
  bool plan_given = false;
  std::string schedule_file;
  std::string kernel;
  int threads = 1;
  MeasurementOptions measurement;
  bool json = false;
};

/// Sums of float64, or of vectors of them, by `Executor` and `NativeExecutor`.
void run_executors(const RunOptions& options, const Communicator& world);

/// Any arithmetic, by `AnyReducer`.
void run_reducers(const RunOptions& options, const Communicator& world);

/// The columns of a report of runs, the last of them for the result.
std::vector<Column> run_columns(std::vector<Column> result);

/// Throws `CollectiveError` if the ranks have opened inputs of different forms: in the working
/// directories of two machines one name may be of two files. Collective.
void agree_on_input(const Communicator& world, const Input& input);

/// The digest of all ranks' elements in their global sequence: 16 hexadecimal
/// digits. `mine` is that of this rank's. Collective.
std::string elements_digest(const Communicator& world, Digest mine);

/// 16 hexadecimal digits.
std::string digest_text(std::uint64_t digest);

/// Messages of all ranks in each of `runs` runs, from those that this rank has sent. Collective.
Index messages_of_a_run(const Communicator& world, Index sent, Index runs);

}  // namespace bracket::tools
