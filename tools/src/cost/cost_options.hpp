// SPDX-License-Identifier: MIT

#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "common/machine_options.hpp"
#include "cost/recorded_run.hpp"
#include "cost/replacement.hpp"
#include "report/report_options.hpp"

namespace bracket::tools {

/// Options of `bracket cost`.
struct CostOptions {
  std::string trace;
  std::vector<Rank> ranks;  ///< if empty, as many as were recorded
  Scaling scaling = Scaling::strong;
  std::vector<std::string> plans;  ///< if empty, the usual ones
  std::vector<std::string> algorithms{"tree"};
  std::vector<std::string> library;  ///< files with schedules of the library's algorithms
  LocalSums sums;                    ///< without its terms
  std::string terms = "elements";    ///< of `sums`, separated by commas
  Index cores = 0;                   ///< of each node; 0: as recorded
  MachineOptions machine;
  Index most = 10;  ///< sites that the table shows
  bool most_given = false;
  bool json = false;
  ReportOptions report;

  void add_to(CLI::App& command);

  /// Throws `Error` for unknown plans and algorithms.
  void check() const;

  /// What the program adds by loops. Throws `Error` for unknown terms.
  [[nodiscard]] LocalSums local_sums() const;
};

}  // namespace bracket::tools
