// SPDX-License-Identifier: MIT

#include "bracket/model/plan_file.hpp"
#include "tools/cli.hpp"

namespace tune_plan_file_test {

using namespace bracket::testing;
using Catch::Approx;
using Catch::Contains;

TEST_CASE("tune writes a plan file that the others take") {
  const Scratch scratch;
  const auto file = (scratch.path() / "plan.json").string();
  const Words what{"-N",      "5000",     "-p", "4",      "--plan", "all",         "--objective",
                   "loggops", "--budget", "20", "--seed", "3",      "--plan-file", file};
  const auto rows = rows_of(cli(Words{"tune", "--json"} + what));
  const auto plan = bracket::read_plan_file(file);
  CHECK(plan.objective == "loggops");
  CHECK(plan.ranks == 4);
  CHECK(plan.budget == 20);
  CHECK(plan.seed == 3);
  REQUIRE(plan.plans.size() == 1);
  CHECK(plan.plans[0].plan == rows.at(0).at("plan").get<std::string>());
  CHECK(plan.plans[0].held->largest_share() == rows.at(0).at("largest_share"));
  const auto simulated =
      rows_of(cli({"simulate", "--json", "--engine", "loggops", "--plan-file", file}));
  CHECK(simulated.at(0).at("simulated_seconds") == rows.at(0).at("loggops_seconds"));
  CHECK(names_in(scratch.path()) == Words{"plan.json"});
#if BRACKET_HAS_MPI
  // The bits depend only on the number of elements, tuned or not.
  const Words input{"--synthetic", "5000", "--json", "--repetitions", "1", "--warm-up", "0"};
  const auto bits = [&](const Words& more) {
    return rows_of(cli_on(4, Words{"run"} + input + more)).at(0).at("result_bits");
  };
  CHECK(bits({"--plan-file", file}) == bits({}));
  check_refused(cli_on(2, Words{"run", "--plan-file", file} + input), "4");
#endif
}

TEST_CASE("the search tries fewer distributions on many ranks") {
  const Scratch scratch;
  const auto file = (scratch.path() / "plan.json").string();
  const auto budget = [&](const std::string& ranks) {
    // The first answer is enough.
    CHECK(cli({"tune", "-N", "100000", "-p", ranks, "--plan", "binomial", "--objective", "loggp",
               "--seconds", "0.001", "--plan-file", file})
              .code == 0);
    return bracket::read_plan_file(file).budget;
  };
  CHECK(budget("800") == 1000);
  CHECK(budget("1000") == 800);
  CHECK(budget("20000") == 40);
}

TEST_CASE(
    "what was tuned is predicted on the machine that it was tuned for, unless another is named") {
  const Scratch scratch;
  const auto file = (scratch.path() / "plan.json").string();
  const Words slow{"--latency", "1e-3", "--t-add", "1e-6"};
  const auto best = rows_of(cli(Words{"tune", "--json", "-N", "5000", "-p", "8", "--objective",
                                      "loggp", "--budget", "5", "--plan-file", file} +
                                slow))
                        .at(0);
  const auto predicted = [&](const Words& more) {
    return rows_of(cli(Words{"compare", "--predict", "--json", "--plan-file", file} + more)).at(0);
  };
  CHECK(predicted({}).at("loggp_seconds") == best.at("loggp_seconds"));
  const auto counted = [&](const Words& more) {
    return rows_of(cli(Words{"count", "--json", "--plan-file", file} + more)).at(0);
  };
  CHECK(counted({}).at("score_seconds") == predicted({}).at("score_seconds"));
  CHECK(counted({}).at("score_seconds").get<double>() > 1e-3);
  const auto simulated = [&](const Words& more) {
    return rows_of(
               cli(Words{"simulate", "--json", "--engine", "loggops", "--plan-file", file} + more))
        .at(0)
        .at("simulated_seconds")
        .get<double>();
  };
  CHECK(simulated({}) == Approx(best.at("loggp_seconds").get<double>()).epsilon(0.01));
  // A figure overrides the file's machine, and --machine replaces it, in either order of the
  // options.
  CHECK(simulated({"--latency", "2e-3"}) > simulated({}));
  const std::string thesis_machine = std::string(BRACKET_MACHINES) + "/thesis.json";
  CHECK(simulated({"--machine", thesis_machine}) < 1e-4);
  CHECK(simulated({"--machine", thesis_machine}) ==
        rows_of(cli({"simulate", "--json", "--engine", "loggops", "--machine", thesis_machine,
                     "--plan-file", file}))
            .at(0)
            .at("simulated_seconds"));
  CHECK(counted({"--machine", thesis_machine}).at("score_seconds").get<double>() < 1e-3);
  CHECK(cli({"draw", "--plan-file", file}).out ==
        cli(Words{"draw", "--plan-file", file, "--machine", thesis_machine} + slow).out);
}

TEST_CASE("tune writes a plan file for a range") {
  const Scratch scratch;
  const auto file = (scratch.path() / "plan.json").string();
  const Words what{"-N",     "100:50000",         "-p",          "8",
                   "--plan", "direct,aggregated", "--objective", "loggp"};
  const auto rows = rows_of(cli(Words{"tune", "--json", "--plan-file", file} + what));
  const auto plan = bracket::read_plan_file(file);
  REQUIRE(plan.plans.size() == rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    CHECK(plan.plans[i].from == rows[i].at("from"));
    CHECK(plan.plans[i].to == rows[i].at("to"));
    CHECK(plan.plans[i].plan == rows[i].at("plan").get<std::string>());
    CHECK(plan.plans[i].distribution == rows[i].at("distribution").get<std::string>());
  }
  const Words at{"compare", "--predict", "--json", "-p", "8", "-N"};
  const auto best = rows_of(
      cli(at + Words{std::to_string(rows[0].at("elements").get<long>()), "--plan-file", file}));
  CHECK(best.at(0).at("loggp_seconds") == rows[0].at("loggp_seconds"));
  check_refused({"count", "-N", "99", "--plan-file", file}, "not for N = 99");
  check_refused({"tune", "-N", "9:8", "-p", "2"}, "from 9 to 8");
  check_refused({"tune", "-N", "9:", "-p", "2"}, "-N: ''");
  check_refused({"tune", "-N", "1:9", "-p", "2", "--explain"}, "one number of elements");
  check_refused({"tune", "-N", "1:9", "-p", "2", "--rank-order", "reversed"}, "one number");
}

}  // namespace tune_plan_file_test
