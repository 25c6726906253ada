// SPDX-License-Identifier: MIT

#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "bracket/model/range.hpp"
#include "common/launch_options.hpp"
#include "common/measurement_options.hpp"
#include "common/mpi_library.hpp"
#include "common/sum_collective.hpp"

namespace bracket::tools {

/// Options of `bracket tune --for`.
struct RuleOptions {
  std::string library_name;
  std::string collective_name = "all-reduce";
  LaunchOptions launch;
  std::string items;  ///< FROM:TO or lengths
  Rank root = 0;
  std::vector<std::string> same_order{"size", "run"};
  std::vector<std::string> algorithms{"all"};
  MeasurementOptions measurement;
  Index seed = 1;
  std::string output;
  bool json = false;

  void add_to(CLI::App& command);

  /// Throws `Error` for options that make no sense, and if the output cannot be written.
  void check(const CLI::App& command);

  [[nodiscard]] MpiLibrary library() const { return mpi_library_named(library_name, "--for"); }
  [[nodiscard]] SumCollective collective() const { return sum_collective_named(collective_name); }

  /// Whether the order must not depend on the length of the vectors.
  [[nodiscard]] bool same_for_size() const { return is_same("size"); }
  /// Whether the order must not vary from run to run.
  [[nodiscard]] bool same_for_run() const { return is_same("run"); }

  /// The lengths to measure on this number of ranks, ascending. Those of a range are at most a
  /// factor of 4 apart, and p - 1, p and p + 1 are among them, because algorithms that divide the
  /// vectors change there. Throws `Error`.
  [[nodiscard]] std::vector<Index> lengths(Rank ranks) const;

 private:
  [[nodiscard]] bool is_same(const char* what) const;
};

}  // namespace bracket::tools
