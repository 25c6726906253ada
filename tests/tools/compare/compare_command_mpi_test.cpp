// SPDX-License-Identifier: MIT

#include <chrono>
#include <cmath>
#include <thread>

#include "tools/compare/compare_rows.hpp"

namespace compare_command_mpi_test {

using namespace compare_rows;
using Catch::Approx;
using Catch::Contains;

// Predictions, and measurements by `compare` itself.

TEST_CASE("compare only predicts if told to") {
  const Words predict = thousand + Words{"--predict"};
  const auto outcome = cli(predict + Words{"-p", "1,100"});
  CHECK_THAT(outcome.err, !Contains("is not measured"));
  for (const auto& row : rows_of(outcome)) CHECK_FALSE(row.contains("measured_seconds"));
  for (const Words& measuring : {Words{"--fit"}, Words{"--oversubscribe"}, Words{"--launcher", "x"},
                                 Words{"--measured", "x"}, Words{"--repetitions", "3"}}) {
    check_refused(predict + measuring, "excludes");
  }
  check_refused(thousand + Words{"--fit", "--t-add", "1"}, "excludes");
}

TEST_CASE("compare refuses bad input before it measures") {
  const Words never{"--launcher", "false"};
  check_refused({"compare"}, "-N must be given");
  check_refused({"compare", "-N", "0"}, "N >= 1");
  check_refused({"compare", "-N", "-1"}, "N >= 1");
  check_refused({"compare", "none.f64"}, "No such file");
  check_refused({"compare", "-N", "9", "--synthetic", "8"}, "the input has 8");
  check_refused(thousand + never + Words{"-p", "0"}, "-p must be at least 1");
  check_refused(thousand + never + Words{"-p", "1,x"}, "-p: 'x'");
  check_refused(thousand + never + Words{"-p", "2", "--root", "2"}, "root 2 is no rank");
  check_refused(thousand + never + Words{"-p", "2", "--order", "associative"}, "fixed bracketing");
  check_refused(thousand + never + Words{"--repetitions", "0"}, "--repetitions must be");
  check_refused(thousand + never + Words{"--starts", "0"}, "--starts must be");
  check_refused(thousand + never + Words{"--latency", "nan"}, "--latency");
}

#if BRACKET_HAS_MPI

TEST_CASE("compare measures by itself") {
  const Scratch scratch;
  const Words ranks{"-p", "1,2", "--oversubscribe", "--repetitions", "3", "--starts", "2"};
  auto rows = rows_of(cli(thousand + ranks + Words{"--plan", "direct,aggregated", "--fit"}));
  take_correlations(rows);
  REQUIRE(rows.size() == 4);
  std::string sum;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto& row = rows[i];
    CHECK(row.at("ranks") == (i < 2 ? 1 : 2));
    CHECK(row.at("measured_seconds") > 0);
    CHECK(row.at("repetitions") == 3);
    CHECK(row.at("starts") == 2);
    CHECK(row.at("measured_low_seconds") <= row.at("measured_seconds"));
    CHECK(row.at("measured_high_seconds") >= row.at("measured_seconds"));
    if (sum.empty()) sum = row.at("result_bits").get<std::string>();
    CHECK(row.at("result_bits") == sum);
  }
  // One of the rows on one rank gave t_add.
  CHECK(std::min(std::abs(rows[0].at("loggp_error").get<double>()),
                 std::abs(rows[1].at("loggp_error").get<double>())) == Approx(0).margin(1e-9));

  const auto text = cli({"compare", "-N", "1000", "-p", "2", "--oversubscribe", "--plan", "direct",
                         "--repetitions", "3", "--starts", "1", "--cold"});
  CHECK(text.code == 0);
  CHECK_THAT(text.out, Contains("measured [us]") && Contains(sum) && Contains("LogGP error") &&
                           Contains("95 % from [us]  to [us]"));
  const auto not_measured = cli(thousand + Words{"-p", "1000"});
  CHECK(not_measured.code == 0);
  CHECK_THAT(not_measured.err, Contains("p = 1000 is not measured"));
}

TEST_CASE("compare notices what the launcher did not do") {
  const Scratch scratch;
  const auto launched_by = [&](const std::string& launcher) {
    return thousand + Words{"-p", "2", "--oversubscribe", "--launcher", launcher};
  };
  const auto script = [&](const std::string& lines) {
    return "sh " + make_file(scratch.path() / "launcher", lines) + " {ranks}";
  };
  check_refused(launched_by(""), "--launcher is empty");
  check_refused(launched_by("bracket-no-such-launcher"), "cannot be started");
  check_refused(launched_by("false"), "failed with exit code 1");
  check_refused(launched_by("echo"), "must be a JSON object");
  check_refused(launched_by(script("true")), "did not run");
  check_refused(launched_by(script("kill -9 $$")), "ended by signal 9");
  // The mpiexec of another MPI library does this.
  check_refused(launched_by(script("shift; \"$@\"; \"$@\"")), "on 1 rank in place of 2");
}

TEST_CASE("compare that is ended ends what it started") {
  const Scratch scratch;
  const auto started = scratch.path() / "started";
  const auto launcher =
      make_file(scratch.path() / "launcher", "touch '" + started.string() + "'\nexec sleep 100\n");
  for (const int signal : {SIGINT, SIGTERM}) {
    std::filesystem::remove(started);
    Process compare(Words{BRACKET_FRONT} + thousand +
                    Words{"-p", "1", "--launcher", "sh " + launcher});
    for (int tries = 0; !std::filesystem::exists(started) && tries < 1000; ++tries) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    compare.signal(signal);
    CHECK(compare.wait().code == 128 + signal);
  }
}

#endif

#if BRACKET_HAS_SMPI
TEST_CASE("compare: the code itself with simulated MPI") {
  const auto rows = rows_of(cli({"compare", "--json", "--predict", "--smpi", "-N", "10000", "-p",
                                 "16", "--plan", "direct,butterfly", "--all"}));
  REQUIRE(rows.size() == 4);
  for (const auto& row : rows) {
    CHECK(row.at("smpi_seconds").get<double>() ==
          Approx(row.at("simgrid_seconds").get<double>()).epsilon(0.02));
  }
}
#endif

#if BRACKET_HAS_SIMGRID
TEST_CASE("what the simulator refuses, compare says once") {
  check_refused({"compare", "-N", "9", "-p", "2", "--predict", "--platform", "/none/x.xml"},
                "/none/x.xml");
}
#endif

}  // namespace compare_command_mpi_test
