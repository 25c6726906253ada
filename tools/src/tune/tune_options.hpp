#pragma once

#include <optional>
#include <string>

#include "bracket/model/tune.hpp"
#include "common/machine_options.hpp"
#include "common/options.hpp"
#include "cost/cost_models.hpp"
#include "simulate/network_options.hpp"

namespace bracket::tools {

/// What `tune` is asked for.
struct TuneOptions {
  Index from = 0;  // elements
  Index to = 0;
  Rank ranks = 0;
  TuneRequest request;
  std::string distribution;  // to be tuned, too, if empty
  std::optional<std::string> rank_order;
  MachineOptions machine;
  std::optional<double> send_seconds;
  NetworkOptions network;
  std::string objective = "score";
  Index budget = 1000;
  std::optional<Index> jobs;      ///< at once; as many as there are cores if not given
  std::optional<double> seconds;  ///< after which it ends with the best so far
  Index seed = 1;
  bool front = false;
  bool explain = false;
  bool json = false;
  std::string distribution_file;
  std::string plan_file;

  void add_to(CLI::App& command);

  /// Throws `Error` if an option of `command` is given that the others leave without effect.
  void check(const CLI::App& command) const;

  /// Says on stderr which figures of the objective are the default machine's though others are
  /// given.
  void warn_of_defaults() const;

  /// The machine, as far as the objective looks at it, in one line for people.
  [[nodiscard]] std::string machine_line() const;

  /// The objective's row. Throws `Error` for an unknown name, or a model that this build does not
  /// have.
  [[nodiscard]] const CostModel& model() const { return model_of(Role::objective, objective); }

  /// The tuning of so many elements. Throws `Error` for an objective, a rank order or a platform
  /// that cannot be.
  [[nodiscard]] TuneTask task(Index elements) const;

  /// Its objective alone, without reading files that say the distribution.
  [[nodiscard]] Objective objective_for(Index elements) const;

 private:
  [[nodiscard]] ScoreCosts costs(Index elements) const;
  [[nodiscard]] double message_seconds() const;  // by the score
};

}  // namespace bracket::tools
