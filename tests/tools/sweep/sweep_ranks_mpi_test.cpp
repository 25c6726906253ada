// SPDX-License-Identifier: MIT

#include <signal.h>

#include <chrono>
#include <thread>

#include "tools/cli.hpp"

/// Sweeps whose rows the ranks of a launcher share.
namespace sweep_ranks_mpi_test {

using namespace bracket::testing;
using Catch::Contains;

namespace {

const Words sweep{"simulate",          "-N",      "100000",       "--engine", "loggops", "--plan",
                  "direct,aggregated", "--noise", "pareto:0.01:2"};

/// One launch in which one rank runs `first` and another runs `second`.
Outcome beside(const Words& first, const Words& second) {
  const Words one{BRACKET_MPIEXEC_NUMPROC_FLAG, "1"};
  return run_process(Words{BRACKET_MPIEXEC} + one + first + Words{":"} + one + second,
                     with_mpi({}));
}

Words bracket(const Words& words) { return Words{BRACKET_FRONT} + words; }

/// Process of program `name` that `ancestor` or one of its descendants has started; the last one of
/// several.
pid_t started_by(pid_t ancestor, const std::string& name) {
  pid_t found = 0;
  const auto id = std::to_string(ancestor);
  std::istringstream children(content_of("/proc/" + id + "/task/" + id + "/children"));
  for (pid_t child = 0; children >> child;) {
    const auto words = content_of("/proc/" + std::to_string(child) + "/cmdline");
    if (words.substr(0, words.find('\0')).ends_with(name)) found = child;
    if (const pid_t below = started_by(child, name)) found = below;
  }
  return found;
}

}  // namespace

TEST_CASE("the rows of a sweep are the same bytes for any number of ranks") {
  const Words asked = sweep + Words{"--sweep", "p=300,2,3,1", "--sweep=seed=1,7"};
  for (const Words& form : {Words{"--json"}, Words{"--csv"}, Words{}}) {
    const auto alone = cli(asked + form + Words{"--jobs", "1"});
    REQUIRE(alone.code == 0);
    for (const int ranks : {2, 3, 5}) {
      CAPTURE(ranks);
      const auto shared = cli_on(ranks, asked + form);
      INFO(shared.err);
      CHECK(shared.code == 0);
      CHECK(shared.out == alone.out);
    }
    CHECK(cli_on(2, asked + form + Words{"--jobs", "2"}).out == alone.out);
  }
}

TEST_CASE("ranks go on with a file of rows") {
  const Scratch scratch;
  for (const std::string name : {"rows.csv", "rows.jsonl"}) {
    const auto file = (scratch.path() / name).string();
    const auto alone = (scratch.path() / ("alone_" + name)).string();
    const Words whole = sweep + Words{"--sweep", "p=9,8,7,6,5", "-o"};
    REQUIRE(cli(whole + Words{alone}).code == 0);
    CHECK_THAT(cli_on(2, sweep + Words{"--sweep", "p=9,8", "-o", file}).err,
               Contains("4 rows added"));
    CHECK_THAT(cli_on(3, whole + Words{file}).err, Contains("6 rows added, 4 were there"));
    CHECK(content_of(file) == content_of(alone));
  }
}

TEST_CASE("a sweep that fails on any rank ends on all, and is said once") {
  const Words root{"--root", "3", "--json", "--sweep", "p=6,4,3,9,2"};
  const auto alone = cli(sweep + root + Words{"--jobs", "1"});
  const auto shared = cli_on(3, sweep + root);
  CHECK(alone.code == 2);
  CHECK(shared.code == 2);
  CHECK(shared.out == alone.out);
  CHECK_THAT(shared.err, Contains(alone.err));
  CHECK(occurrences(shared.err, "bracket: ") == 1);

  check_refused(cli_on(2, sweep + Words{"--sweep", "q=1", "-p", "2"}), "--sweep q: an option");
  check_refused(cli_on(2, sweep + Words{"--sweep", "p=2", "--wibble"}), "--wibble");
  check_refused(cli_on(2, sweep + Words{"--sweep", "p=2", "-o", "/nowhere/rows.csv"}),
                "/nowhere/rows.csv: cannot be written");
  check_refused(cli_on(2, sweep + Words{"--sweep", "p=2", "--jobs", "0"}), "--jobs must be from 1");
  check_refused(
      beside(bracket(sweep + Words{"--sweep", "p=2"}), bracket(sweep + Words{"--sweep", "p=3"})),
      "the ranks were started with different options");
}

TEST_CASE("a rank whose files are others says so") {
  const Scratch scratch;
  make_file(scratch.path() / "there.json", content_of(BRACKET_MACHINES "/thesis.json"));
  // Runs the words in another folder.
  const auto in = [&](const std::string& folder, const Words& words) {
    return Words{"env", "--chdir=" + folder} + bracket(words);
  };
  const auto outcome = beside(
      in(scratch.path().string(), sweep + Words{"--machine", "there.json", "--sweep", "p=2"}),
      in("/", sweep + Words{"--machine", "there.json", "--sweep", "p=2"}));
  CHECK(outcome.code == 2);
  CHECK_THAT(outcome.err, Contains("bracket: rank 1: ") && Contains("there.json"));
  CHECK(outcome.out == "");
}

TEST_CASE("a process that is killed on one rank ends the sweep on all") {
  Setting setting;
  setting.limit = std::chrono::seconds(60);
  const Words endless{
      "simulate", "-N", "100000000", "--engine", "loggops", "--sweep", "p=20000:200000:lin:1000",
      "--jobs",   "1"};
  Process launch(Words{BRACKET_MPIEXEC, BRACKET_MPIEXEC_NUMPROC_FLAG, "2"} + bracket(endless),
                 with_mpi(setting));
  pid_t simulating = 0;
  for (int tries = 0; tries < 1000 && simulating == 0; ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    // The last process of the last rank: a job, or its parent.
    simulating = started_by(launch.id(), "bracket-simulate");
  }
  REQUIRE(simulating != 0);
  std::this_thread::sleep_for(std::chrono::seconds(1));
  ::kill(simulating, SIGKILL);
  const auto outcome = launch.wait();  // also waits for its children
  CHECK(outcome.code == 2);
  CHECK_THAT(outcome.err, Contains("ended by signal 9"));
}

TEST_CASE("a launch that is ended leaves nothing of a sweep behind") {
  Setting setting;
  setting.limit = std::chrono::seconds(60);
  const Words endless{
      "simulate", "-N", "100000000", "--engine", "loggops", "--sweep", "p=20000:200000:lin:1000"};
  for (const int signal : {SIGINT, SIGTERM}) {
    Process launch(Words{BRACKET_MPIEXEC, BRACKET_MPIEXEC_NUMPROC_FLAG, "2"} + bracket(endless),
                   with_mpi(setting));
    std::this_thread::sleep_for(std::chrono::seconds(2));
    launch.signal(signal);
    // It is -1 if a process is still running. MPICH's mpiexec sometimes returns 0 after a signal.
    CHECK(launch.wait().code >= 0);
  }
}

TEST_CASE("the help of a sweep comes once") {
  const auto help = cli_on(2, sweep + Words{"--sweep", "p=2", "--help"});
  CHECK(help.code == 0);
  CHECK(occurrences(help.out, "Usage: bracket simulate") == 1);
}

TEST_CASE("a sweep under the launcher of another MPI library is refused") {
  for (const char* const name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"}) {
    Setting setting;
    setting.environment = {{name, "2"}};
    check_refused(cli(sweep + Words{"--sweep", "p=2,3"}, setting),
                  "the launcher started 2 ranks, but each is alone in ");
  }
}

}  // namespace sweep_ranks_mpi_test
