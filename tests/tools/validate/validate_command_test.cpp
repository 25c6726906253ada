// SPDX-License-Identifier: MIT

#include <algorithm>
#include <cmath>

#include "tools/cli.hpp"
#include "tools/judged_models.hpp"

namespace validate_command_test {

using namespace bracket::testing;
using Catch::Approx;
using Catch::Contains;

namespace {

Json measured(int ranks, const std::string& plan, double seconds,
              const Json& more = Json::object()) {
  Json row{{"elements", 1000}, {"ranks", ranks},          {"order", "tree"},
           {"plan", plan},     {"distribution", "upper"}, {"measured_seconds", seconds}};
  row.update(more);
  return row;
}

std::string lines(const std::vector<Json>& rows) {
  std::string all;
  for (const Json& row : rows) all += row.dump() + "\n";
  return all;
}

/// Seconds that `compare` predicts for the same reduction, without a row.
double predicted(int ranks, const std::string& plan, const Words& more = {}) {
  return rows_of(cli(Words{"compare", "--predict", "--json", "-N", "1000", "-p",
                           std::to_string(ranks), "--distribution", "upper", "--plan", plan} +
                     more))
      .at(0)
      .at("loggp_seconds");
}

/// The row that judges the model of this title.
const Json& card_of(const std::vector<Json>& rows, const std::string& title) {
  const auto card = std::find_if(rows.begin(), rows.end(), [&](const Json& row) {
    return row.contains("model") && row.at("model") == title;
  });
  REQUIRE(card != rows.end());
  return *card;
}

}  // namespace

TEST_CASE("validate predicts each row that was measured, and judges the models") {
  const Scratch scratch;
  const auto file = make_file(
      scratch.path() / "rows.jsonl",
      lines({measured(4, "direct", 2e-6),
             measured(4, "aggregated", 1e-6, {{"collective", "all-reduce"}, {"items", 3}}),
             measured(2, "direct", 3e-6, {{"collective", "reduce"}, {"root", 1}}),
             measured(2, "butterfly", 1e-6, {{"algorithm", "binned"}, {"order", "associative"}}),
             measured(2, "native", 1e-6), Json{{"model", "LogGP"}, {"rows", 7}}}));
  const auto outcome = cli({"validate", file, "--json"});
  CHECK_THAT(outcome.err, Contains("left out 1 row that no model predicts: by native"));
  const auto rows = rows_of(outcome);
  REQUIRE(rows.size() == 4 + models_of_schedules());
  for (const char* key : {"winner_accuracy", "pair_accuracy", "kendall_tau"}) {
    CHECK(card_of(rows, "LogGP").at(key).is_null());
  }
  for (std::size_t i = 0; i < 4; ++i) {
    const Json& row = rows[i];
    CAPTURE(row);
    const std::string plan = row.at("plan");
    Words more;
    if (row.at("collective") == "all-reduce") more = {"--all", "--items", "3"};
    if (row.at("collective") == "reduce" && row.at("root") == 1) more = {"--root", "1"};
    if (row.contains("algorithm")) more = {"--algorithm", "binned"};
    CHECK(row.at("loggp_seconds") == predicted(row.at("ranks"), plan, more));
    CHECK(row.at("loggp_error").get<double>() ==
          Approx(row.at("loggp_seconds").get<double>() / row.at("measured_seconds").get<double>() -
                 1));
  }
  for (const char* model : {"LogGP", "LogGOPS"}) {
    CAPTURE(model);
    CHECK(card_of(rows, model).at("rows") == 4);
  }

  const auto table = cli({"validate", file, "--latency", "1e-6"});
  CHECK(table.code == 0);
  CHECK_THAT(table.out, Catch::StartsWith("machine thesis, the default: L 1 us") &&
                            Contains("LogGP error") && Contains("median |error|"));
  CHECK_THAT(table.err, Contains("--latency is given"));
}

TEST_CASE("validate takes the rows that --only chooses, and starts as one") {
  const Scratch scratch;
  const auto file =
      make_file(scratch.path() / "rows.jsonl",
                lines({measured(4, "direct", 1e-6), measured(4, "direct", 3e-6),
                       measured(4, "aggregated", 4e-6), measured(2, "direct", 5e-6)}));
  const auto four = rows_of(cli({"validate", file, "--json", "--only", "ranks=4"}));
  REQUIRE(four.size() == 2 + models_of_schedules());
  CHECK(four[1].at("plan") == "direct");
  CHECK(four[1].at("measured_seconds").get<double>() == Approx(2e-6));
  CHECK(four[1].at("starts") == 2);
  const auto one =
      rows_of(cli({"validate", file, "--json", "--only", "ranks=4", "--only", "plan=direct"}));
  CHECK(one.size() == 1 + models_of_schedules());
  check_refused({"validate", file, "--only", "ranks=3"}, "that --only chooses");
  check_refused({"validate", file, "--only", "ranks"}, "KEY=VALUE was expected");
}

TEST_CASE("figures of the models' choices have full precision") {
  const Scratch scratch;
  std::vector<Json> rows;
  for (const int ranks : {2, 3, 4}) {
    rows.push_back(measured(ranks, "direct", ranks == 2 ? 1e-9 : 1));
    rows.push_back(measured(ranks, "gather", ranks == 2 ? 1 : 1e-9));
  }
  const auto judged =
      rows_of(cli({"validate", make_file(scratch.path() / "rows.jsonl", lines(rows)), "--json"}));
  const Json& card = card_of(judged, "LogGP");
  CHECK(card.at("pairs") == 3);
  for (const char* key : {"winner_accuracy", "pair_accuracy"}) {
    const double thirds = card.at(key).get<double>() * 3;
    CHECK(thirds == Approx(std::round(thirds)).epsilon(1e-12));
  }
}

TEST_CASE("numbers and plans of --only need not be written as in the rows") {
  const Scratch scratch;
  const auto file =
      make_file(scratch.path() / "rows.jsonl",
                lines({measured(4, "direct", 1e-6), measured(4, "buffered:4:64", 1e-6),
                       measured(2, "buffered:8:64", 1e-6)}));
  const auto count = [&](const char* only) {
    return rows_of(cli({"validate", file, "--json", "--only", only})).size() -
           models_of_schedules();
  };
  CHECK(count("elements=1e3") == 3);
  CHECK(count("ranks=4.0") == 2);
  CHECK(count("plan=buffered") == 1);
  CHECK(count("plan=buffered*") == 2);
  CHECK(count("cold=false") == 3);
  check_refused({"validate", file, "--only", "plan=gather", "--only", "ranks=4,8"},
                "; the rows have plan buffered:4:64, buffered:8:64, direct; the rows have ranks 2, "
                "4");
}

TEST_CASE("validate predicts rows of other operations that the machine has the times of") {
  const Scratch scratch;
  const auto machine =
      make_file(scratch.path() / "m.json",
                R"({"format": "bracket-machine", "version": 2, "name": "m", "source": "made up",
          "latency_seconds": 1, "overhead_seconds": 0, "gap_seconds": 0,
          "gap_seconds_per_byte": 0.5, "overhead_seconds_per_byte": 0, "seconds_per_addition": 5,
          "eager_bytes": null,
          "work": {"start_seconds": 0, "seconds_per_join": 10, "folds": [{"elements": 1, "seconds": 0}]},
          "operations": [{"operation": "binned:2/sum/float64", "seconds_per_join": 100,
                          "folds": [{"elements": 1, "seconds": 3}]}]})");
  const auto file =
      make_file(scratch.path() / "rows.jsonl",
                lines({measured(2, "butterfly", 1, {{"elements", 8}, {"collective", "all-reduce"}}),
                       measured(2, "butterfly", 1,
                                {{"elements", 8},
                                 {"collective", "all-reduce"},
                                 {"algorithm", "binned:2"},
                                 {"order", "associative"}}),
                       measured(2, "butterfly", 1,
                                {{"elements", 8},
                                 {"collective", "all-reduce"},
                                 {"algorithm", "binned:3"},
                                 {"order", "associative"}})}));
  const auto outcome = cli({"validate", file, "--json", "--machine", machine});
  CHECK_THAT(outcome.err,
             Contains("left out 1 row that no model predicts: by binned:3/sum/float64"));
  const auto rows = rows_of(outcome);
  std::map<std::string, double> seconds;
  for (const Json& row : rows) {
    if (row.contains("loggp_seconds")) {
      seconds[row.value("algorithm", "tree")] = row.at("loggp_seconds");
    }
  }
  REQUIRE(seconds.size() == 2);
  // A fold, L, all bytes but one of a partial, and a combination.
  CHECK(seconds["tree"] == Approx(0 + 1 + 7 * 0.5 + 10));
  CHECK(seconds["binned:2"] == Approx(4 * 3 + 1 + 39 * 0.5 + 100));
}

TEST_CASE("rows of another operator are predicted, and of bench without a plan left out") {
  const Scratch scratch;
  const auto by = [](const char* candidate) {
    return Json{{"candidate", candidate}, {"elements", 1000},        {"ranks", 4},
                {"order", "tree"},        {"distribution", "upper"}, {"measured_seconds", 1e-6}};
  };
  Json butterfly = by("butterfly");
  butterfly["plan"] = "butterfly";
  Json binned = by("binned");
  binned["algorithm"] = "binned";
  const auto file =
      make_file(scratch.path() / "rows.jsonl",
                lines({butterfly, by("vector"), binned,
                       measured(4, "buffered", 1e-6, {{"algorithm", "tree"}, {"op", "maximum"}})}));
  const auto outcome = cli({"validate", file, "--json"});
  CHECK_THAT(outcome.err, Contains("left out 2 rows that no model predicts: by binned, vector"));
  const auto rows = rows_of(outcome);
  REQUIRE(rows.size() == 2 + models_of_schedules());
  CHECK(rows[0].at("collective") == "all-reduce");
  CHECK(rows[0].at("loggp_seconds") == predicted(4, "butterfly", {"--all"}));
}

TEST_CASE("rows of several kernels, or with emptied caches, are announced and can be chosen") {
  const Scratch scratch;
  const auto by = [](const char* plan, const char* kernel, double seconds, bool cold = false) {
    Json row = measured(4, plan, seconds, {{"kernel", kernel}, {"threads", 1}});
    if (cold) row["cold"] = true;
    return row;
  };
  const auto file = make_file(scratch.path() / "rows.jsonl",
                              lines({by("direct", "avx2", 1e-6), by("direct", "portable", 2e-6),
                                     by("gather", "avx2", 1e-6)}));
  const std::string differ = "the rows differ in kernel (avx2: 2 of 2 used, portable: 0 of 1 used)";
  for (const Words& command : {Words{"validate", file}, Words{"fit", file},
                               Words{"compare", "-N", "1000", "-p", "4", "--distribution", "upper",
                                     "--plan", "direct,gather", "--measured", file}}) {
    CAPTURE(command);
    const auto outcome = cli(command);
    CHECK(outcome.code == (command[0] == "fit" && !BRACKET_HAS_FIT ? 2 : 0));
    if (outcome.code == 0) CHECK_THAT(outcome.err, Contains(differ + "; of each reduction, only"));
  }
  const auto portable = cli({"validate", file, "--json", "--only", "kernel=portable"});
  CHECK_THAT(portable.err, !Contains("differ"));
  CHECK(rows_of(portable).at(0).at("measured_seconds") == 2e-6);

  const auto cold =
      make_file(scratch.path() / "cold.jsonl",
                lines({by("direct", "avx2", 3e-6, true), by("gather", "avx2", 1e-6)}));
  const auto outcome = cli({"validate", cold});
  CHECK_THAT(outcome.err,
             Contains("the rows differ in cold (false: 1 of 1 used, true: 1 of 1 used): "
                      "all are used") &&
                 Contains("1 row was measured with emptied caches (--cold)"));
  CHECK_THAT(cli({"validate", cold, "--only", "cold=false"}).err, !Contains("cold"));
}

TEST_CASE("rows of a plan file are predicted over its distribution") {
  const Scratch scratch;
  const auto plan_file = (scratch.path() / "plan.json").string();
  const auto tuned = rows_of(cli({"tune", "-N", "1000", "-p", "3", "--objective", "loggp", "--plan",
                                  "aggregated", "--plan-file", plan_file, "--json"}));
  const std::string plan = tuned.at(0).at("plan");
  const auto file = make_file(scratch.path() / "rows.jsonl",
                              lines({measured(3, plan, 1e-6, {{"distribution", plan_file}})}));
  CHECK(rows_of(cli({"validate", file, "--json"})).at(0).at("loggp_seconds") ==
        rows_of(cli({"compare", "--predict", "--json", "--plan-file", plan_file}))
            .at(0)
            .at("loggp_seconds"));
  const auto other = make_file(scratch.path() / "other.jsonl",
                               lines({measured(4, plan, 1e-6, {{"distribution", plan_file}})}));
  check_refused({"validate", other}, "plan.json: ");
}

TEST_CASE("validate says in which line a bad row is") {
  const Scratch scratch;
  const auto refused = [&](const std::string& content, const std::string& what) {
    const auto file = make_file(scratch.path() / "rows.jsonl", content);
    check_refused({"validate", file}, "rows.jsonl" + what);
  };
  const std::string good = measured(4, "direct", 1e-6).dump() + "\n";
  refused("", ": no measured row: rows of `bracket run --json`");
  check_refused({"validate", make_file(scratch.path() / "none.jsonl", ""), "--only", "plan=x"},
                "none.jsonl: no measured row: rows of");
  refused(good + "\n[1]\n", ", line 3: a JSON object was expected");
  refused(good + "{\n", ", line 2: not JSON");
  refused(good + measured(4, "guess", 1e-6).dump(), ", line 2: unknown plan 'guess'");
  refused(good + measured(4, "direct", -1).dump(), ", line 2: \"measured_seconds\" is -1");
  refused(good + measured(4, "direct", 1e-6, {{"measured_low_seconds", "x"}}).dump(),
          ", line 2: \"measured_low_seconds\" is missing or has the wrong type");
  refused(good + measured(0, "direct", 1e-6).dump(), ", line 2: \"ranks\" is 0");
  refused(good + measured(4, "direct", 1e-6, {{"collective", "gather"}}).dump(),
          ", line 2: unknown collective 'gather'");
  refused(good + measured(4, "direct", 1e-6, {{"items", "many"}}).dump(), ", line 2: ");
  refused(measured(4, "direct", 1e-6, {{"distribution", "none.json"}}).dump(), ": direct over");
  refused(measured(2147483647, "direct", 1e-6).dump(),
          ": direct over upper on 2147483647 ranks: a");
  check_refused({"validate", scratch.path().string()}, "is a directory");
  check_refused({"validate", (scratch.path() / "none").string()}, "No such file");
  check_refused({"validate"}, "rows is required");
}

}  // namespace validate_command_test
