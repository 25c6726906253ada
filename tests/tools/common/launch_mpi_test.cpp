#include <signal.h>

#include <thread>

#include "tools/cli.hpp"

/// Programs that the launcher starts, and launchers of another MPI library.
namespace launch_mpi_test {

using namespace bracket::testing;
using Catch::Contains;

namespace {

const Words run{"run", "--synthetic", "9", "--repetitions", "1"};

/// One launch in which one rank runs `first` and another runs `second`.
Outcome beside(const Words& first, const Words& second, Setting setting = {}) {
  const Words one{BRACKET_MPIEXEC_NUMPROC_FLAG, "1"};
  return run_process(Words{BRACKET_MPIEXEC} + one + first + Words{":"} + one + second,
                     with_mpi(std::move(setting)));
}

Words bracket(const Words& words) { return Words{BRACKET_FRONT} + words; }

}  // namespace

TEST_CASE("a rank that never starts MPI does not have the others wait") {
  Setting setting;
  setting.environment = {{"BRACKET_START_SECONDS", "2"}};
  for (const Words& other : {bracket({"list"}), bracket({"--help"}), Words{"/bin/true"}}) {
    CAPTURE(other);
    const auto outcome = beside(bracket(run), other, setting);
    CHECK(outcome.code == 2);
    CHECK_THAT(
        outcome.err,
        Contains("bracket: MPI did not start in 2 seconds: either a rank of this launch runs "
                 "another command"));
  }
}

TEST_CASE("the time that MPI has to start is a number of seconds") {
  for (const char* const seconds : {"", "0", "-1", "nan", "1e10", "2 s"}) {
    Setting setting;
    setting.environment = {{"BRACKET_START_SECONDS", seconds}};
    check_refused(cli_on(2, run, setting), "BRACKET_START_SECONDS");
  }
  Setting setting;
  setting.environment = {{"BRACKET_START_SECONDS", "1e9"}};
  CHECK(cli(run, setting).code == 0);
}

TEST_CASE("a subcommand that is misspelt on one rank alone is named") {
  for (const auto& outcome :
       {beside(bracket(run), bracket({"rn"})), beside(bracket({"rn"}), bracket(run))}) {
    CHECK(outcome.code == 2);
    CHECK_THAT(outcome.err,
               Contains("unknown subcommand 'rn'; did you mean run? known: run, bench, calibrate"));
    CHECK(occurrences(outcome.err, "bracket: ") == 1);
  }
  check_refused(cli_on(2, {"rn"}),
                "unknown subcommand 'rn'; did you mean run? known: run, bench, calibrate");
}

TEST_CASE("the launcher of another MPI library is refused") {
  // Only the environment variables of a foreign launcher reveal its number of ranks.
  for (const char* const name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"}) {
    Setting setting;
    setting.environment = {{name, "2"}};
    check_refused(cli(run, setting), "the launcher started 2 ranks, but each is alone in ");
  }
  Setting nested;  // inside a rank of another launch
  nested.environment = {{"SLURM_STEP_NUM_TASKS", "4"}};
  CHECK(cli_on(2, run, nested).code == 0);
}

TEST_CASE("a comparison that is killed leaves no ranks behind") {
  Setting setting;
  setting.limit = std::chrono::seconds(20);
  Process comparison(Words{BRACKET_FRONT, "compare", "-N", "1000", "-p", "2", "--oversubscribe",
                           "--plan", "direct", "--repetitions", "100000000"},
                     with_mpi(setting));
  std::this_thread::sleep_for(std::chrono::seconds(2));
  comparison.signal(SIGKILL);
  // The wait ends only when all children have ended.
  CHECK(comparison.wait().code == 128 + SIGKILL);
}

}  // namespace launch_mpi_test
