// SPDX-License-Identifier: MIT

#pragma once

#include <optional>
#include <string>

#include "bracket/model/tune.hpp"
#include "common/arithmetic.hpp"
#include "common/machine_options.hpp"
#include "common/options.hpp"
#include "models/cost_models.hpp"
#include "models/network_options.hpp"
#include "report/report_options.hpp"

namespace bracket::tools {

/// Options of `bracket tune`.
struct TuneOptions {
  Index from = 0;  // elements
  Index to = 0;
  Rank ranks = 0;
  TuneRequest request;
  std::string distribution;  // empty: tuned, too
  std::optional<std::string> rank_order;
  ArithmeticOptions arithmetic;
  std::optional<Operation> operation{};  ///< unless it is the sum of float64
  MachineOptions machine;
  std::optional<double> send_seconds;
  NetworkOptions network;
  std::string objective = "score";
  Index budget = 1000;
  const CLI::Option* budget_option = nullptr;
  std::optional<Index> jobs;      ///< at the same time; the number of cores if not given
  std::optional<double> seconds;  ///< stop after this time with the best so far
  Index seed = 1;
  bool front = false;
  bool explain = false;
  bool json = false;
  ReportOptions report;
  std::string distribution_file;
  std::string plan_file;

  void add_to(CLI::App& command);

  /// Takes the operation, if one is given, and orders and plans that suit it. Throws `Error` for an
  /// operation that makes no sense, and if the machine has no times for it.
  void settle(const CLI::App& command);

  /// Throws `Error` if an option of `command` has no effect together with the other options.
  void check(const CLI::App& command) const;

  /// Warns on stderr of figures of the objective that come from the default machine although others
  /// are given.
  void warn_of_defaults() const;

  /// Describes to people in one line the machine, as far as the objective uses it.
  [[nodiscard]] std::string machine_line() const;

  /// The model of the objective. Throws `Error` for an unknown name, or a model that this build
  /// lacks.
  [[nodiscard]] const CostModel& model() const { return model_of(Role::objective, objective); }

  /// The tuning for this number of elements. Throws `Error` for an invalid objective, rank order or
  /// platform.
  [[nodiscard]] TuneTask task(Index elements) const;

  /// The objective of that tuning. Reads no distribution file.
  [[nodiscard]] Objective objective_for(Index elements) const;

 private:
  [[nodiscard]] Machine computing_machine() const { return machine.computing(operation); }
  [[nodiscard]] ScoreCosts costs(Index elements) const;
  [[nodiscard]] Index tries() const;
  [[nodiscard]] double message_seconds() const;  // a message's cost in the score
};

}  // namespace bracket::tools
