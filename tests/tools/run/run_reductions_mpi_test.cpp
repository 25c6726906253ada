// SPDX-License-Identifier: MIT

#include <cstdint>
#include <numeric>
#include <set>

#include "tools/input_files.hpp"
#include "tools/run/run_rows.hpp"

namespace run_reductions_mpi_test {

#if BRACKET_HAS_MPI

using namespace run_rows;
using Catch::Contains;

namespace {

/// FNV-1a with its published constants, over the bits of the results.
std::string digest_of(const std::vector<double>& results) {
  std::uint64_t digest = 0xCBF29CE484222325u;
  for (const double result : results) {
    std::uint64_t rest = bits(result);
    for (int i = 0; i < 8; ++i, rest >>= 8) digest = (digest ^ (rest & 0xFF)) * 0x100000001B3u;
  }
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(digest));
  return text;
}

}  // namespace

// Results of `run` by its plans, distributions and collectives.

TEST_CASE("run gives the same bits on any number of ranks, and sends what is proven") {
  const Scratch scratch;
  const auto file = make_file(scratch.path() / "the values.binpsllh", binpsllh_file(values));
  const std::string plans = "direct,buffered,buffered:2:8,aggregated:3";
  const std::string distributions = "lower,upper,power2,optimized:0.2";
  for (const int p : {1, 2, 3, 5}) {
    CAPTURE(p);
    const Words ranks{"-p", std::to_string(p)};
    const Words elements{"-N", std::to_string(N)};
    const Words which{"--plan", plans, "--distribution", distributions};
    const auto rows = rows_of(cli_on(p, Words{"run", file} + which + few_runs));
    REQUIRE(rows.size() == 16);
#if BRACKET_HAS_SIMGRID
    const auto simulated = rows_of(cli(Words{"simulate", "--json"} + elements + ranks + which));
    REQUIRE(simulated.size() == 16);
#endif
    std::set<std::pair<std::string, std::string>> seen;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto plan = rows[i].at("plan").get<std::string>();
      const auto distribution = rows[i].at("distribution").get<std::string>();
      CAPTURE(plan, distribution);
      seen.insert({plan, distribution});
      check_sum(rows[i], tree_sum(values));
      CHECK(rows[i].at("elements") == N);
      CHECK(rows[i].at("ranks") == p);
      CHECK(rows[i].at("repetitions") == 2);
      CHECK(rows[i].at("measured_seconds") > 0);
      CHECK(rows[i].at("measured_low_seconds") <= rows[i].at("measured_high_seconds"));
      const auto proven =
          rows_of(cli(Words{"verify", "--json", "--plan", plan, "--distribution", distribution} +
                      elements + ranks));
      CHECK(rows[i].at("messages") == proven.at(0).at("messages"));
#if BRACKET_HAS_SIMGRID
      CHECK(simulated[i].at("plan") == plan);
      CHECK(simulated[i].at("distribution") == distribution);
      CHECK(rows[i].at("messages") == simulated[i].at("simulated_messages"));
#endif
    }
    CHECK(seen.size() == 16);
  }
}

TEST_CASE("run takes fewer elements than ranks, any root, and all") {
  const Scratch scratch;
  const std::vector<double> two{1e16, 1};
  const auto file = make_file(scratch.path() / "two.f64", raw_values<double>(two));
  for (const Words& delivery :
       {Words{"--root", "3"}, Words{"--all", "--distribution", "counts:0:1:0:1:0"}}) {
    const auto rows = rows_of(cli_on(
        5, Words{"run", file, "--plan", "direct,buffered,aggregated"} + delivery + few_runs));
    REQUIRE(rows.size() == 3);
    for (const auto& row : rows) check_sum(row, 1e16 + 1);
  }
}

TEST_CASE("run reduces several fields in the messages of one, each with its own bits") {
  const Scratch scratch;
  constexpr std::size_t fields = 3;
  const std::size_t elements = 101;
  const auto numbers = hostile_elements(Hostile::cancelling, elements * fields, 5);
  const auto file = make_file(scratch.path() / "v.binpsllh", binpsllh_file(numbers));
  std::vector<double> sums;
  for (std::size_t field = 0; field < fields; ++field) {
    const auto first = numbers.begin() + static_cast<std::ptrdiff_t>(field * elements);
    sums.push_back(tree_sum({first, first + static_cast<std::ptrdiff_t>(elements)}));
  }
  const std::string expected = digest_of(sums);
  const Words several{"run", file, "--fields", "3", "--plan", "buffered,butterfly,aggregated"};
  const auto schedule = (scratch.path() / "s.json").string();
  for (const int p : {1, 2, 5}) {
    for (const Words& delivery : {Words{"--root", "0"}, Words{"--all"}}) {
      CAPTURE(p, delivery);
      const auto rows = rows_of(
          cli_on(p, several + delivery + few_runs + Words{"--distribution", "upper,lower"}));
      REQUIRE(rows.size() == 6);
      for (const auto& row : rows) {
        CHECK(row.at("result_digest") == expected);
        CHECK(row.at("elements") == elements);
        CHECK(row.at("items") == 1);
        CHECK(row.at("fields") == fields);
        const auto counted = rows_of(
            cli(Words{"count", "-N", "101", "-p", std::to_string(p), "--json", "--plan",
                      row.at("plan"), "--distribution", row.at("distribution"), "--fields", "3"} +
                delivery));
        CHECK(row.at("messages") == counted.at(0).at("messages"));
      }
    }
  }
  REQUIRE(cli({"verify", "-N", "101", "-p", "3", "--fields", "3", "--plan", "butterfly", "--all",
               "-o", schedule})
              .code == 0);
  const auto rows = rows_of(cli_on(3, Words{"run", file, "--schedule", schedule} + few_runs));
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].at("result_digest") == expected);
  CHECK(rows[0].at("fields") == fields);

  check_refused({"run", file, "--fields", "2"}, "303 numbers are no whole number of elements in 2");
  check_refused({"run", file, "--fields", "3", "--items", "3"}, "--items excludes --fields");
  check_refused({"run", file, "--fields", "3", "--scatter"}, "--fields excludes --scatter");
  check_refused({"run", file, "--fields", "0"}, "--fields must be at least 1, not 0");
  check_refused({"run", file, "--fields", "nan"}, "--fields: 'nan' is not a whole number");
  check_refused({"run", file, "--fields", "1M"}, "--fields: '1M' is out of range: at most 100000");
  check_refused({"run", file, "--fields", "3", "--plan", "native"}, "the plan native");
  check_refused({"run", file, "--fields", "3", "--schedule", schedule}, "--schedule");
}

TEST_CASE("run reduces several fields by any operation") {
  const Scratch scratch;
  const auto numbers = hostile_elements(Hostile::cancelling, 60, 5);
  const auto file = make_file(scratch.path() / "v.binpsllh", binpsllh_file(numbers));
  for (const Words& what :
       {Words{"--algorithm", "binned"}, Words{"--op", "maximum-location"}, Words{"--op", "digest"},
        Words{"--type", "complex128"}, Words{"--algorithm", "double-double", "--all"}}) {
    CAPTURE(what);
    std::set<std::string> digests;
    for (const int p : {1, 3}) {
      const auto rows = rows_of(cli_on(p, Words{"run", file, "--fields", "3"} + what + few_runs));
      digests.insert(rows.at(0).at("result_digest").get<std::string>());
    }
    CHECK(digests.size() == 1);
  }
}

TEST_CASE("run reduces vectors item by item, to one rank, to all or in blocks") {
  const Scratch scratch;
  constexpr std::size_t items = 7;
  const std::size_t elements = 30;
  const auto numbers = hostile_elements(Hostile::cancelling, elements * items, 3);
  const auto file = make_file(scratch.path() / "v.binpsllh", binpsllh_file(numbers));
  std::vector<double> sums;
  for (std::size_t item = 0; item < items; ++item) {
    std::vector<double> column;
    for (std::size_t x = 0; x < elements; ++x) column.push_back(numbers[x * items + item]);
    sums.push_back(tree_sum(column));
  }
  const std::string expected = digest_of(sums);
  const Words vectors{"run", file, "--items", "7", "--plan", "butterfly:2,elimination,aggregated"};
  for (const int p : {1, 3, 4}) {
    for (const char* const delivery : {"--root=0", "--all", "--scatter"}) {
      CAPTURE(p, delivery);
      const auto rows = rows_of(cli_on(p, vectors + Words{delivery} + few_runs));
      REQUIRE(rows.size() == 3);
      for (const auto& row : rows) {
        CHECK(row.at("result_digest") == expected);
        CHECK(row.at("elements") == elements);
        CHECK(row.at("items") == items);
        CHECK_FALSE(row.contains("result"));
      }
    }
  }
  const auto schedule = (scratch.path() / "s.json").string();
  REQUIRE(cli({"verify", "-N", "30", "-p", "3", "--items", "7", "--plan", "butterfly:2",
               "--scatter", "-o", schedule})
              .code == 0);
  const auto rows = rows_of(cli_on(3, Words{"run", file, "--schedule", schedule} + few_runs));
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].at("result_digest") == expected);
  CHECK(rows[0].at("collective") == "reduce-scatter");

  check_refused({"run", file, "--items", "4"}, "210 numbers are no whole number of elements");
  check_refused({"run", file, "--items", "0"}, "--items must be at least 1");
  check_refused({"run", file, "--all", "--scatter"}, "--scatter");
  check_refused({"run", "--synthetic", "9", "--items", "3000000000"}, "takes at most 2147483647");
  check_refused({"run", "--synthetic", "9223372036854775807", "--items", "2"}, "too many");
}

TEST_CASE("run sums as programs without reproducibility do") {
  const Scratch scratch;
  const auto file = make_file(scratch.path() / "x.f64", raw_values<double>(values));
  const auto half = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  const double sum =
      std::accumulate(values.begin(), half, 0.0) + std::accumulate(half, values.end(), 0.0);
  for (const Words& where : {Words{"--all"}, Words{"--root", "1"}}) {
    const auto rows =
        rows_of(cli_on(2, Words{"run", file, "--algorithm", "accumulate"} + where + few_runs));
    REQUIRE(rows.size() == 1);
    check_sum(rows[0], sum);
    CHECK(rows[0].at("algorithm") == "accumulate");
    CHECK(rows[0].at("plan") == "native");
    CHECK_FALSE(rows[0].contains("messages"));
  }
  // The sum of whole numbers is the same in any order.
  std::vector<double> whole(1001);
  std::iota(whole.begin(), whole.end(), -3.0);
  const auto wholes = make_file(scratch.path() / "whole.f64", raw_values<double>(whole));
  const auto rows = rows_of(cli_on(
      3, Words{"run", wholes, "--algorithm", "irreproducible", "--threads", "2"} + few_runs));
  check_sum(rows.at(0), 1001 * 497.0);
}

TEST_CASE("run has the MPI library reduce, side by side with plans") {
  const Scratch scratch;
  const auto file = make_file(scratch.path() / "x.f64", raw_values<double>(values));
  const Words both{"run", file, "--plan", "butterfly,native"};
  for (const int p : {1, 2, 3}) {
    const auto rows = rows_of(cli_on(p, both + Words{"--all"} + few_runs));
    REQUIRE(rows.size() == 2);
    for (const auto& row : rows) check_sum(row, tree_sum(values));
    CHECK(rows[1].at("plan") == "native");
    CHECK(rows[1].at("measured_seconds") > 0);
    CHECK(rows[0].contains("messages"));
    CHECK_FALSE(rows[1].contains("messages"));
  }
  const auto table = cli_on(2, both + Words{"--all", "--repetitions", "2"});
  CHECK(table.code == 0);
  CHECK_THAT(table.out, Contains("\nnative"));
  // Refused before any measurement.
  const auto late = cli_on(2, Words{"run", file, "--plan", "direct,native", "--json"});
  CHECK(late.code == 2);
  CHECK(late.out == "");
  for (const auto& [wrong, why] :
       {std::pair<Words, std::string>{{}, "the plan native leaves the result on every rank"},
        {{"--all", "--order", "sequential"}, "native makes no sense for the order sequential"}}) {
    const auto refused = cli_on(3, Words{"run", file, "--plan", "native", "--json"} + wrong);
    CHECK(refused.code == 2);
    CHECK(refused.out == "");
    CHECK(occurrences(refused.err, why) == 1);
  }
}

TEST_CASE("run takes a schedule and a distribution from files") {
  const Scratch scratch;
  const auto at = [&](const char* name) { return (scratch.path() / name).string(); };
  const auto file = make_file(at("x.f64"), raw_values<double>(values));
  const Words size{"-N", std::to_string(N), "-p", "3"};
  REQUIRE(cli(Words{"verify", "--plan", "aggregated:2", "-o", at("s.json")} + size).code == 0);
  REQUIRE(cli(Words{"tune", "-o", at("d.json")} + size).code == 0);
  const auto by_schedule =
      rows_of(cli_on(3, Words{"run", file, "--schedule", at("s.json")} + few_runs));
  check_sum(by_schedule.at(0), tree_sum(values));
  CHECK(by_schedule.at(0).at("plan") == "aggregated:2");
  CHECK(by_schedule.at(0).at("messages") == 2);
  const auto by_distribution =
      rows_of(cli_on(3, Words{"run", file, "--distribution", at("d.json")} + few_runs));
  check_sum(by_distribution.at(0), tree_sum(values));

  for (const Words& too_much :
       {Words{"--plan", "direct"}, Words{"--distribution", "upper"}, Words{"--order", "tree"},
        Words{"--root", "0"}, Words{"--all"}, Words{"--rank-order", "reversed"}}) {
    check_refused(Words{"run", file, "--schedule", at("s.json")} + too_much, "excludes");
  }
  check_refused({"run", file, "--schedule", at("s.json")}, "for 3 ranks, there are 1");
  check_refused({"run", "--synthetic", "9", "--schedule", at("s.json")}, "the input has 9");
  check_refused({"run", file, "--distribution", at("d.json")}, "p = 3");
  auto broken = Json::parse(content_of(at("s.json")));
  broken["parts"][1][0] = Json{{"fold", {0, 1}}};
  make_file(at("s.json"), broken.dump());
  const auto refused = cli_on(3, {"run", file, "--schedule", at("s.json")});
  CHECK(refused.code == 2);
  CHECK(refused.out == "");
  CHECK(occurrences(refused.err, "s.json: rank 1, step 0") == 1);
}

#endif

}  // namespace run_reductions_mpi_test
