// SPDX-License-Identifier: MIT

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bracket/input/input.hpp"
#include "bracket/runtime/digest.hpp"
#include "common/arithmetic.hpp"
#include "common/options.hpp"
#include "common/schedule_options.hpp"
#include "mpi/measurement.hpp"
#include "mpi/mpi_command.hpp"
#include "rows/row_table.hpp"

/// The subcommand `run` on one rank.
namespace bracket::tools {

struct RunOptions {
  /// Reads the files that determine what is run. A schedule is not read if the options ask for
  /// another operation, which it excludes. Throws `Error` as `read_schedule` and
  /// `ScheduleOptions::read_tuned` do.
  void read_files();

  /// Throws `Error` unless the given schedule, if there is one, is for these numbers and correct.
  void check_given(Index elements, Rank ranks) const;

  InputOptions input;
  ScheduleOptions schedule;
  ArithmeticOptions arithmetic;
  bool order_given = false;
  bool plan_given = false;
  std::string schedule_file;
  std::optional<Schedule> given{};  ///< content of that file, once it was read
  std::string kernel;
  int threads = 1;
  MeasurementOptions measurement;
  bool json = false;

  /// Whether the options ask for more than sums of float64 and baselines.
  [[nodiscard]] bool beyond_sums() const {
    return schedule.items.fields || (arithmetic.given() && !arithmetic.baseline_given());
  }
};

/// Runs sums of float64, or of vectors of them, by plans or a schedule, and baselines.
void run_sums(const RunOptions& options, const Communicator& world);

/// Runs reductions with any arithmetic, of one field or several.
void run_reducers(const RunOptions& options, const Communicator& world);

/// Returns the columns of a table of runs; the columns of `result` come last.
std::vector<Column> run_columns(std::vector<Column> result);

/// Throws `CollectiveError` if the ranks have opened inputs of different forms: one name may belong
/// to different files in the working directories of two machines. Collective.
void agree_on_input(const Communicator& world, const input::Input& input);

/// Returns the digest of all ranks' elements in their global sequence, as 16 hexadecimal digits.
/// `mine` is the digest of this rank's elements. Collective.
std::string elements_digest(const Communicator& world, Digest mine);

/// Formats a digest as 16 hexadecimal digits.
std::string digest_text(std::uint64_t digest);

/// Returns the number of messages of all ranks in one run. `sent` is the number that this rank has
/// sent in `runs` runs. Collective.
Index messages_of_a_run(const Communicator& world, Index sent, Index runs);

}  // namespace bracket::tools
