// SPDX-License-Identifier: MIT

#include <chrono>
#include <cmath>
#include <set>

#include "bracket/model/json.hpp"
#include "bracket/model/loggp.hpp"
#include "bracket/model/makespan_bound.hpp"
#include "bracket/model/optimal.hpp"
#include "bracket/model/plan.hpp"
#include "bracket/model/plan_file.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "models/cost_models.hpp"
#include "tools/cli.hpp"

namespace tune_command_test {

using namespace bracket::testing;
using bracket::text;
using Catch::Approx;
using Catch::Contains;

namespace {

const Words thesis{"-N", "504850", "-p", "256"};

std::vector<Json> tuned(const Words& more) {
  return rows_of(cli(Words{"tune", "--json"} + thesis + more));
}

}  // namespace

TEST_CASE("tune puts the best first and writes it for others to read") {
  const Scratch scratch;
  const auto file = (scratch.path() / "best one.json").string();
  const auto rows = rows_of(
      cli(Words{"tune", "--json", "--plan", "direct", "--alpha", "0.2", "-o", file} + thesis));
  REQUIRE(rows.size() > 3);
  bool has_thesis = false;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i > 0) CHECK(rows[i - 1].at("plan_score_seconds") <= rows[i].at("plan_score_seconds"));
    has_thesis |= rows[i].at("distribution") == "optimized:0.2" && rows[i].at("messages") == 557;
  }
  CHECK(has_thesis);
  CHECK(names_in(scratch.path()) == Words{"best one.json"});

  const auto read = rows_of(cli(Words{"count", "--json", "--distribution", file} + thesis));
  CHECK(read.at(0).at("messages") == rows[0].at("messages"));
  CHECK(read.at(0).at("score_seconds") == rows[0].at("plan_score_seconds"));
  CHECK(read.at(0).at("distribution") == file);
  check_refused({"count", "-N", "504851", "-p", "256", "--distribution", file},
                "for N = 504850 and p = 256");
  check_refused({"count", "-N", "504850", "-p", "255", "--distribution", file}, file);

  const auto text = cli(Words{"tune", "--plan", "direct", "--alpha", "0.2"} + thesis);
  CHECK_THAT(text.out, Contains("plan's score [us]") && Contains("optimized:0.2"));
}

TEST_CASE("what is tuned without a plan is the plan of run") {
  const Words size{"-N", "1000", "-p", "5"};
  const auto rows = rows_of(cli(Words{"tune", "--objective", "loggp", "--json"} + size));
  std::set<std::string> seen;
  for (const Json& row : rows) {
    CAPTURE(row);
    const auto plan = row.at("plan").get<std::string>();
    CHECK(plan.substr(0, plan.find(':')) == bracket::default_plan);
    // Each distribution has one row, with the plan's best variant.
    CHECK(seen.insert(row.at("distribution").get<std::string>()).second);
  }
  const auto all =
      rows_of(cli(Words{"tune", "--objective", "loggp", "--json", "--explain"} + size));
  CHECK(all.size() > rows.size());
  CHECK(all.at(0).at("loggp_seconds") == rows.at(0).at("loggp_seconds"));
  const auto run = rows_of(cli(Words{"simulate", "--engine", "loggops", "--json"} + size)).at(0);
  CHECK(run.at("plan") == bracket::make_plan(bracket::default_plan)->spec());
}

TEST_CASE("tune weighs as told") {
  const auto best = [](const Words& costs) {
    const auto rows = rows_of(cli(Words{"tune", "--json"} + thesis + costs));
    return rows.at(0).at("messages").get<int>();
  };
  CHECK(best({"--t-send", "1", "--t-add", "0"}) == 430);
  CHECK(best({"--t-send", "1", "--t-add", "0", "--alpha", "300"}) == 0);  // all on one rank
  const auto even = rows_of(cli(Words{"tune", "--json", "--t-send", "0"} + thesis));
  CHECK(even.at(0).at("largest_share") == 1973);  // ceil(504850 / 256)
}

TEST_CASE("tune finds the lowest scores") {
  const auto best = tuned({}).at(0);
  CHECK(best.at("distribution") == "optimal:0.2");
  CHECK(best.at("messages") == 430);
  CHECK(best.at("plan_score_seconds").get<double>() == Approx(129.404e-6).margin(1e-9));
  CHECK(tuned({"--alpha", "0.5"}).at(0).at("messages") == 255);
  const auto down = tuned({"--down"}).at(0);
  CHECK(down.at("messages") == 557);
  CHECK(down.at("plan_score_seconds").get<double>() == Approx(165.091e-6).margin(1e-9));
}

TEST_CASE("the lowest score is that of the plan, the way to the first rank included") {
  for (const Words& size :
       {Words{"-N", "28", "-p", "4", "--alpha", "1.5"}, Words{"-N", "9", "-p", "3", "--alpha", "3"},
        Words{"-N", "7", "-p", "4", "--alpha", "0.75", "--down"},
        Words{"-N", "16", "-p", "9", "--alpha", "0.9"}}) {
    CAPTURE(size);
    const auto best = rows_of(cli(Words{"tune", "--json", "--explain"} + size)).at(0);
    CHECK(best.at("plan_score_seconds") == best.at("bound_seconds"));
    double least = 1;
    for (const auto& point : rows_of(cli(Words{"tune", "--json", "--front"} + size))) {
      least = std::min(least, point.at("plan_score_seconds").get<double>());
    }
    CHECK(best.at("plan_score_seconds").get<double>() == Approx(least));
  }
}

TEST_CASE("tune says what can be had beside the best") {
  const auto order = bracket::make_order("tree", 504850);
  const auto front = bracket::pareto_front(order, {504850, 256, 0.2});
  REQUIRE(front.complete);
  const auto rows = tuned({"--front"});
  REQUIRE(rows.size() == front.points.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    CHECK(rows[i].at("messages") == front.points[i].messages);
    CHECK(rows[i].at("largest_share") == front.points[i].largest_share);
    CHECK(rows[i].at("complete") == true);
  }
  CHECK(cli(Words{"tune", "--front"} + thesis).err == "");
  for (const char* const figure : {"--gap-per-byte", "--gap"}) {
    check_refused(Words{"tune", "--objective", "loggp", figure, "1e308"} + thesis,
                  "inf seconds: a figure of the machine is too large");
  }
  check_refused(Words{"tune", "--front", "--order", "tree,chunked-tree:8"} + thesis,
                "requires one --order");
  check_refused(Words{"tune", "--front", "--explain"} + thesis, "excludes");
  for (const Words& other :
       {Words{"--plan", "gather"}, Words{"--plan", "direct,buffered"}, Words{"--all"},
        Words{"--root", "2"}, Words{"--rank-order", "reversed"}, Words{"--objective", "loggp"}}) {
    CAPTURE(other);
    check_refused(Words{"tune", "--front"} + thesis + other, "--front counts the messages of");
  }
  const Words vectors{"tune", "--json", "--items", "100"};
  const auto least = [](const std::vector<Json>& all) {
    double seconds = 1;
    for (const Json& row : all) {
      seconds = std::min(seconds, row.at("plan_score_seconds").get<double>());
    }
    return seconds;
  };
  CHECK(least(rows_of(cli(vectors + thesis + Words{"--front"}))) ==
        Approx(least(rows_of(cli(vectors + thesis)))));
}

TEST_CASE("tune explains") {
  const auto rows = tuned({"--explain", "--plan", "direct", "--alpha", "0.5"});
  CHECK(rows.size() > tuned({"--plan", "direct", "--alpha", "0.5"}).size() - 1);
  for (const auto& row : rows) {
    CHECK(row.at("bound_seconds").get<double>() == Approx(80.154e-6).margin(1e-9));
    CHECK(row.at("ideal_seconds").get<double>() == Approx(255 * 281e-9 + 1973 * 4.15e-9));
    CHECK(row.at("above_best").get<double>() ==
          Approx(row.at("plan_score_seconds").get<double>() /
                     rows[0].at("plan_score_seconds").get<double>() -
                 1));
  }
  const auto text = cli(Words{"tune", "--explain", "--plan", "direct", "--alpha", "0.5"} + thesis);
  CHECK_THAT(text.out,
             Contains("best of ") && Contains("direct over optimal:0.5, 80.2 us by score") &&
                 Contains("the same over upper: 401.9 us") &&
                 Contains("within 0.5 shares scores below 80.154 us with direct: proven") &&
                 Contains("79.8 us, the best is 0.39 % above"));
}

TEST_CASE("tune makes the makespan least that it is asked for") {
  Words objectives{"loggp", "loggops"};
#if BRACKET_HAS_SIMGRID
  objectives.push_back("simgrid");
#else
  check_refused(Words{"tune", "--objective", "simgrid"} + thesis, "not in this build");
#endif
  const Words what{"-N", "20000", "-p", "24", "--plan", "direct,aggregated", "--budget", "40"};
  const double bound = bracket::makespan_bound({20000, 24, 0.2}, {}, 1, bracket::Machine{});
  for (const std::string& objective : objectives) {
    CAPTURE(objective);
    const auto key = objective + "_seconds";
    const auto rows =
        rows_of(cli(Words{"tune", "--json", "--explain", "--objective", objective} + what));
    REQUIRE(rows.size() > 10);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      CHECK(rows[i].at("objective") == objective);
      if (objective == "simgrid") {
        CHECK_FALSE(rows[i].contains("bound_seconds"));
      } else {
        CHECK(rows[i].at("bound_seconds") == bound);
        CHECK(rows[i].at(key) > bound);
      }
      CHECK_FALSE(rows[i].contains("ideal_seconds"));
      if (i > 0) CHECK(rows[i - 1].at(key) <= rows[i].at(key));
    }
    // Other commands must give these figures, too.
    const Words usual{"-N",           "20000",          "-p",   "24", "--plan",
                      "aggregated:3", "--distribution", "lower"};
    const auto alone =
        objective == "loggp"
            ? rows_of(cli(Words{"compare", "--predict", "--json"} + usual))
                  .at(0)
                  .at("loggp_seconds")
            : rows_of(cli(Words{"simulate", "--json", "--engine", objective} + usual))
                  .at(0)
                  .at("simulated_seconds");
    for (const auto& row : rows) {
      if (row.at("plan") != "aggregated:3" || row.at("distribution") != "lower") continue;
      CHECK(row.at(key) == alone);
    }
    CHECK(rows.at(0).at(key) <= alone);
    const auto again =
        rows_of(cli(Words{"tune", "--json", "--explain", "--objective", objective} + what));
    CHECK(again == rows);
    const auto told = cli(Words{"tune", "--explain", "--objective", objective} + what).out;
    CHECK_THAT(told, Contains("40 of them to balance and to search, with seed 1"));
    const auto proven = bracket::text("takes less than ", std::floor(bound * 1e9) / 1e3, " us by ",
                                      objective, ": proven; the best is ");
    CHECK((told.find(proven) != std::string::npos) == (objective != "simgrid"));
  }
}

TEST_CASE("a million ranks are tuned within a minute") {
#ifdef __SANITIZE_ADDRESS__
  const Words size{"-N", "100000000", "-p", "10000"};  // checks the result, not the speed
  constexpr int messages = 16296;
#else
  const Words size{"-N", "1000000000000", "-p", "1000000"};
  constexpr int messages = 1690612;
#endif
  Setting setting;
  setting.limit = std::chrono::seconds(60);
  const auto rows =
      rows_of(cli(Words{"tune", "--json", "--explain", "--plan", "direct"} + size, setting));
  CHECK(rows.at(0).at("distribution") == "optimal:0.2");
  CHECK(rows.at(0).at("bound_seconds") == rows.at(0).at("plan_score_seconds"));
  CHECK(rows.at(0).at("messages") == messages);
}

TEST_CASE("tune moves no boundary further than it may, and explains what costs nothing") {
  const auto still = rows_of(cli({"tune", "--json", "-N", "1000", "-p", "8", "--alpha", "0"}));
  for (const auto& row : still) CHECK(row.at("largest_share") == 125);
  const Words nothing{"tune",    "-N", "1000",     "-p", "8",
                      "--t-add", "0",  "--t-send", "0",  "--explain"};
  const auto text = cli(nothing);
  CHECK(text.code == 0);
  CHECK_FALSE(Contains("nan").match(text.out));
  for (const auto& row : rows_of(cli(nothing + Words{"--json"}))) CHECK(row.at("above_best") == 0);
}

TEST_CASE("tune refuses what contradicts itself") {
  using bracket::tools::Knowledge;
  const auto requires_fact = [](const std::string& option, bracket::tools::Fact fact) {
    using bracket::tools::Role;
    return option + " requires " + bracket::tools::models_with(Role::objective, fact) + ": ";
  };
  const auto refused = [](const Words& words, const std::string& why) {
    check_refused(Words{"tune"} + thesis + words, why);
  };
  refused({"--objective", "guess"}, "unknown objective 'guess'; known: score");
  refused({"--plan", "guess"}, "'guess'; known: direct");
  refused({"--plan", "native"}, "no schedule");
  refused({"--order", "associative"}, "aggregated or butterfly");
  refused({"--order", "guess"}, "'guess'; known: tree");
  refused({"--objective", "loggp", "--platform", "torus:16x16"},
          requires_fact("--platform", &Knowledge::links) + "loggp has no links");
  refused({"--objective", "loggp", "--cores", "2"},
          requires_fact("--cores", &Knowledge::nodes) + "loggp has no nodes");
  refused({"--placement", "round-robin"},
          requires_fact("--placement", &Knowledge::nodes) + "score has no nodes");
  for (const std::string objective : {"score", "loggp"}) {
    const Words by{"--objective", objective};
    refused(by + Words{"--eager", "9"}, requires_fact("--eager", &Knowledge::eager) + objective);
    refused(by + Words{"--overhead-per-byte", "1"},
            requires_fact("--overhead-per-byte", &Knowledge::overhead_per_byte) + objective);
    for (const std::string figure :
         {"--node-latency", "--node-overhead", "--node-gap", "--node-gap-per-byte"}) {
      refused(by + Words{figure, "1"}, requires_fact(figure, &Knowledge::nodes) + objective);
    }
  }
  refused({"--gap", "1"}, requires_fact("--gap", &Knowledge::gap));
  refused({"--gap-per-byte", "1"}, requires_fact("--gap-per-byte", &Knowledge::gap_per_byte));
  refused({"--objective", "simgrid", "--eager", "9"},
          requires_fact("--eager", &Knowledge::eager) + "simgrid");
  refused({"--objective", "simgrid", "--gap", "9"}, requires_fact("--gap", &Knowledge::gap));
  refused({"--budget", "9"}, "--budget requires a search: with --objective score there is none");
  refused({"--seed", "9"}, "--seed requires a search: with --objective score there is none");
  refused({"--objective", "loggp", "--budget", "0", "--seed", "9"}, "with --budget 0 there is");
  for (const char* option : {"--budget", "--seed"}) {
    check_refused({"tune", "-N", "8:9", "-p", "2", "--objective", "loggp", option, "9"},
                  text(option, " requires a search: with a range of -N there is none"));
  }
  CHECK(cli({"tune", "-N", "8:9", "-p", "2", "--budget", "0"}).code == 0);
  refused({"--root", "256"}, "root 256");
  refused({"--budget", "-1"}, "--budget must be at least 0");
  refused({"--seed", "x"}, "--seed");
  refused({"--plan-file", "/dev/full/plan.json"}, "/dev/full/plan.json");
  check_refused({"tune", "-N", "0", "-p", "2"}, "N must be");
  check_refused({"tune", "-N", "4", "-p", "0"}, "-p must be at least 1");
  const Words too_many{"-p", "7", "--items", "92233720368547759", "--objective", "loggp"};
  check_refused(Words{"tune", "-N", "101", "--plan", "all"} + too_many, "9223372036854775807");
  check_refused(Words{"tune", "-N", "90:110"} + too_many, "9223372036854775807");
  refused({"--t-add", "1e308"}, "not finite");
  refused({"--plan-file", ""}, "--plan-file is empty");
  refused({"-o", ""}, "--output is empty");
  refused({"-o", "a.json", "--plan-file", "./a.json"},
          "--plan-file ./a.json is also the file of --output");
  const Scratch scratch;
  refused({"-o", (scratch.path() / "a.json").string(), "--plan-file", "/none/x.json"}, "/none/x");
  CHECK(names_in(scratch.path()).empty());
  check_refused({"count", "--plan-file", ""}, "--plan-file is empty");
}

TEST_CASE("tune chooses a plan for a distribution that is given") {
  const Scratch scratch;
  const auto held =
      bracket::Distribution::from_counts(std::vector<bracket::Index>{700, 0, 1200, 100});
  const auto held_file = make_file(scratch.path() / "held.json", to_json(held).dump());
  const auto file = (scratch.path() / "plan.json").string();
  const Words what{"tune",        "--json", "-p",          "4",    "--all",
                   "--plan",      "all",    "-N",          "2000", "--explain",
                   "--objective", "loggp",  "--plan-file", file,   "--distribution"};
  const auto order = bracket::make_order("tree", 2000);
  for (const auto& [distribution, expected] :
       {std::pair{held_file, held},
        std::pair{std::string("lower"), bracket::lower_distribution(2000, 4)}}) {
    CAPTURE(distribution);
    const auto rows = rows_of(cli(what + Words{distribution}));
    REQUIRE(rows.size() > 10);
    for (const auto& row : rows) {
      CHECK(row.at("distribution") == distribution);
      CHECK(row.at("largest_share") == expected.largest_share());
      CHECK_FALSE(row.contains("bound_seconds"));
      const bracket::Problem problem{order, expected, bracket::Delivery::to_all()};
      const auto schedule =
          make_schedule(problem, *bracket::make_plan(row.at("plan").get<std::string>()));
      CHECK(row.at("loggp_seconds") == paper_cost(schedule, bracket::Machine{}).makespan);
      CHECK(row.at("loggp_seconds") >= rows[0].at("loggp_seconds"));
    }
    const auto plan = bracket::read_plan_file(file);
    CHECK(plan.plans.at(0).held == expected);
    CHECK(plan.plans.at(0).plan == rows[0].at("plan"));
    CHECK(plan.budget == 0);
  }
  REQUIRE(cli(what + Words{held_file, "--rank-order", "reversed"}).code == 0);
  CHECK(bracket::read_plan_file(file).plans.at(0).held == held.with_rank_order({3, 2, 1, 0}));
  // By name for every N of a range, even if tuning would not choose the distribution.
  const Words range{
      "tune",          "-N", "10:100000", "-p", "4", "--json", "--plan", "direct,aggregated",
      "--distribution"};
  for (const auto& row : rows_of(cli(range + Words{"power2"}))) {
    CHECK(row.at("distribution") == "power2");
  }
  check_refused(range + Words{held_file}, "a file is for one number of elements");
  check_refused(range + Words{"counts:1:2:3:4"}, "counts");
  for (const Words& other : {Words{"--alpha", "0.3"}, Words{"--down"}, Words{"--front"},
                             Words{"--budget", "7"}, Words{"--seed", "7"}}) {
    CAPTURE(other);
    check_refused(
        Words{"tune", "-N", "9", "-p", "3", "--objective", "loggp", "--distribution", "lower"} +
            other,
        "--distribution");
  }
  check_refused({"tune", "-N", "9", "-p", "3", "--distribution", held_file},
                "the distribution is for N = 2000 and p = 4, not for N = 9 and p = 3");
  check_refused({"tune", "-N", "9", "-p", "3", "--distribution", "guess"}, "guess");
  check_refused({"tune", "-N", "9", "-p", "3", "--distribution", ""},
                "--distribution is empty: a name was expected");
}

}  // namespace tune_command_test
