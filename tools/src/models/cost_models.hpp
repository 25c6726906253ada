// SPDX-License-Identifier: MIT

#pragma once

#include <span>
#include <string>
#include <string_view>

#include "bracket/model/spec.hpp"

/// The table of cost models. For predictions by a model, see prediction.hpp.
namespace bracket::tools {

/// Facts that a cost model takes into account. An option that sets another fact is refused.
struct Knowledge {
  bool paths = false;     ///< dependencies between steps; without them, a model is a score of the
                          ///< number of messages and the largest share, and `tune` finds its exact
                          ///< minimum
  bool rounds = false;    ///< rounds of an all-reduce algorithm, in place of a schedule
  bool overhead = false;  ///< LogGP's o; in the score, it is part of the cost of a message
  bool gap = false;       ///< LogGP's g
  bool gap_per_byte = false;       ///< LogGP's G
  bool overhead_per_byte = false;  ///< LogGOPS's O
  bool eager = false;              ///< LogGOPS's S
  bool nodes = false;              ///< which ranks share a node
  bool links = false;              ///< the links of a platform
  bool energy = false;             ///< energy that nodes and links consume
  bool timelines = false;          ///< busy times of each processor
  bool bits = false;               ///< the result, because the model executes the code
};
using Fact = bool Knowledge::*;

/// A key in the rows of commands, and its meaning.
struct ModelKey {
  const char* key;
  std::string_view meaning;
};

/// A row of the table of cost models.
struct CostModel {
  std::string_view name;   ///< as options take it: `loggp`
  std::string_view title;  ///< as tables show it: `LogGP`
  std::string_view source;
  std::string_view engine;     ///< summary as an engine of `simulate`; empty if it is not an engine
  std::string_view objective;  ///< summary as an objective of `tune`; empty if it is not one
  int preference = 0;          ///< rank among engines; the default is the lowest in this build
  ModelKey seconds;  ///< `NAME_seconds`, the key of predictions in `compare` and `validate`
  ModelKey tuned;    ///< key of costs in `tune`; differs from `seconds` if the meaning does
  Knowledge knows{};
  bool bounded = false;   ///< `makespan_bound` is a lower bound on its predictions
  bool apart = false;     ///< only `bracket-simulate` predicts by it, because SimGrid and MPI
                          ///< cannot share a process
  bool available = true;  ///< in this build

  /// Key of the relative errors of predictions.
  [[nodiscard]] std::string error_key() const {
    const std::string_view key = seconds.key;
    return std::string(key.substr(0, key.rfind("_seconds"))) + "_error";
  }
  /// Key of Kendall's tau between predictions and measurements.
  [[nodiscard]] std::string correlation_key() const {
    return std::string("kendall_tau_") + seconds.key;
  }
};

/// Every cost model, the simplest first.
std::span<const CostModel> cost_models();

/// Returns the cost model of this name. Throws `Error` for an unknown name.
const CostModel& cost_model(std::string_view name);

/// Role in which an option names a cost model.
enum class Role { engine, objective };

/// A cost model that an option offers, with its name and summary in that role.
struct OfferedModel {
  CatalogueEntry entry;
  const CostModel* model;
};

/// The models that `simulate --engine` offers, by preference.
std::span<const OfferedModel> engines();

/// The models that `tune --objective` offers.
std::span<const OfferedModel> objectives();

/// Returns the model of this name in this role. Throws `Error` for an unknown name or a model that
/// this build does not have.
const CostModel& model_of(Role role, std::string_view name);

/// Returns the default engine of `simulate`.
std::string default_engine();

/// Names the models that take a fact into account, as in "--engine loggops or smpi".
std::string models_with(Role role, Fact fact);

/// Names a fact that a model lacks, as in "simgrid has no eager limit".
std::string lack_of(const CostModel& model, Fact fact);

/// Throws `Error` unless the model takes the fact into account, as in "--platform requires
/// --objective simgrid: loggops has no links".
void require(const CostModel& model, Role role, Fact fact, std::string_view option);

}  // namespace bracket::tools
