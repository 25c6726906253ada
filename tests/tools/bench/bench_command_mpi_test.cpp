// SPDX-License-Identifier: MIT

#include "tools/cli.hpp"

#include <sched.h>

#include <bit>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <map>
#include <sstream>
#include <string>
#include <thread>

#include "bracket/input/input.hpp"
#include "bracket/model/algorithm.hpp"
#include "bracket/model/json.hpp"
#include "bracket/model/plan.hpp"
#include "bracket/model/plan_file.hpp"
#include "bracket/runtime/device.hpp"
#include "bracket/runtime/kernel.hpp"
#include "bracket/support/file.hpp"

namespace bench_command_mpi_test {

#if BRACKET_HAS_MPI

using namespace bracket::testing;
using Catch::Contains;

namespace {

const Words fast{"--json", "--repetitions", "2", "--warm-up", "1"};

std::vector<std::string> candidates_of(const std::vector<Json>& rows) {
  std::vector<std::string> names;
  for (const auto& row : rows) names.push_back(row.at("candidate"));
  return names;
}

std::vector<std::string> all_candidates() {
  std::vector<std::string> names{"irreproducible", "accumulate"};
  for (const auto& plan : bracket::plans()) names.emplace_back(plan.entry.name);
  for (const auto& algorithm : bracket::arithmetics) names.emplace_back(algorithm.entry.name);
  return names;
}

std::vector<std::string> without(std::vector<std::string> names, const std::string& name) {
  std::erase(names, name);
  return names;
}

/// Bits that `run` gives for the same synthetic elements.
std::string bits_of_run(const std::string& elements, const Words& options) {
  const auto rows = rows_of(cli(Words{"run", "--synthetic", elements} + options + fast));
  return rows.at(0).at("result_bits");
}

double sum_of(const Json& row) {
  return std::bit_cast<double>(
      std::uint64_t{std::stoull(row.at("result_bits").get<std::string>(), nullptr, 16)});
}

/// Checks the times of seven samples. Their interval goes from the smallest to the largest.
void check_times(const Json& row) {
  auto samples = row.at("samples_seconds").get<std::vector<double>>();
  REQUIRE(samples.size() == 7);
  std::sort(samples.begin(), samples.end());
  CHECK(samples.front() > 0);
  CHECK(row.at("measured_low_seconds") == samples.front());
  CHECK(row.at("measured_seconds") == samples[3]);
  CHECK(row.at("measured_high_seconds") == samples.back());
  // Of seven, these are the outer ones.
  CHECK(row.at("measured_percentile_1_seconds") == samples.front());
  CHECK(row.at("measured_percentile_99_seconds") == samples.back());
}

}  // namespace

TEST_CASE("bench measures every candidate against the irreproducible sum") {
  std::map<int, std::string> bits;
  for (const int elements : {2, 1000}) bits[elements] = bits_of_run(std::to_string(elements), {});
  Setting setting;
  setting.limit = std::chrono::seconds(60);  // ranks that share cores wait for each other
  for (const int p : {1, 2, 3}) {
    CAPTURE(p);
    const auto rows = rows_of(cli_on(p,
                                     {"bench", "--elements", "2,1000", "--json", "--samples",
                                      "--repetitions", "7", "--warm-up", "2"},
                                     setting));
    const auto all = all_candidates();
    REQUIRE(candidates_of(rows) == all + all);
    double baseline = 0;
    double irreproducible_sum = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto& row = rows[i];
      const int elements = i < all.size() ? 2 : 1000;
      CAPTURE(row);
      check_times(row);
      if (row.at("candidate") == "irreproducible") {
        baseline = row.at("measured_seconds");
        irreproducible_sum = sum_of(row);
        CHECK(row.at("ratio") == 1);
      }
      CHECK(row.at("ratio") == row.at("measured_seconds").get<double>() / baseline);
      CHECK(row.at("elements") == elements);
      CHECK(row.at("ranks") == p);
      CHECK(row.at("threads") == 1);
      CHECK(row.at("order") == "tree");
      CHECK(row.at("distribution") == "upper");
      CHECK(row.at("kernel") == bracket::runtime::select_kernel().name);
      CHECK(row.at("repetitions") == 7);
      CHECK(row.at("warm_up") == 2);
      CHECK(row.at("calls_per_sample") >= 1);
      CHECK(row.at("seed") == 1);
      const auto& environment = row.at("environment");
      CHECK(environment.at("ranks_on_host") == p);
      CHECK(row.at("oversubscribed") == (p > environment.at("cores_available").get<int>()));
      if (i % all.size() >= 2 + bracket::plans().size()) {
        const std::string algorithm = row.at("algorithm");
        CHECK(algorithm == bracket::make_algorithm(row.at("candidate").get<std::string>()).spec());
        CHECK(row.at("result_bits") ==
              bits_of_run(std::to_string(elements), {"--algorithm", algorithm}));
        CHECK_FALSE(row.contains("plan"));
      } else if (i % all.size() >= 2) {
        CHECK_FALSE(row.contains("algorithm"));
        CHECK(row.at("plan") == bracket::make_plan(row.at("candidate").get<std::string>())->spec());
        CHECK(row.at("result_bits") == bits[elements]);
      } else {
        CHECK_FALSE(row.contains("plan"));
      }
      CHECK(std::abs(sum_of(row) - irreproducible_sum) < 1e-6);
    }
  }
}

TEST_CASE("bench adds products, and rows with ghosts") {
  const Scratch scratch;
  const auto products = (scratch.path() / "products.f64").string();
  constexpr std::size_t count = 300;
  {
    const auto numbers = [](std::uint64_t seed) {
      std::vector<double> read(count);
      bracket::input::synthetic_input(count, seed)->read({0, count}, read);
      return read;
    };
    std::vector<double> elements = numbers(1);
    const std::vector<double> factors = numbers(25'711);
    for (std::size_t i = 0; i < count; ++i) elements[i] *= factors[i];
    bracket::support::write_file(
        products, std::string(reinterpret_cast<const char*>(elements.data()), count * 8));
  }
  const std::string bits_of_products =
      rows_of(cli(Words{"run", products} + fast)).at(0).at("result_bits");
  const std::string bits_of_elements = bits_of_run("300", {});
  const Words candidates{"--candidates", "accumulate,butterfly,dissemination,binned"};
  for (const int p : {1, 2}) {
    for (const bool dot : {false, true}) {
      for (const std::string layout : {"contiguous", "ghosted:50", "ghosted"}) {
        CAPTURE(p, dot, layout);
        const bool fits = layout != "ghosted" || p != 2;
        const auto outcome = cli_on(p, Words{"bench", "-N", "300", "--op", dot ? "dot" : "sum",
                                             "--layout", layout, "--threads", p == 1 ? "2" : "1"} +
                                           candidates + fast);
        if (!fits) {
          check_refused(outcome, "rank 0 has 150, which are not whole rows of 100");
          continue;
        }
        const auto rows = rows_of(outcome);
        REQUIRE(rows.size() == 5);
        for (const auto& row : rows) {
          CHECK(row.contains("products") == dot);
          if (row.contains("plan")) {
            CHECK(row.at("result_bits") == (dot ? bits_of_products : bits_of_elements));
          }
          CHECK(std::abs(sum_of(row) - sum_of(rows[0])) < 1e-9);
        }
        CHECK(rows[0].contains("layout") == (layout != "contiguous"));
      }
    }
  }
  check_refused(cli({"bench", "-N", "9", "--op", "maximum"}), "--op maximum: unknown");
  check_refused(cli({"bench", "-N", "9", "--layout", "rows"}), "--layout rows: unknown");
  check_refused(cli({"bench", "-N", "9", "--layout", "ghosted:0"}), "from 1 to");
}

TEST_CASE("bench --device measures on a device, or says that it is skipped") {
  const Words device{"bench", "--device", "-N", "1000", "--candidates", "butterfly,binned"};
  check_refused(cli(device + Words{"--threads", "2"}), "--threads");
  const Outcome outcome = cli_on(2, device + fast);
  if (bracket::runtime::device::cuda_devices() == 0) {
    CHECK(outcome.code == 0);
    CHECK(outcome.out.empty());
    CHECK_THAT(outcome.err, Contains("bench --device is skipped: "));
    return;
  }
  const auto rows = rows_of(outcome);
  CHECK(candidates_of(rows) == Words{"irreproducible", "butterfly", "binned"});
  CHECK(rows[1].at("result_bits") == bits_of_run("1000", {}));
  CHECK(rows[2].at("result_bits") == bits_of_run("1000", {"--algorithm", "binned"}));
}

TEST_CASE("bench measures the candidates that are asked for") {
  const auto rows = rows_of(cli_on(
      2, Words{"bench", "-N", "300", "--candidates", "native,aggregated:4,irreproducible"} + fast));
  CHECK(candidates_of(rows) == Words{"irreproducible", "native", "aggregated:4"});
  for (const auto& row : rows) CHECK_FALSE(row.contains("samples_seconds"));
  const auto binned = rows_of(
      cli_on(3, Words{"bench", "-N", "3000", "--candidates", "binned:2,direct,double-double",
                      "--threads", "2", "--kernel", "portable", "--distribution", "power2"} +
                    fast));
  CHECK(candidates_of(binned) == Words{"irreproducible", "binned:2", "direct", "double-double"});
  CHECK(binned.at(1).at("algorithm") == "binned:2");
  CHECK(binned.at(1).at("result_bits") == bits_of_run("3000", {"--algorithm", "binned:2"}));
  const auto alone = rows_of(cli(Words{"bench", "-N", "300", "--candidates", "accumulate"} + fast));
  CHECK(candidates_of(alone) == Words{"irreproducible", "accumulate"});
}

TEST_CASE("bench takes order, distribution, seed and kernel as run does") {
  for (const Words& options :
       {Words{"--order", "chunked-tree:100"}, Words{"--seed", "7"}, Words{"--kernel", "scalar"}}) {
    CAPTURE(options);
    const Words command{"bench", "-N", "1000", "--distribution", "optimized:0.3"};
    const auto rows = rows_of(cli_on(3, command + options + fast));
    CHECK(candidates_of(rows) == all_candidates());
    const std::string bits = bits_of_run("1000", options);
    for (const auto& row : rows) {
      if (row.contains("plan")) CHECK(row.at("result_bits") == bits);
      CHECK(row.at("distribution") == "optimized:0.3");
      for (const char* const key : {"order", "seed", "kernel"}) {
        const auto& value = row.at(key);
        const auto written = value.is_string() ? value.get<std::string>() : value.dump();
        if (options[0] == std::string("--") + key) CHECK(written == options[1]);
      }
    }
  }
}

TEST_CASE("bench leaves out what makes no sense unless it is asked for by name") {
  const Words sequential{"bench", "-N", "100", "--order", "sequential"};
  const auto outcome = cli_on(2, sequential + fast);
  CHECK(candidates_of(rows_of(outcome)) == without(all_candidates(), "native"));
  CHECK(occurrences(outcome.err, "left out: the plan native makes no sense") == 1);
  const auto asked = cli_on(2, sequential + Words{"--candidates", "direct,native"} + fast);
  CHECK(asked.code == 2);
  CHECK(asked.out == "");
  CHECK(occurrences(asked.err, "the plan native makes no sense") == 1);
}

TEST_CASE("bench tells people what it measured and how") {
  const auto outcome = cli({"bench", "--elements", "1,300", "--repetitions", "3"});
  CHECK(outcome.code == 0);
  CHECK_THAT(outcome.out,
             Contains("1, 300 elements (synthetic, seed 1) on 1 rank, kernel ") &&
                 Contains("median of 3 repetitions after 3 to warm up") &&
                 Contains("irreproducible is a sum by vector instructions and MPI_Allreduce") &&
                 Contains("95 % from [us]  to [us]  1st percentile [us]  99th [us]  ratio to "
                          "irreproducible\n") &&
                 Contains(" 1.000\naccumulate "));
}

TEST_CASE("bench says so when ranks share cores") {
  cpu_set_t before;
  REQUIRE(sched_getaffinity(0, sizeof before, &before) == 0);
  cpu_set_t one;
  CPU_ZERO(&one);
  int core = 0;
  while (!CPU_ISSET(core, &before)) ++core;
  CPU_SET(core, &one);
  REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
  const auto outcome = cli_on(2, Words{"bench", "-N", "9", "--candidates", "direct"} + fast);
  sched_setaffinity(0, sizeof before, &before);
  CHECK(occurrences(outcome.err, "2 ranks share 1 core: times are those of an oversubscribed") ==
        1);
  for (const auto& row : rows_of(outcome)) CHECK(row.at("oversubscribed") == true);
}

TEST_CASE("bench measures what a tuner chose beside the others") {
  const Scratch scratch;
  const auto file = (scratch.path() / "plan.json").string();
  const auto tune = [&](const Words& more) {
    return cli(Words{"tune", "--plan-file", file, "--json"} + more);
  };
  // Candidates of one order have the same bits, as bench checks. Another order gives another sum.
  for (const char* order : {"tree", "chunked-tree:64"}) {
    CAPTURE(order);
    const auto best = rows_of(tune({"-N", "3000", "-p", "3", "--all", "--plan", "all", "--order",
                                    order, "--objective", "loggp", "--budget", "10"}))
                          .at(0);
    const Words bench{"bench", "--plan-file", file, "--candidates", "butterfly"};
    const auto rows = rows_of(cli_on(3, bench + fast));
    CHECK(candidates_of(rows) == std::vector<std::string>{"irreproducible", "butterfly", "tuned"});
    const Json& tuned = rows.at(2);
    CHECK(tuned.at("elements") == 3000);
    CHECK(tuned.at("plan") == best.at("plan"));
    CHECK(tuned.at("order") == order);
    CHECK(tuned.at("distribution") == file);
    CHECK(rows.at(1).at("order") == "tree");
    CHECK(rows.at(1).at("distribution") == "upper");
    CHECK(tuned.at("result_bits") == bits_of_run("3000", {"--order", order}));
    check_refused(cli_on(3, bench + Words{"-N", "2999"} + fast), "not for N = 2999");
    check_refused(cli_on(2, bench + fast), "for p = 3, not for p = 2");
  }
  REQUIRE(tune({"-N", "100:9000", "-p", "1", "--all", "--plan", "butterfly"}).code == 0);
  const Words bench{"bench", "--plan-file", file, "--candidates", "accumulate"};
  CHECK(rows_of(cli(bench + Words{"-N", "100,9000"} + fast)).size() == 6);
  check_refused(bench + fast, "it has plans for several N: choose one with -N");
  REQUIRE(tune({"-N", "9", "-p", "1"}).code == 0);
  check_refused(bench + fast,
                "the plan is for reduce; bench needs one that leaves the sum on every rank");
  REQUIRE(tune({"-N", "9", "-p", "1", "--all", "--plan", "butterfly", "--items", "2"}).code == 0);
  check_refused(bench + fast, "vectors of 2 items; bench needs one for single numbers");
  check_refused(Words{"bench", "--plan-file", "none.json"} + fast, "none.json");
}

TEST_CASE("bench holds what was tuned beside what its other candidates are given") {
  using bracket::Distribution;
  const Scratch scratch;
  const std::string bits = bits_of_run("1000", {});
  // Shares a little above or below upper's 334, 333 and 333, empty shares, one share of all
  // elements, and other places.
  const std::vector<std::pair<std::vector<bracket::Index>, std::vector<bracket::Rank>>> cases{
      {{332, 337, 331}, {0, 1, 2}}, {{336, 320, 344}, {0, 1, 2}}, {{0, 1000, 0}, {0, 1, 2}},
      {{0, 0, 1000}, {0, 1, 2}},    {{300, 300, 400}, {2, 0, 1}}, {{0, 999, 1}, {1, 2, 0}}};
  for (const auto& [counts, rank_order] : cases) {
    bracket::PlanFile plan_file;
    plan_file.objective = "score";
    plan_file.ranks = 3;
    plan_file.delivery = bracket::Delivery::to_all();
    plan_file.plans = {{1000, 1000, "tree", 1, "butterfly:1024", "", {}, {{"score", 1e-6}}}};
    plan_file.plans[0].held = Distribution::from_counts(counts).with_rank_order(rank_order);
    const auto file = make_file(scratch.path() / "plan.json", to_json(plan_file).dump());
    CAPTURE(counts, rank_order);
    const auto rows = rows_of(cli_on(3, Words{"bench", "--plan-file", file, "--candidates",
                                              "accumulate,native,direct", "--threads", "2"} +
                                            fast));
    REQUIRE(candidates_of(rows) ==
            Words{"irreproducible", "accumulate", "native", "direct", "tuned"});
    for (const auto& row : rows) {
      if (row.contains("plan")) CHECK(row.at("result_bits") == bits);
      CHECK(std::abs(sum_of(row) - sum_of(rows[0])) < 1e-6);
    }
  }
}

TEST_CASE("bench refuses bad input before it measures") {
  check_refused({"bench"}, "--elements is required");
  check_refused({"bench", "-N", "0"}, "-N must be at least 1, not 0");
  check_refused({"bench", "-N", "9,x"}, "-N: 'x' is not a whole number");
  check_refused({"bench", "-N", "9223372036854775808"}, "out of range");
  check_refused({"bench", "-N", "9", "--repetitions", "0"}, "--repetitions must be at least 1");
  check_refused({"bench", "-N", "9", "--warm-up", "0"}, "--warm-up must be at least 1");
  const auto refused = [](const Words& wrong, const std::string& what) {
    check_refused(Words{"bench", "--json", "-N", "9"} + wrong, what);
  };
  refused({"--candidates", "direct,guess"},
          "unknown candidate 'guess'; known: irreproducible, accumulate, direct, buffered");
  refused({"--candidates", "aggregated:0"}, "aggregated:0");
  refused({"--candidates", "accumulate:3"}, "unknown candidate 'accumulate:3'");
  refused({"--candidates", "direct,native,direct"}, "direct is there twice");
  refused({"--candidates", "aggregated,aggregated:2"}, "aggregated:2 is given twice");
  refused({"--candidates", "binned,binned:3"}, "binned:3 is given twice");
  refused({"--candidates", "binned:9"}, "'binned:9': the number of bins K must be at most 8");
  refused({"--candidates", "double-double:2"}, "double-double:2");
  refused({"--candidates", "tree"}, "unknown candidate 'tree'");
  refused({"--kernel", "guess"}, "unknown kernel 'guess'");
  refused({"--order", "associative"}, "needs an order with a fixed bracketing");
  refused({"--distribution", "counts:4:5"}, "2 counts for p = 1");
  refused({"-N", "2305843009213693952"}, "no memory for the rank's 2305843009213693952 numbers");
  // All ranks refuse it together, with one message.
  check_refused(cli_on(2, {"bench", "-N", "9", "--candidates", "guess"}), "unknown candidate");
  const auto outcome = cli_on(2, {"bench", "-N", "4611686018427387904", "--json", "--distribution",
                                  "counts:1:4611686018427387903"});
  CHECK(outcome.code == 2);
  CHECK(occurrences(outcome.err, "rank 1: no memory for the rank's") == 1);
  CHECK(outcome.out == "");
}

TEST_CASE("bench that is interrupted shows rows of what it has measured") {
  const Scratch scratch;
  Setting setting;
  setting.output = (scratch.path() / "out").string();
  Process bench({BRACKET_FRONT, "bench", "-N", "1,3000000", "--candidates", "accumulate", "--json",
                 "--repetitions", "1000"},
                with_mpi(setting));
  for (int tries = 0; content_of(setting.output).empty() && tries < 1000; ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  bench.signal(SIGTERM);
  CHECK(bench.wait().code == 128 + SIGTERM);
  std::istringstream rows(content_of(setting.output));
  int count = 0;
  for (std::string row; std::getline(rows, row); ++count) {
    CHECK(Json::parse(row).at("elements") == 1);
  }
  CHECK((count == 1 || count == 2));
}

#endif

}  // namespace bench_command_mpi_test
