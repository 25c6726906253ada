// SPDX-License-Identifier: MIT

#include "tools/compare/compare_rows.hpp"

namespace threads_mpi_test {

using namespace compare_rows;
using Catch::Approx;
using Catch::Contains;

namespace {

const Words size{"-N", "100001", "-p", "1", "--t-add", "1e-9", "--json"};

}  // namespace

TEST_CASE("every command that predicts takes the threads of a rank") {
  for (const auto& [threads, seconds] :
       {std::pair{"1", 100e-6}, std::pair{"2", 50e-6}, std::pair{"4", 25e-6}}) {
    const Words with{"--threads", threads};
    CAPTURE(threads);
    Words engines{"loggops"};
    if (BRACKET_HAS_SIMGRID) engines.push_back("simgrid");
    if (BRACKET_HAS_SMPI) engines.push_back("smpi");
    for (const auto& engine : engines) {
      const auto row = rows_of(cli(Words{"simulate", "--engine", engine} + size + with)).at(0);
      CAPTURE(row.dump());
      CHECK(row.at("simulated_seconds").get<double>() == Approx(seconds).epsilon(0.01));
      CHECK(row.value("threads", 1) == std::stoi(threads));
    }
    auto rows =
        rows_of(cli(Words{"compare", "--predict", "--distribution", "upper"} + size + with));
    take_correlations(rows);
    for (const char* key : {"loggp_seconds", "loggops_seconds"}) {
      CHECK(rows.at(0).at(key).get<double>() == Approx(seconds));
    }
    const auto tuned = rows_of(cli(Words{"tune", "--objective", "loggp"} + size + with)).at(0);
    CHECK(tuned.at("loggp_seconds").get<double>() == Approx(seconds));
    CHECK(tuned.value("threads", 1) == std::stoi(threads));
    const auto counted = rows_of(cli(Words{"count"} + size + with)).at(0);
    CHECK(counted.value("threads", 1) == std::stoi(threads));
    CHECK(counted.at("score_seconds").get<double>() == Approx(seconds));
  }
  const auto swept = rows_of(
      cli(Words{"simulate", "--engine", "loggops"} + size + Words{"--sweep", "threads=1,2,4"}));
  REQUIRE(swept.size() == 3);
  CHECK(swept[2].at("simulated_seconds").get<double>() == Approx(25e-6));
  for (const char* command : {"simulate", "compare", "tune", "count"}) {
    check_refused(Words{command} + size + Words{"--threads", "0"}, "--threads");
  }
}

#if BRACKET_HAS_MPI

TEST_CASE("compare measures with the threads that it predicts, and validate takes them from rows") {
  auto rows = rows_of(cli(Words{"compare", "--threads", "2", "--starts", "1", "--repetitions", "3",
                                "--distribution", "upper"} +
                          size));
  take_correlations(rows);
  REQUIRE(!rows.empty());
  CHECK(rows[0].at("threads") == 2);
  CHECK(rows[0].at("measured_seconds") > 0);

  const Scratch scratch;
  std::string lines;
  for (const int threads : {1, 2}) {
    const Json row{{"elements", 100001 + threads},
                   {"ranks", 1},
                   {"order", "tree"},
                   {"plan", "direct"},
                   {"distribution", "upper"},
                   {"threads", threads},
                   {"measured_seconds", 1e-4}};
    lines += row.dump() + "\n";
  }
  const auto file = make_file(scratch.path() / "rows.jsonl", lines);
  const auto judged = rows_of(cli({"validate", file, "--json", "--t-add", "1e-9"}));
  REQUIRE(judged.size() >= 2);
  CHECK(judged[0].at("loggp_seconds").get<double>() == Approx(100e-6).epsilon(1e-3));
  CHECK(judged[1].at("loggp_seconds").get<double>() == Approx(50e-6).epsilon(1e-3));
  CHECK(judged[1].at("threads") == 2);
  const std::string zero = R"({"elements": 9, "ranks": 1, "order": "tree", "plan": "direct", )"
                           R"("distribution": "upper", "threads": 0, "measured_seconds": 1e-4})";
  check_refused({"validate", make_file(scratch.path() / "zero.jsonl", zero)}, "\"threads\"");
}

#endif

}  // namespace threads_mpi_test
