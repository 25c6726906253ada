// SPDX-License-Identifier: MIT

#include "bracket/model/plan_file.hpp"

#include <sys/stat.h>

#include <cstdio>

#include "bracket/model/json.hpp"
#include "bracket/model/plan.hpp"
#include "support/hostile.hpp"
#include "support/reference.hpp"
#include "tools/cli.hpp"
#include "tools/input_files.hpp"

namespace plan_file_option_mpi_test {

using namespace bracket::testing;
using bracket::Delivery;
using bracket::Distribution;
using bracket::Index;
using bracket::PlanFile;
using bracket::TunedPlan;
using Catch::Contains;

// Use of --plan-file by the programs.

namespace {

/// Plan file for 4 ranks: by name for 100 to 200 elements, by counts for 1237.
PlanFile tuned() {
  PlanFile file;
  file.objective = "score";
  file.ranks = 4;
  file.delivery = Delivery::to(2);
  const TunedPlan plan{100, 200, "tree", 1, "aggregated:2", "lower", {}, {{"score", 1e-6}}};
  file.plans = {plan, plan};
  file.plans[1].from = file.plans[1].to = 1237;
  file.plans[1].distribution = "";
  file.plans[1].held =
      Distribution::from_counts(std::vector<Index>{300, 0, 512, 425}).with_rank_order({3, 1, 0, 2});
  return file;
}

/// Plan file for one number of elements.
PlanFile tuned_once() {
  PlanFile file = tuned();
  file.plans.erase(file.plans.begin());
  return file;
}

std::string written(const Scratch& scratch, const PlanFile& file) {
  return make_file(scratch.path() / "the plan.json", to_json(file).dump());
}

/// Number of messages of a schedule, made and counted without the command line.
Index messages(const Distribution& held, const char* plan, Delivery delivery) {
  const auto order = bracket::make_order("tree", held.elements());
  return bracket::count_messages({order, held, delivery}, *bracket::make_plan(plan));
}

void check_tuned(const Json& row, const std::string& file) {
  CAPTURE(row);
  CHECK(row.at("elements") == 1237);
  CHECK(row.at("ranks") == 4);
  CHECK(row.at("order") == "tree");
  CHECK(row.at("plan") == "aggregated:2");
  CHECK(row.at("distribution") == file);
  CHECK(row.at("collective") == "reduce");
  CHECK(row.at("root") == 2);
}

}  // namespace

TEST_CASE("count, verify, draw and simulate take a plan file, with its N and p if there is one") {
  const Scratch scratch;
  const auto file = written(scratch, tuned_once());
  const Index expected = messages(*tuned_once().plans[0].held, "aggregated:2", Delivery::to(2));
  for (const Words& sizes : {Words{}, Words{"-N", "1237"}, Words{"-N", "1237", "-p", "4"}}) {
    const auto counted = rows_of(cli(Words{"count", "--json", "--plan-file", file} + sizes));
    REQUIRE(counted.size() == 1);
    check_tuned(counted[0], file);
    CHECK(counted[0].at("largest_share") == 512);
    CHECK(counted[0].at("messages") == expected);
    const auto verified = rows_of(cli(Words{"verify", "--json", "--plan-file", file} + sizes));
    REQUIRE(verified.size() == 1);
    CHECK(verified[0].at("messages") == expected);
    CHECK(verified[0].at("root") == 2);
    CHECK(verified[0].at("plan") == "aggregated:2");
    const auto simulated = rows_of(
        cli(Words{"simulate", "--json", "--engine", "loggops", "--plan-file", file} + sizes));
    REQUIRE(simulated.size() == 1);
    check_tuned(simulated[0], file);
    CHECK(simulated[0].at("simulated_messages") == expected);
  }
  const auto by_tuned = cli({"draw", "--plan-file", file, "--latency", "1e-6"});
  CHECK(by_tuned.code == 0);
  const auto schedule = (scratch.path() / "s.json").string();
  REQUIRE(cli({"verify", "--plan-file", file, "-o", schedule}).code == 0);
  const auto held =
      make_file(scratch.path() / "held.json", to_json(*tuned_once().plans[0].held).dump());
  const auto by_hand = cli({"draw", "-N", "1237", "-p", "4", "--distribution", held, "--plan",
                            "aggregated:2", "--root", "2", "--latency", "1e-6"});
  CHECK(by_tuned.out == by_hand.out);
}

TEST_CASE("a plan file for several N needs to be told which") {
  const Scratch scratch;
  const auto file = written(scratch, tuned());
  const auto rows = rows_of(cli({"count", "--json", "--plan-file", file, "-N", "150"}));
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].at("elements") == 150);
  CHECK(rows[0].at("largest_share") == 38);
  CHECK(rows[0].at("messages") ==
        messages(bracket::lower_distribution(150, 4), "aggregated:2", Delivery::to(2)));
  for (const char* command : {"count", "verify", "draw", "simulate"}) {
    CAPTURE(command);
    check_refused({command, "--plan-file", file},
                  "the plan.json: it has plans for several N: choose");
    check_refused({command, "--plan-file", file, "-N", "201"},
                  "the plan.json: the plan is for N = 100 to 200, 1237, not for N = 201");
    check_refused({command, "--plan-file", file, "-N", "150", "-p", "5"},
                  "the plan.json: the plan is for p = 4, not for p = 5");
  }
  check_refused({"compare", "--predict", "--plan-file", file},
                "the plan.json: it has plans for several N: choose one with -N");
  check_refused({"compare", "--predict", "--plan-file", file, "-N", "201"}, "not for N = 201");
  check_refused({"compare", "--predict", "--plan-file", file, "-N", "150", "-p", "4,8"},
                "not for p = 8");
}

TEST_CASE("a plan file that is none, or of another version of the order, is refused") {
  const Scratch scratch;
  PlanFile old = tuned_once();
  old.plans[0].order_version = 7;
  const auto file = written(scratch, old);
  for (const char* command : {"count", "verify", "draw", "simulate", "compare"}) {
    CAPTURE(command);
    check_refused({command, "--plan-file", file}, "the plan.json: the plan is for version 7");
    check_refused({command, "--plan-file", "none.json"}, "none.json");
    check_refused({command, "--plan-file", make_file(scratch.path() / "x.json", "[]")}, "x.json: ");
  }
}

TEST_CASE("a plan file by a model that tune does not offer is refused") {
  const Scratch scratch;
  PlanFile other = tuned_once();
  other.plans[0].predicted.emplace_back("beauty", 1);
  const std::string known = "unknown objective 'beauty'; known: score, ";
  for (const char* command : {"count", "simulate"}) {
    check_refused({command, "--plan-file", written(scratch, other)},
                  "the plan.json: \"plans\"[0]: \"predicted\": " + known);
  }
  other.objective = "beauty";
  check_refused({"count", "--plan-file", written(scratch, other)},
                "the plan.json: \"objective\": " + known);
}

TEST_CASE("a plan file goes without what it says") {
  const Scratch scratch;
  const auto file = written(scratch, tuned_once());
  for (const Words& other :
       {Words{"--order", "tree"}, Words{"--plan", "direct"}, Words{"--distribution", "upper"},
        Words{"--rank-order", "reversed"}, Words{"--root", "1"}, Words{"--all"}, Words{"--scatter"},
        Words{"--items", "2"}}) {
    for (const char* command : {"verify", "simulate", "compare"}) {
      CAPTURE(command, other);
      check_refused(Words{command, "--plan-file", file} + other, "--plan-file");
    }
  }
  check_refused({"simulate", "--plan-file", file, "--schedule", file}, "excludes");
  check_refused({"draw", "--plan-file", file, "--depth", "3"}, "excludes");
  check_refused({"count", "-p", "2"}, "--elements is required");
  check_refused({"draw", "-N", "9", "-p", "2", "--latency", "1"}, "--latency requires --plan");
}

TEST_CASE("a sweep over a plan file") {
  const Scratch scratch;
  const auto file = written(scratch, tuned());
  const Words simulate{"simulate", "--json", "--engine", "loggops", "--plan-file", file};
  const auto rows =
      rows_of(cli(simulate + Words{"--sweep", "N=100,200,1237", "--sweep", "latency=1e-6,1e-5"}));
  REQUIRE(rows.size() == 6);
  for (std::size_t i = 0; i < 6; ++i) {
    CHECK(rows[i].at("elements") == (i < 2 ? 100 : i < 4 ? 200 : 1237));
    CHECK(rows[i].at("ranks") == 4);
    CHECK(rows[i].at("distribution") == file);
  }
  check_refused(simulate + Words{"-N", "150", "--sweep", "p=4,8"}, "--sweep p=8: ");
  check_refused(simulate + Words{"--sweep", "N=150,201"}, "not for N = 201");
}

TEST_CASE("compare sets what was tuned beside what is had without") {
  const Scratch scratch;
  PlanFile file = tuned_once();
  file.plans[0].order = "chunked-tree:8";
  const auto name = written(scratch, file);
  auto rows = rows_of(cli({"compare", "--json", "--predict", "--plan-file", name}));
  std::erase_if(rows, [](const Json& row) { return !row.contains("plan"); });
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].at("order") == "chunked-tree:8");
  CHECK(rows[0].at("plan") == "aggregated:2");
  CHECK(rows[0].at("distribution") == name);
  CHECK(rows[1].at("order") == "tree");
  CHECK(rows[1].at("plan") == bracket::make_plan("buffered")->spec());
  CHECK(rows[1].at("distribution") == "upper");
  for (const Json& row : rows) {
    CHECK(row.at("elements") == 1237);
    CHECK(row.at("ranks") == 4);
    CHECK(row.at("root") == 2);
    CHECK(row.at("loggp_seconds") > 0);
    CHECK(row.at("score_seconds") > 0);
#if BRACKET_HAS_SIMGRID
    CHECK(row.at("simulated_messages") == row.at("messages"));
#endif
  }
  const auto table = cli({"compare", "--predict", "--plan-file", name}).out;
  CHECK_THAT(table, Catch::StartsWith("machine " + name) && Contains("\np  order ") &&
                        Contains("\n4  chunked-tree:8  " + name) &&
                        Contains("\n4  tree            upper "));
}

#if BRACKET_HAS_MPI

namespace {

const Words fast{"--json", "--repetitions", "2", "--warm-up", "1"};

std::string bits_of(double value) {
  char text[19];
  std::snprintf(text, sizeof text, "0x%016llX", static_cast<unsigned long long>(bits(value)));
  return text;
}

}  // namespace

TEST_CASE("run reduces as a plan file says, sums and other reductions") {
  const Scratch scratch;
  const auto name = written(scratch, tuned());
  const auto values = hostile_elements(Hostile::cancelling, 1237, 3);
  const auto input = make_file(scratch.path() / "x.f64", raw_values<double>(values));
  const Words run{"run", input, "--plan-file", name};
  const auto rows = rows_of(cli_on(4, run + fast));
  REQUIRE(rows.size() == 1);
  check_tuned(rows[0], name);
  CHECK(rows[0].at("result_bits") == bits_of(tree_sum(values)));
  CHECK(rows[0].at("messages") ==
        messages(*tuned().plans[1].held, "aggregated:2", Delivery::to(2)));
  const auto reduced = rows_of(cli_on(4, run + Words{"--op", "sum"} + fast));
  REQUIRE(reduced.size() == 1);
  CHECK(reduced[0].at("algorithm") == "tree");
  CHECK(reduced[0].at("plan") == "aggregated:2");
  CHECK(reduced[0].at("distribution") == name);
  CHECK(reduced[0].at("root") == 2);
  CHECK(reduced[0].at("result_bits") == bits_of(tree_sum(values)));

  check_refused(cli_on(4, run + Words{"--algorithm", "binned"}),
                "the plan.json: the order tree contradicts --algorithm binned:3");
  check_refused(cli_on(3, run), "the plan.json: the plan is for p = 4, not for p = 3");
  check_refused(cli_on(3, run + Words{"--op", "sum"}), "for p = 4, not for p = 3");
  const Words others{"run", "--synthetic", "201", "--plan-file", name};
  check_refused(cli_on(4, others), "not for N = 201");
  check_refused(cli_on(4, others + Words{"--op", "sum"}), "not for N = 201");
  check_refused(cli_on(2, {"run", "--synthetic", "9", "--plan-file", "none.json"}), "none.json");
  check_refused(cli_on(2, run + Words{"--plan", "direct"}), "--plan-file");
  check_refused(cli_on(2, run + Words{"--schedule", name}), "excludes");
  PlanFile old = tuned();
  old.plans[1].order_version = 2;
  check_refused(cli_on(4, {"run", input, "--plan-file", written(scratch, old)}),
                "version 2 of the order tree");
  PlanFile open = tuned();
  for (TunedPlan& plan : open.plans) plan.order = "associative";
  for (const Words& how : {Words{}, Words{"--op", "sum"}}) {
    check_refused(cli_on(4, Words{"run", input, "--plan-file", written(scratch, open)} + how),
                  "the plan.json: the order associative");
  }
  const auto pipe = (scratch.path() / "pipe").string();
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  for (const char* option : {"--plan-file", "--schedule", "--distribution"}) {
    check_refused(cli_on(2, {"run", input, option, pipe}), pipe + " is read more than once");
  }
}

TEST_CASE("run reduces vectors as a plan file says") {
  const Scratch scratch;
  PlanFile file = tuned_once();
  file.delivery = Delivery::scattered();
  file.items = 5;
  file.plans[0].plan = "butterfly:2";
  const auto name = written(scratch, file);
  const auto values = hostile_elements(Hostile::cancelling, 1237 * 5, 3);
  const auto input = make_file(scratch.path() / "x.f64", raw_values<double>(values));
  const auto rows = rows_of(cli_on(4, Words{"run", input, "--plan-file", name} + fast));
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].at("items") == 5);
  CHECK(rows[0].at("collective") == "reduce-scatter");
  const auto usual = rows_of(cli_on(4, Words{"run", input, "--items", "5"} + fast));
  CHECK(rows[0].at("result_digest") == usual.at(0).at("result_digest"));
  check_refused(cli_on(4, {"run", input, "--op", "sum", "--plan-file", name}),
                "is for sums of float64 in an order");
}

TEST_CASE("bench, run and sweeps refuse hostile plan files by their names") {
  const Scratch scratch;
  const std::string whole = to_json(tuned_once()).dump();
  const auto with_ranks = [&](const std::string& ranks) {
    std::string changed = whole;
    return changed.replace(changed.find("\"ranks\":4"), 9, "\"ranks\":" + ranks);
  };
  std::vector<std::string> contents{"", whole.substr(0, whole.size() / 2), whole + "}",
                                    std::string(1'000'000, '[')};
  for (const char* ranks : {"-1", "0", "NaN", "1e400", "9223372036854775808", "4,\"ranks\":4"}) {
    contents.push_back(with_ranks(ranks));
  }
  std::vector<std::string> files{scratch.path().string()};
  for (std::size_t i = 0; i < contents.size(); ++i) {
    files.push_back(make_file(scratch.path() / (std::to_string(i) + ".json"), contents[i]));
  }
  for (const std::string& file : files) {
    CAPTURE(file);
    for (const Words& command : {Words{"bench"}, Words{"run", "--synthetic", "9"},
                                 Words{"simulate", "--sweep", "N=9,8"}}) {
      check_refused(command + Words{"--plan-file", file}, file + ": ");
    }
  }
}

TEST_CASE("compare measures what was tuned and what is had without") {
  const Scratch scratch;
  PlanFile file = tuned_once();
  file.ranks = 2;
  file.delivery = Delivery::to_all();
  file.plans[0].order = "chunked-tree:8";
  file.plans[0].held = Distribution::from_counts(std::vector<Index>{1000, 237});
  const auto name = written(scratch, file);
  auto rows = rows_of(
      cli({"compare", "--json", "--oversubscribe", "--repetitions", "2", "--plan-file", name}));
  std::erase_if(rows, [](const Json& row) { return !row.contains("plan"); });
  REQUIRE(rows.size() == 2);
  for (const Json& row : rows) CHECK(row.at("measured_seconds") > 0);
  CHECK(rows[0].at("result_bits") != rows[1].at("result_bits"));
}

TEST_CASE("what was tuned gives a published sum on 4 ranks, bit for bit") {
  const std::filesystem::path folder(BRACKET_DATA);
  if (folder.empty()) {
    WARN("BRACKET_DATA does not name the folder of published inputs: nothing compared");
    return;
  }
  const Scratch scratch;
  const auto input = (folder / "fusob.binpsllh").string();
  const auto elements = (std::filesystem::file_size(input) - sizeof(std::uint64_t)) / 8;
  const auto name = (scratch.path() / "plan.json").string();
  for (const Words& objective :
       {Words{"--objective", "score"}, Words{"--objective", "loggp", "--budget", "30"},
        Words{"--objective", "loggops", "--budget", "30", "--all"}}) {
    CAPTURE(objective);
    const auto best = rows_of(cli(Words{"tune", "--json", "-N", std::to_string(elements), "-p", "4",
                                        "--plan", "all", "--plan-file", name} +
                                  objective))
                          .at(0);
    const auto rows = rows_of(cli_on(4, Words{"run", input, "--plan-file", name} + fast));
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].at("elements") == elements);
    CHECK(rows[0].at("plan") == best.at("plan"));
    CHECK(rows[0].at("result_bits") == "0xC0C37B57721E5D72");
  }
}

#endif

}  // namespace plan_file_option_mpi_test
