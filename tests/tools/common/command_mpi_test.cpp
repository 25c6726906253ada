// SPDX-License-Identifier: MIT

#include <filesystem>
#include <fstream>
#include <map>

#include "bracket/runtime/kernel.hpp"
#include "bracket/support/error.hpp"
#include "tools/cli.hpp"

namespace command_mpi_test {

using namespace bracket::testing;
using Catch::Contains;
namespace fs = std::filesystem;

namespace {

const Words count{"count", "-N", "9", "-p", "2"};
const Words verify{"verify", "-N", "9", "-p", "2"};

/// A folder with only the front.
struct Alone {
  Scratch scratch;
  std::string front = (scratch.path() / "bracket").string();
  Alone() { fs::copy_file(BRACKET_FRONT, front); }

  Outcome operator()(const Words& arguments) const { return run_process(Words{front} + arguments); }
};

}  // namespace

TEST_CASE("version and help are there for all") {
  const auto version = cli({"--version"});
  CHECK(version.code == 0);
  CHECK_THAT(version.out, Catch::StartsWith("bracket " BRACKET_VERSION "\n"));
  CHECK(cli({"--help"}).code == 0);
  for (const auto& name : subcommands()) {
    CAPTURE(name);
    const auto own = cli({name, "--help"});
    CHECK(own.code == 0);
    CHECK_THAT(own.out, Contains("Usage: bracket " + name));
    CHECK(own.err == "");
    // Options that a plan file sets are not required. `tune` writes it.
    if (!Contains("--plan-file").match(own.out) || name == "compare" || name == "tune") {
      continue;
    }
    CAPTURE(own.out);
    CHECK(Contains("the plan file's if not given").match(own.out) == (name != "run"));
    CHECK_FALSE(Contains("REQUIRED").match(own.out));
  }
}

TEST_CASE("version shows what is built, and with what") {
  std::map<std::string, std::string> parts;
  std::istringstream lines(cli({"--version"}).out);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("  ")) continue;
    parts[line.substr(2, line.find("  ", 2) - 2)] = line.substr(line.rfind("  ") + 2);
  }
  const std::map<std::string, bool> built{{"MPI runtime", BRACKET_HAS_MPI},
                                          {"simulated network", BRACKET_HAS_SIMGRID},
                                          {"simulated MPI", BRACKET_HAS_SMPI},
                                          {"CUDA devices", BRACKET_HAS_CUDA},
                                          {"C", BRACKET_HAS_C},
                                          {"Fortran", BRACKET_HAS_FORTRAN},
                                          {"Python", BRACKET_HAS_PYTHON},
                                          {"recording", BRACKET_HAS_RECORDER},
                                          {"machines from rows", BRACKET_HAS_FIT},
                                          {"rendered pictures", BRACKET_HAS_SVG}};
  for (const auto& [part, there] : built) {
    CAPTURE(part);
    REQUIRE(parts.contains(part));
    CHECK((parts[part] != "not built") == there);
  }
  std::string kernels;
  for (const auto& kernel : bracket::runtime::kernels()) {
    if (!kernel.supported()) continue;
    kernels += (kernels.empty() ? "" : ", ") + std::string(kernel.name);
  }
  CHECK(parts["kernels of this processor"] == kernels);
#if BRACKET_HAS_MPI
  const Json row = rows_of(cli({"run", "--synthetic", "9", "--repetitions", "1", "--json"}))[0];
  const auto library = row.at("environment").at("mpi_library").get<std::string>();
  const auto version = parts["MPI runtime"].substr(parts["MPI runtime"].rfind(' ') + 1);
  CHECK_THAT(library, Contains(version));
#endif
}

TEST_CASE("help writes man pages and completions to a folder") {
  const Scratch scratch;
  const fs::path share = scratch.path() / "share";
  const auto written = cli({"help", "--write", share.string()});
  CHECK(written.code == 0);
  CHECK(written.out + written.err == "");
  CHECK(fs::exists(share / "man/man1/bracket-count.1"));
  CHECK(fs::exists(share / "bash-completion/completions/bracket"));
  check_refused({"help", "count", "--write", share.string()}, "excludes");
  std::ofstream(scratch.path() / "file") << "no folder";
  check_refused({"help", "--write", (scratch.path() / "file").string()}, "file");
}

TEST_CASE("without a subcommand they are named") {
  const auto outcome = cli({});
  check_refused(outcome, "a subcommand is needed: ");
  for (const auto& name : subcommands()) CHECK_THAT(outcome.err, Contains(" " + name + ", "));
}

TEST_CASE("the front alone does its own and names the part that is missing") {
  const Alone alone;
  for (const Words& arguments : {Words{"run", "x.f64"}, Words{"run", "--help"}}) {
    check_refused(alone(arguments), "needs the MPI runtime, which this build does not have");
  }
  check_refused(alone({"simulate", "-N", "9", "-p", "2"}),
                "needs the simulators, which this build does not have");
  CHECK(alone(count).code == 0);
  CHECK(alone(verify).code == 0);

  const auto comparison = alone({"compare", "-N", "1000", "-p", "1,2", "--oversubscribe", "--plan",
                                 "direct", "--distribution", "upper", "--json"});
  const auto rows = rows_of(comparison);
  REQUIRE(rows.size() == 2);
  for (const auto& row : rows) {
    CHECK(row.contains("loggp_seconds"));
    CHECK_FALSE(row.contains("simgrid_seconds"));
    CHECK_FALSE(row.contains("measured_seconds"));
  }
  CHECK(occurrences(comparison.err, "needs the MPI runtime") == 1);
  CHECK(occurrences(comparison.err, BRACKET_HAS_SIMGRID ? "needs the simulators"
                                                        : "simgrid is not in this build") == 1);
}

TEST_CASE("a part that is no program is named") {
  const Alone alone;
  make_file(alone.scratch.path() / "bracket-mpi", "no program");
  check_refused(alone({"run", "x.f64"}), "bracket-mpi: cannot be started: Permission denied");
}

TEST_CASE("the front finds its parts from anywhere") {
  const Scratch scratch;
  const auto folder = scratch.path() / "a folder" / "bin";
  const auto parts = scratch.path() / "a folder" / "libexec" / "bracket";
  fs::create_directories(folder);
  fs::create_directories(parts);
  fs::copy_file(BRACKET_FRONT, folder / "bracket");
  make_file(parts / "bracket-mpi", "#!/bin/sh\necho \"$1 ran with $# words, the last $3\"\n");
  fs::permissions(parts / "bracket-mpi", fs::perms::owner_all);
  fs::create_symlink("a folder/bin/bracket", scratch.path() / "one");
  fs::create_symlink("one", scratch.path() / "two");

  const Words run{"run", "--json", "a file"};
  Setting setting;
  const auto found = [&](const std::string& command) {
    const auto outcome = run_process(Words{command} + run, setting);
    CAPTURE(command, outcome.err);
    CHECK(outcome.code == 0);
    CHECK(outcome.out == "run ran with 3 words, the last a file\n");
  };
  found((folder / "bracket").string());
  found((scratch.path() / "two").string());
  setting.directory = scratch.path();
  found("./one");
  found("a folder/bin/bracket");
  setting.directory = "/";
  setting.environment = {{"PATH", folder.string() + ":" + std::getenv("PATH")}};
  const auto by_path = run_process(Words{"env", "bracket"} + run, setting);
  CHECK(by_path.code == 0);
  CHECK(by_path.out == "run ran with 3 words, the last a file\n");
}

TEST_CASE("a plan without a schedule is refused where one is needed") {
  std::vector<Words> commands{
      {"count"}, {"verify"}, {"draw"}, {"compare", "--predict", "--distribution", "upper"}};
#if BRACKET_HAS_SIMGRID
  commands.push_back({"simulate"});
#endif
  for (const auto& command : commands) {
    for (const Words& delivery : {Words{}, Words{"--all"}}) {
      check_refused(command + Words{"-N", "100", "-p", "3", "--plan", "native"} + delivery,
                    "the plan native has no schedule: the MPI library chooses who sends what to "
                    "whom; bracket run can execute it, with --all");
    }
  }
}

TEST_CASE("what cannot be shown is no success") {
  std::vector<Words> all{count,
                         verify,
                         verify + Words{"--json"},
                         {"list"},
                         {"list", "--json"},
                         {"tune", "-N", "9", "-p", "2"},
                         {"draw", "-N", "9", "-p", "2"},
                         {"--help"},
                         {"--version"},
                         {"count", "--help"}};
#if BRACKET_HAS_SIMGRID
  all.push_back({"simulate", "-N", "9", "-p", "2", "--finish"});
  // More output than the buffer holds.
  all.push_back({"simulate", "-N", "900", "-p", "600", "--plan", "direct", "--finish"});
  all.push_back({"simulate", "-N", "9", "-p", "2", "--json"});
  all.push_back({"simulate", "--help"});
#endif
#if BRACKET_HAS_MPI
  all.push_back({"run", "--synthetic", "9", "--repetitions", "1"});
  all.push_back({"bench", "-N", "9", "--repetitions", "1"});
  all.push_back({"bench", "-N", "9", "--repetitions", "1", "--json"});
  all.push_back({"compare", "-N", "9", "-p", "1", "--plan", "direct", "--repetitions", "1"});
#endif
  for (const auto* closed : {"&-", "/dev/full"}) {
    Setting setting;
    setting.output = closed;
    for (const auto& arguments : all) {
      CAPTURE(closed, arguments);
      const auto outcome = cli(arguments, setting);
      CHECK(outcome.code == 2);
      // `compare` may first have reported that it runs without a part.
      CHECK_THAT(outcome.err, Catch::EndsWith("bracket: standard output cannot be written\n"));
    }
  }
}

TEST_CASE("no output is the file of another, or of what is read") {
  const Scratch scratch;
  const auto at = [&](const std::string& name) { return (scratch.path() / name).string(); };
  Setting there;
  there.directory = scratch.path();
  const auto kept = [&](const Words& arguments, const std::string& file, const std::string& why) {
    const auto before = fs::exists(at(file)) ? content_of(at(file)) : "none";
    check_refused(cli(arguments, there), why + ": it would be lost");
    CHECK((fs::exists(at(file)) ? content_of(at(file)) : "none") == before);
  };
  fs::copy_file(fs::path(BRACKET_MACHINES) / "thesis.json", at("m.json"));
  fs::create_symlink("m.json", at("link.json"));
  REQUIRE(cli({"verify", "-N", "9", "-p", "2", "-o", at("s.json")}).code == 0);
  const Words tune{"tune", "-N", "9", "-p", "2"};
  kept(tune + Words{"--machine", "m.json", "-o", "m.json"}, "m.json",
       "--output m.json is also the file of --machine");
  kept(tune + Words{"--machine", "m.json", "--plan-file", "./link.json"}, "m.json",
       "--plan-file ./link.json is also the file of --machine");
  kept(tune + Words{"-o", "x.json", "--plan-file", "./x.json"}, "x.json",
       "--plan-file ./x.json is also the file of --output");
  fs::create_symlink("y.json", at("to_y.json"));  // which does not exist
  kept(tune + Words{"-o", "to_y.json", "--plan-file", "y.json"}, "y.json",
       "--plan-file y.json is also the file of --output");
  kept({"verify", "s.json", "-o", "s.json"}, "s.json",
       "--output s.json is also the file of schedule");
  kept({"draw", "-N", "9", "-p", "2", "--plan", "direct", "--machine", "m.json", "-o", "m.json"},
       "m.json", "--output m.json is also the file of --machine");
#if BRACKET_HAS_SIMGRID
  const Words simulate{"simulate", "-N", "9", "-p", "2"};
  kept({"simulate", "--schedule", "s.json", "--goal", "s.json"}, "s.json",
       "--goal s.json is also the file of --schedule");
  kept(simulate + Words{"-o", "r.csv", "--goal", "r.csv"}, "r.csv",
       "--goal r.csv is also the file of --output");
  kept(simulate + Words{"--goal", "x", "--paje", "x"}, "x", "--paje x is also the file of --goal");
  CHECK(cli(simulate + Words{"--goal", "/dev/null", "--paje", "/dev/null"}).code == 0);
#endif
}

TEST_CASE("files are written whole or not at all") {
  const Scratch scratch;
  const auto at = [&](const std::string& name) { return (scratch.path() / name).string(); };
  fs::create_directory(at("folder.dot"));
  make_file(at("file"), "as it was");
  for (const Words& command : {Words{"tune", "-N", "9", "-p", "2", "-o"}, verify + Words{"-o"},
                               Words{"draw", "-N", "9", "-p", "2", "-o"}}) {
    CAPTURE(command);
    const auto refused = [&](const std::string& file, const char* what) {
      const auto outcome = cli(command + Words{file});
      CHECK(outcome.code == 2);
      CHECK(occurrences(outcome.err, "bracket: ") == 1);
      CHECK_THAT(outcome.err, Contains(file + ": ") && Contains(what));
    };
    refused(at("none/x.dot"), "cannot be written: No such file or directory");
    refused(at("file/x.dot"), "cannot be written: Not a directory");
    refused(at("folder.dot"), "is a directory");
    CHECK(names_in(scratch.path()) == Words{"file", "folder.dot"});
    CHECK(content_of(at("file")) == "as it was");
  }
  CHECK(cli({"tune", "-N", "9", "-p", "2", "-o", "/dev/full"}).code == 2);
  CHECK(cli({"verify", "-N", "9", "-p", "2", "-o", at("file")}).code == 0);
  CHECK_THAT(content_of(at("file")), Catch::StartsWith("{\"format\":\"bracket-schedule\""));
  CHECK(names_in(scratch.path()) == Words{"file", "folder.dot"});
}

#if BRACKET_HAS_MPI

TEST_CASE("ranks that were not started alike end at once") {
  const auto refused = [](const Words& first, const Words& second, const std::string& why) {
    CAPTURE(first, second);
    const Words one{BRACKET_MPIEXEC_NUMPROC_FLAG, "1", BRACKET_FRONT};
    const Words both = Words{BRACKET_MPIEXEC} + one + first + Words{":"} + one + second;
    check_refused(run_process(both, with_mpi({})), why);
  };
  const Words bench{"bench", "-N", "8", "--candidates", "direct"};
  const Words run{"run", "--synthetic", "8"};
  const Words calibrate{"calibrate", "--quick"};
  refused(bench, {"bench", "-N", "8", "--candidates", "direct,buffered"},
          "started with different options: --candidates must be");
  refused({"bench", "-N", "8,9", "--candidates", "direct"}, bench, "options: --elements must be");
  refused(bench, bench + Words{"--repetitions", "3"}, "options: --repetitions must be");
  refused(run, run + Words{"--seed", "3"}, "options: --seed must be");
  refused(run, run + Words{"--op", "sum"}, "options: --op must be");
  refused(run, run + Words{"--all"}, "options: --all must be");
  refused(calibrate, {"calibrate"}, "options: --quick must be");
  refused(run, calibrate, "options: the subcommand, --help and --version must be");
  refused({"run", "--help"}, run, "options: the subcommand, --help and --version must be");
  refused(run, run + Words{"--guess"}, "rank 1: unknown option --guess of bracket run");
  refused(run + Words{"--repetitions", "x"}, run, "rank 0: --repetitions: 'x'");
}

#endif

}  // namespace command_mpi_test
