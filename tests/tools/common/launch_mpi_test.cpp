// SPDX-License-Identifier: MIT

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
  int said = 0;
  for (const Words& other : {bracket({"list"}), bracket({"--help"}), Words{"/bin/true"}}) {
    CAPTURE(other);
    const auto outcome = beside(bracket(run), other, setting);
    // Open MPI's launcher sometimes notices first.
    if (occurrences(outcome.err, "exiting improperly") > 0) continue;
    ++said;
    CHECK(outcome.code == 2);
    CHECK_THAT(
        outcome.err,
        Contains("bracket: MPI did not start in 2 seconds: either a rank of this launch runs "
                 "another command"));
  }
  CHECK(said > 0);
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
    CHECK_THAT(
        outcome.err,
        Contains("unknown subcommand 'rn'; did you mean run? known: list, count, run, digits"));
    CHECK(occurrences(outcome.err, "bracket: ") == 1);
  }
  check_refused(cli_on(2, {"rn"}),
                "unknown subcommand 'rn'; did you mean run? known: list, count, run, digits");
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

TEST_CASE("commands without MPI run on the first rank alone") {
  const Scratch scratch;
  const auto measured =
      make_file(scratch.path() / "measured.jsonl", Json{{"elements", 1000},
                                                        {"ranks", 4},
                                                        {"order", "tree"},
                                                        {"plan", "direct"},
                                                        {"distribution", "upper"},
                                                        {"measured_seconds", 2e-6}}
                                                           .dump() +
                                                       "\n");
  std::string table =
      "machine,date,nodes,ranks,topology,library,algorithm,implementation,bytes,samples,"
      "median_us,q25_us,q75_us,min_us\n";
  for (const char* const row : {"64,100,7,6.9,7.1,6", "4096,100,20,19,21,18"}) {
    table += "m,2025-01-01,8,8,,MPI 1,recursive-doubling,rd," + std::string(row) + "\n";
  }
  const auto published = make_file(scratch.path() / "published.csv", table);
  const Words sizes{"-N", "1000", "-p", "4"};
  for (const Words& words :
       {Words{"list"}, Words{"--version"}, Words{"help", "fit"}, Words{"count"} + sizes,
        Words{"count", "-N", "1000", "--json", "--sweep", "p=2,3,4"},
        Words{"tune", "--json"} + sizes, Words{"simulate", "--finish"} + sizes,
        Words{"compare", "--predict"} + sizes, Words{"draw"} + sizes, Words{"validate", measured},
        Words{"fit", published, "--json"}}) {
    const auto alone = cli(words);
    for (const int ranks : {2, 3}) {
      CAPTURE(words, ranks);
      const auto launched = cli_on(ranks, words);
      CHECK(launched.code == alone.code);
      CHECK(launched.out == alone.out);
    }
  }
}

TEST_CASE("commands without MPI write on the first rank alone") {
  const Scratch scratch;
  const Words sizes{"-N", "100000", "-p", "64"};
  for (const auto& [name, words] :
       {std::pair{"rows.csv", Words{"simulate", "--plan", "direct,aggregated,binomial"} + sizes},
        {"held.json", Words{"tune"} + sizes},
        {"tree.svg", Words{"draw", "-N", "100", "-p", "4"}}}) {
    const auto file = (scratch.path() / name).string();
    const auto alone = cli(words + Words{"-o", file});
    const std::string content = content_of(file);
    for (const int ranks : {2, 3}) {
      CAPTURE(words, ranks);
      std::filesystem::remove(file);
      const auto launched = cli_on(ranks, words + Words{"-o", file});
      CHECK(launched.code == alone.code);
      CHECK(launched.err == alone.err);
      CHECK(content_of(file) == content);
    }
  }
}

TEST_CASE("the first rank gives the exit code and the error of a command without MPI") {
  for (const Words& words :
       {Words{"count", "-N", "9", "-p", "0"}, Words{"draw", "-N", "9", "--wibble"},
        Words{"simulate", "-N", "9", "-p", "2", "--plan", "none"},
        Words{"count", "-N", "9", "-p", "2", "--distribution", "/nowhere/held.json"}}) {
    CAPTURE(words);
    const auto alone = cli(words);
    check_refused(alone, "");
    for (const int ranks : {2, 3}) {
      const auto launched = cli_on(ranks, words);
      check_refused(launched, alone.err);
    }
  }
}

TEST_CASE("only the first rank of Slurm runs a command without MPI") {
  for (const char* const rank : {"0", "1"}) {
    Setting setting;
    setting.environment = {{"SLURM_STEP_NUM_TASKS", "2"}, {"SLURM_PROCID", rank}};
    const auto outcome = cli({"list"}, setting);
    CHECK(outcome.code == 0);
    CHECK(outcome.out.empty() == (rank == std::string("1")));
  }
  // A process inside a step of one rank, and a rank of an mpiexec that a rank of Slurm started.
  for (const auto& inner :
       {std::pair{"SLURM_STEP_NUM_TASKS", "1"}, {"OMPI_COMM_WORLD_RANK", "0"}, {"PMI_RANK", "0"}}) {
    Setting setting;
    setting.environment = {{"SLURM_STEP_NUM_TASKS", "2"}, {"SLURM_PROCID", "1"}, inner};
    CHECK(cli({"list"}, setting).out != "");
  }
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
