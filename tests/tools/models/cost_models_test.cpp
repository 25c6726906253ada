// SPDX-License-Identifier: MIT

#include "models/cost_models.hpp"

#include <set>

#include "bracket/support/error.hpp"
#include "rows/row_keys.hpp"
#include "support/catch.hpp"

namespace cost_models_test {

using namespace bracket::tools;
using Catch::Contains;
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
    CHECK(std::string_view(model.seconds.key).ends_with("_seconds"));
    for (const std::string& key : {std::string(model.seconds.key), std::string(model.tuned.key),
                                   model.error_key(), model.correlation_key()}) {
      CAPTURE(key);
      CHECK(key.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string::npos);
    }
    CHECK((model.engine.empty() || model.preference > 0));
  }
}

TEST_CASE("a hyphen in a model's name is an underscore in its keys") {
  const CostModel model{.name = "alpha-beta",
                        .title = "",
                        .source = "",
                        .engine = "",
                        .objective = "",
                        .seconds = {"alpha_beta_seconds", ""},
                        .tuned = {"alpha_beta_seconds", ""}};
  CHECK(model.error_key() == "alpha_beta_error");
  CHECK(model.correlation_key() == "kendall_tau_alpha_beta_seconds");
  CHECK_THROWS_WITH(
      require(model, Role::objective, &Knowledge::overhead, "--overhead"),
      Catch::StartsWith("--overhead requires ") && Catch::EndsWith(": alpha-beta has no overhead"));
}

TEST_CASE("options name the models that take a fact into account") {
  CHECK(models_with(Role::engine, &Knowledge::links) == "--engine simgrid or smpi");
  CHECK(models_with(Role::objective, &Knowledge::links) == "--objective simgrid");
  const auto of_bytes = models_with(Role::objective, &Knowledge::gap_per_byte);
  CHECK_THAT(of_bytes, Catch::StartsWith("--objective ") && Contains(" loggp or ") &&
                           Contains(" or loggops"));
  const CostModel& loggops = cost_model("loggops");
  CHECK_NOTHROW(require(loggops, Role::engine, &Knowledge::eager, "--eager"));
  CHECK_THROWS_WITH(require(loggops, Role::engine, &Knowledge::links, "--platform"),
                    Equals("--platform requires --engine simgrid or smpi: loggops has no links"));
}

TEST_CASE("a model is found in its role alone") {
  CHECK(&model_of(Role::engine, "loggops") == &cost_model("loggops"));
  CHECK(model_of(Role::engine, default_engine()).available);
  CHECK_THROWS_WITH(model_of(Role::engine, "loggp"),
                    Catch::StartsWith("unknown engine 'loggp'; known: simgrid, "));
  CHECK_THROWS_WITH(model_of(Role::objective, "smpi"),
                    Catch::StartsWith("unknown objective 'smpi'; known: score, "));
  CHECK_THROWS_WITH(cost_model("beauty"), Equals("unknown cost model 'beauty'"));
}

}  // namespace cost_models_test
