// SPDX-License-Identifier: MIT

#include <chrono>
#include <csignal>
#include <thread>

#include "bracket/runtime/kernel.hpp"
#include "tools/input_files.hpp"
#include "tools/run/run_rows.hpp"

namespace run_execution_mpi_test {

#if BRACKET_HAS_MPI

using namespace run_rows;
using Catch::Contains;

// Kernels, threads, and the ranks and rows of a `run`.

TEST_CASE("run says where its ranks come from") {
  check_refused({"run", "--synthetic", "9", "-p", "2"}, "mpiexec -n 2 bracket run");
}

TEST_CASE("every kernel is run on request, by option or environment, to the same bits") {
  const Scratch scratch;
  const auto file = make_file(scratch.path() / "x.f64", raw_values<double>(values));
  const auto help = cli({"run", "--help"}).out;
  for (const auto& kernel : bracket::runtime::kernels()) {
    const std::string name(kernel.name);
    CAPTURE(name);
    CHECK_THAT(help, Contains(name));
    const Words by_option = Words{"run", file, "--kernel", name} + few_runs;
    if (!kernel.supported()) {
      check_refused(by_option, "does not support");
      continue;
    }
    Setting setting;
    setting.environment = {{"BRACKET_KERNEL", name}};
    Setting other;
    other.environment = {{"BRACKET_KERNEL", "nonsense"}};
    for (const auto& outcome :
         {cli(by_option), cli(Words{"run", file} + few_runs, setting), cli(by_option, other)}) {
      const auto rows = rows_of(outcome);
      CHECK(rows.at(0).at("kernel") == name);
      check_sum(rows.at(0), tree_sum(values));
    }
  }
}

TEST_CASE("run tells people the sum in three ways and what it ran on") {
  const Scratch scratch;
  const std::vector<double> three{0.5, 0.25, 8};
  const auto file = make_file(scratch.path() / "x.f64", raw_values<double>(three));
  const auto outcome = cli({"run", file, "--repetitions", "3"});
  CHECK(outcome.code == 0);
  CHECK_THAT(outcome.out, Contains("3 elements (" + file + ") on 1 rank,") &&
                              Contains("time [us]") && Contains(" 8.75 ") &&
                              Contains("0x1.18p+3") && Contains("0x4021800000000000"));
}

TEST_CASE("rows come in the order of what is asked for, in whatever order it is measured") {
  const std::vector<Words> orders{{"direct", "aggregated", "binomial"},
                                  {"binomial", "direct", "aggregated"}};
  for (const Words& plans : orders) {
    const std::string list = plans[0] + "," + plans[1] + "," + plans[2];
    for (const Words& arithmetic : {Words{}, Words{"--algorithm", "double-double"}}) {
      const auto rows = rows_of(cli_on(2, Words{"run", "--synthetic", "1000", "--all",
                                                "--distribution", "upper,lower", "--plan", list} +
                                              few_runs + arithmetic));
      REQUIRE(rows.size() == 6);
      for (std::size_t i = 0; i < rows.size(); ++i) {
        CHECK(rows[i].at("plan").get<std::string>().starts_with(plans[i % 3]));
        CHECK(rows[i].at("distribution") == (i < 3 ? "upper" : "lower"));
        CHECK(rows[i].at("result_bits") == rows[0].at("result_bits"));
        CHECK(rows[i].at("calls_per_sample") >= 1);
      }
    }
  }
  const auto cold = rows_of(cli(Words{"run", "--synthetic", "9", "--cold"} + few_runs)).at(0);
  CHECK(cold.at("cold") == true);
  CHECK(cold.at("calls_per_sample") == 1);
}

TEST_CASE(
    "threads change no bits, and bad numbers of them are refused before anything is printed") {
  const std::string count = "100000";  // enough for a rank to use its threads
  const auto bits_of = [&](const Words& with) {
    return rows_of(cli(Words{"run", "--synthetic", count} + few_runs + with))
        .at(0)
        .at("result_bits");
  };
  const auto alone = bits_of({});
  CHECK(bits_of({"--threads", "2"}) == alone);
  CHECK(bits_of({"--threads", "3", "--order", "tree"}) == alone);
  const auto bench = rows_of(cli({"bench", "-N", count, "--threads", "2", "--json", "--candidates",
                                  "butterfly", "--repetitions", "1"}));
  CHECK(bench.at(1).at("threads") == 2);
  CHECK(bench.at(1).at("result_bits") == alone);
  for (const char* const command : {"run", "bench"}) {
    const Words elements{command == std::string("run") ? "--synthetic" : "-N", "100"};
    check_refused(Words{command} + elements + Words{"--threads", "0"},
                  "--threads must be at least");
    check_refused(Words{command} + elements + Words{"--threads", "99999"}, "at most 4096");
  }
}

TEST_CASE("run that is ended ends its ranks") {
  const Scratch scratch;
  const auto output = (scratch.path() / "out").string();
  Setting setting;
  setting.output = output;
  Process run({BRACKET_MPIEXEC, BRACKET_MPIEXEC_NUMPROC_FLAG, "2", BRACKET_FRONT, "run",
               "--synthetic", "100000", "--repetitions", "1000000000"},
              with_mpi(setting));
  for (int tries = 0; content_of(output).empty() && tries < 1000; ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  run.signal(SIGINT);
  // The launcher chooses its code, and MPICH's may be 0. But no process may still be running.
  CHECK(run.wait().code != Outcome{}.code);
}

#endif

}  // namespace run_execution_mpi_test
