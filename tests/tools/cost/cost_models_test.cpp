#include "cost/cost_models.hpp"

#include <set>

#include "bracket/support/error.hpp"
#include "rows/row_keys.hpp"
#include "support/catch.hpp"

namespace cost_models_test {

using namespace bracket::tools;
using Catch::Equals;

TEST_CASE("every cost model has names and keys of its own") {
  std::set<std::string> keys;
  for (const auto& entry : row_keys()) keys.insert(entry.key);
  std::set<std::string> seen;
  for (const CostModel& model : cost_models()) {
    CAPTURE(model.name);
    CHECK(&cost_model(model.name) == &model);
    CHECK_FALSE(model.source.empty());
    for (const std::string& one : {std::string(model.name), std::string(model.seconds.key),
                                   model.error_key(), model.correlation_key()}) {
      CHECK(seen.insert(one).second);
      if (one != model.name) CHECK(keys.contains(one));
    }
    CHECK(keys.contains(model.tuned.key));
    CHECK((model.engine.empty() || model.preference > 0));
  }
}

TEST_CASE("options name the models that take a fact into account") {
  CHECK(models_with(Role::engine, &Knowledge::links) == "--engine simgrid or smpi");
  CHECK(models_with(Role::objective, &Knowledge::links) == "--objective simgrid");
  CHECK_THAT(models_with(Role::objective, &Knowledge::gap_per_byte),
             Catch::StartsWith("--objective loggp or loggops or "));
  const CostModel& loggops = cost_model("loggops");
  CHECK_NOTHROW(require(loggops, Role::engine, &Knowledge::eager, "--eager"));
  CHECK_THROWS_WITH(require(loggops, Role::engine, &Knowledge::links, "--platform"),
                    Equals("--platform requires --engine simgrid or smpi: loggops has no links"));
}

TEST_CASE("a model is found in its role alone") {
  CHECK(&model_of(Role::engine, "loggops") == &cost_model("loggops"));
  CHECK(model_of(Role::engine, default_engine()).available);
  CHECK_THROWS_WITH(model_of(Role::engine, "loggp"),
                    Catch::StartsWith("unknown engine 'loggp'; known: simgrid, loggops, "));
  CHECK_THROWS_WITH(model_of(Role::objective, "smpi"),
                    Catch::StartsWith("unknown objective 'smpi'; known: score, loggp, "));
  CHECK_THROWS_WITH(cost_model("beauty"), Equals("unknown cost model 'beauty'"));
}

}  // namespace cost_models_test
