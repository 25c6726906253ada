// SPDX-License-Identifier: MIT

#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "common/arithmetic.hpp"
#include "common/machine_options.hpp"
#include "common/options.hpp"
#include "common/schedule_options.hpp"
#include "draw/picture_kinds.hpp"
#include "models/network_options.hpp"

namespace bracket::tools {

/// Options of `bracket draw`.
struct DrawOptions {
  Index elements = 0;
  Rank ranks = 0;
  ScheduleOptions schedule;
  ArithmeticOptions arithmetic;
  std::optional<Operation> operation{};  ///< unless it is the sum of float64
  MachineOptions machine;
  NetworkOptions network;
  std::string engine;  ///< empty: LogGP's times
  std::optional<PictureKind> kind;
  Index depth = -1;  ///< < 0: by size
  std::string output;

  void add_to(CLI::App& command);

  /// Takes elements, ranks and plan from the plan file, if there is one, and the operation. Throws
  /// `Error` for an operation that makes no sense.
  void settle();

  /// The machine, with the costs of the operation. Throws `Error` as `Machine::computing`.
  [[nodiscard]] Machine computing_machine() const { return machine.computing(operation); }

  /// Throws `Error` if an option of `command` has no effect together with the other options.
  void check(const CLI::App& command) const;

 private:
  void add_engine_to(CLI::App& command);
  void add_output_to(CLI::App& command);
};

}  // namespace bracket::tools
