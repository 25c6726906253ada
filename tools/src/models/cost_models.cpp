// SPDX-License-Identifier: MIT

#include "models/cost_models.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

namespace bracket::tools {

namespace {

constexpr CostModel cost_model_table[] = {
    {
        .name = "score",
        .title = "score",
        .source = "thesis, equation 3.7",
        .engine = "",
        .objective = "the plan's score: its messages times the cost of one, plus the additions of "
                     "the fullest rank",
        .seconds = {"score_seconds", "score of the distribution (thesis, equation 3.7)"},
        .tuned = {"plan_score_seconds", "score with the plan's messages in place of direct's"},
        .knows = {.overhead = true},
    },
    {
        .name = "loggp",
        .title = "LogGP",
        .source = "Alexandrov, Ionescu, Schauser and Scheiman 1995",
        .engine = "",
        .objective = "longest path through the schedule",
        .seconds = {"loggp_seconds", "LogGP's critical path"},
        .tuned = {"loggp_seconds", ""},
        .knows =
            {.paths = true, .rounds = true, .overhead = true, .gap = true, .gap_per_byte = true},
        .bounded = true,
    },
    {
        .name = "loggops",
        .title = "LogGOPS",
        .source = "Hoefler, Schneider and Lumsdaine 2010",
        .engine = "simulates only processors and ports: suits very many ranks",
        .objective = "makespan that the engine loggops simulates",
        .preference = 2,
        .seconds = {"loggops_seconds", "makespan by LogGOPS"},
        .tuned = {"loggops_seconds", ""},
        .knows = {.paths = true,
                  .overhead = true,
                  .gap = true,
                  .gap_per_byte = true,
                  .overhead_per_byte = true,
                  .eager = true,
                  .nodes = true,
                  .timelines = true},
        .bounded = true,
    },
    {
        .name = "simgrid",
        .title = "SimGrid",
        .source = "SimGrid's CM02; Casanova and Marchal 2002",
        .engine =
            "simulates messages that share the links of the built-in cluster or of a platform",
        .objective = "makespan that the engine simgrid simulates",
        .preference = 1,
        .seconds = {"simgrid_seconds", "makespan by SimGrid"},
        .tuned = {"simgrid_seconds", ""},
        .knows = {.paths = true,
                  .overhead = true,
                  .gap_per_byte = true,
                  .overhead_per_byte = true,
                  .nodes = true,
                  .links = true,
                  .energy = true,
                  .timelines = true},
        .apart = true,
        .available = BRACKET_HAS_SIMGRID,
    },
    {
        .name = "smpi",
        .title = "SMPI",
        .source = "SimGrid's SMPI; Degomme et al. 2017",
        .engine =
            "runs the runtime itself with simulated MPI on such a network: up to some thousand "
            "ranks",
        .objective = "",
        .preference = 3,
        .seconds = {"smpi_seconds", "makespan of the code itself with simulated MPI"},
        .tuned = {"smpi_seconds", ""},
        .knows = {.paths = true,
                  .overhead = true,
                  .gap_per_byte = true,
                  .overhead_per_byte = true,
                  .eager = true,
                  .nodes = true,
                  .links = true,
                  .bits = true},
        .apart = true,
        .available = BRACKET_HAS_SMPI,
    },
};

/// The facts that options set.
constexpr struct {
  Fact fact;
  const char* words;
} named_facts[] = {
    {&Knowledge::overhead, "overhead"},
    {&Knowledge::gap, "gap"},
    {&Knowledge::gap_per_byte, "gap per byte"},
    {&Knowledge::overhead_per_byte, "overhead per byte"},
    {&Knowledge::eager, "eager limit"},
    {&Knowledge::nodes, "nodes"},
    {&Knowledge::links, "links"},
    {&Knowledge::energy, "energy"},
    {&Knowledge::timelines, "timeline"},
};

std::vector<OfferedModel> offered(std::string_view CostModel::*summary) {
  std::vector<OfferedModel> all;
  for (const CostModel& model : cost_model_table) {
    if ((model.*summary).empty()) continue;
    all.push_back({{model.name, "", model.*summary, model.source}, &model});
  }
  return all;
}

const char* name_of(Role role) { return role == Role::engine ? "engine" : "objective"; }

std::span<const OfferedModel> models_in(Role role) {
  return role == Role::engine ? engines() : objectives();
}

}  // namespace

std::span<const CostModel> cost_models() { return cost_model_table; }

const CostModel& cost_model(std::string_view name) {
  for (const CostModel& model : cost_model_table) {
    if (model.name == name) return model;
  }
  throw Error(text("unknown cost model '", excerpt(name), "'"));
}

std::span<const OfferedModel> engines() {
  static const auto all = [] {
    auto found = offered(&CostModel::engine);
    std::sort(found.begin(), found.end(), [](const OfferedModel& a, const OfferedModel& b) {
      return a.model->preference < b.model->preference;
    });
    return found;
  }();
  return all;
}

std::span<const OfferedModel> objectives() {
  static const auto all = offered(&CostModel::objective);
  return all;
}

const CostModel& model_of(Role role, std::string_view name) {
  for (const auto& [entry, model] : models_in(role)) {
    if (entry.name != name) continue;
    if (model->available) return *model;
    throw Error(
        text("the ", name_of(role), " ", name, " is not in this build: SimGrid was not found"));
  }
  throw Error(unknown_name(name_of(role), name, models_in(role)));
}

std::string default_engine() {
  const auto all = engines();
  const auto first = std::find_if(all.begin(), all.end(),
                                  [](const OfferedModel& one) { return one.model->available; });
  return std::string(first->entry.name);
}

std::string models_with(Role role, Fact fact) {
  std::vector<std::string_view> names;
  for (const auto& [entry, model] : models_in(role)) {
    if (model->knows.*fact) names.push_back(entry.name);
  }
  return fmt::format("--{} {}", name_of(role), fmt::join(names, " or "));
}

std::string lack_of(const CostModel& model, Fact fact) {
  const auto* const named = std::find_if(std::begin(named_facts), std::end(named_facts),
                                         [&](const auto& one) { return one.fact == fact; });
  return text(model.name, " has no ", named->words);
}

void require(const CostModel& model, Role role, Fact fact, std::string_view option) {
  if (model.knows.*fact) return;
  throw Error(text(option, " requires ", models_with(role, fact), ": ", lack_of(model, fact)));
}

}  // namespace bracket::tools
