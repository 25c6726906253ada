#pragma once

#include <span>
#include <string>
#include <string_view>

#include "bracket/model/spec.hpp"

/// The table of cost models. To predict by one of them, see prediction.hpp.
namespace bracket::tools {

/// What a cost model takes into account. An option that sets anything else is refused.
struct Knowledge {
  bool paths = false;   ///< which step waits for which; without it a model is a score of the number
                        ///< of messages and the largest share, whose least is found exactly
  bool rounds = false;  ///< rounds of an all-reduce algorithm, in place of a schedule
  bool gap = false;     ///< LogGP's g
  bool gap_per_byte = false;       ///< LogGP's G
  bool overhead_per_byte = false;  ///< LogGOPS's O
  bool eager = false;              ///< LogGOPS's S
  bool nodes = false;              ///< which ranks share a node
  bool links = false;              ///< the links of a platform
  bool energy = false;             ///< what nodes and links consume
  bool timelines = false;          ///< when each processor is busy
  bool bits = false;               ///< the result, since the model executes the code
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
  std::string_view engine;     ///< what `simulate` says of it; empty: not one of its engines
  std::string_view objective;  ///< what `tune` says of it; empty: not one of its objectives
  int preference = 0;          ///< of engines: the default is the first one that this build has
  ModelKey seconds;            ///< of predictions in `compare` and `validate`
  const char* error;           ///< key of their relative error
  const char* correlation;     ///< key of Kendall's tau of them and of measurements
  ModelKey tuned;              ///< of costs in `tune`: `seconds` unless that has another meaning
  Knowledge knows{};
  bool bounded = false;   ///< `makespan_bound` is a lower bound on its predictions
  bool apart = false;     ///< predicted by `bracket-simulate` alone, because SimGrid and MPI cannot
                          ///< share a process
  bool available = true;  ///< in this build
};

/// Every cost model, the simplest first.
std::span<const CostModel> cost_models();

/// The cost model of this name. Throws `Error` for an unknown name.
const CostModel& cost_model(std::string_view name);

/// What options name cost models for.
enum class Role { engine, objective };

/// A cost model as an option offers it.
struct OfferedModel {
  CatalogueEntry entry;
  const CostModel* model;
};

/// The models that `simulate --engine` offers, by preference.
std::span<const OfferedModel> engines();

/// The models that `tune --objective` offers.
std::span<const OfferedModel> objectives();

/// The model of this name in this role. Throws `Error` for an unknown name, or a model that this
/// build does not have.
const CostModel& model_of(Role role, std::string_view name);

/// The engine that `simulate` takes unless another is given.
std::string default_engine();

/// The models that take a fact into account, as an option names them: `--engine loggops or smpi`.
std::string models_with(Role role, Fact fact);

/// "simgrid has no eager limit".
std::string lack_of(const CostModel& model, Fact fact);

/// Throws `Error`, "--platform requires --objective simgrid: loggops has no links", unless the
/// model takes the fact into account.
void require(const CostModel& model, Role role, Fact fact, std::string_view option);

}  // namespace bracket::tools
