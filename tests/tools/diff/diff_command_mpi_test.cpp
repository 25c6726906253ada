// SPDX-License-Identifier: MIT

#include <sys/stat.h>

#include "tools/record/recorded.hpp"

namespace diff_command_mpi_test {

using namespace bracket::testing;
using Catch::Contains;

namespace {

/// Runs of a program with the library of faults.
class Runs {
 public:
  explicit Runs(std::string program) : program_(std::move(program)) {}

  /// Records a run with a fault at call 7, or without one.
  std::string run(const std::string& fault, int rank = 1) {
    const auto folder = scratch_.path() / (fault.empty() ? "right" : fault);
    Setting setting;
    setting.environment = {{"BRACKET_FAULT", fault},
                           {"BRACKET_FAULT_CALL", "7"},
                           {"BRACKET_FAULT_RANK", std::to_string(rank)}};
    const auto outcome = run_process({BRACKET_MPIEXEC, BRACKET_MPIEXEC_NUMPROC_FLAG, "3", "env",
                                      "LD_PRELOAD=" BRACKET_RECORD_FAULTS, BRACKET_FRONT, "record",
                                      "-o", folder.string(), "--", program_, "mpi", "1000", "8"},
                                     with_mpi(setting));
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    return folder.string();
  }

 private:
  Scratch scratch_;
  std::string program_;
};

/// The first row of `diff --json` of runs that differ.
Json first_row(const std::string& a, const std::string& b) {
  const auto outcome = cli({"diff", a, b, "--json"});
  CAPTURE(outcome.err);
  REQUIRE(outcome.code == 1);
  return Json::parse(outcome.out.substr(0, outcome.out.find('\n')));
}

void check_faults(const std::string& program) {
  if (program.empty()) return;
  Runs runs(program);
  const auto right = runs.run("");
  struct Fault {
    const char* name;
    const char* cause;
    int rank;
    bool has_item;
  };
  for (const Fault& fault :
       {Fault{"input", "inputs", 2, true}, Fault{"algorithm", "order", 0, true},
        Fault{"output", "ranks-disagree", 1, true}, Fault{"extra", "structure", 0, false}}) {
    CAPTURE(fault.name);
    const auto row = first_row(right, runs.run(fault.name, fault.rank));
    CHECK(row.at("diverged") == true);
    CHECK(row.at("cause") == fault.cause);
    CHECK(row.at("call") == 7);
    CHECK(row.at("communicator") == 0);
    CHECK(row.at("rank") == fault.rank);
    CHECK(row.at("item") == (fault.has_item ? Json(0) : Json(nullptr)));
    CHECK(row.at("ulps") == (fault.has_item ? Json(1) : Json(nullptr)));
    // In Fortran with MPICH, the recorder sees the place in the program.
    CHECK_THAT(row.at("site").get<std::string>(),
               Contains("record_faults") || Contains("cg_fortran"));
  }
}

}  // namespace

TEST_CASE("diff names the faults of a C++ program by call, rank, item and cause") {
  check_faults(BRACKET_CG);
}

TEST_CASE("diff in Fortran names the faults by call, rank, item and cause") {
  check_faults(BRACKET_CG_FORTRAN);
}

TEST_CASE("diff of equal runs, of other numbers of ranks, and of damaged files") {
  const Scratch scratch;
  const auto folder = [&](const char* name) { return (scratch.path() / name).string(); };
  const Words program{BRACKET_CG, "mpi", "1000", "8"};
  for (const auto& [name, ranks] : {std::pair{"a", 2}, {"b", 2}, {"three", 3}}) {
    REQUIRE(record_on(ranks, folder(name), program).code == 0);
  }
  const auto equal = rows_of(cli({"diff", folder("a"), folder("b"), "--json"}));
  REQUIRE(equal.size() == 1);
  CHECK(equal[0].at("diverged") == false);
  CHECK(equal[0].at("calls") == 17);  // one before the iterations and two in each
  CHECK_THAT(cli({"diff", folder("a"), folder("b")}).out, Contains("the runs are equal: 17 calls"));

  const auto other = first_row(folder("a"), folder("three"));
  CHECK(other.at("cause") == "results");
  CHECK_THAT(other.at("notes").dump(), Contains("A ran on 2 ranks and B on 3 ranks"));

  const auto words = cli({"diff", folder("a"), folder("three"), "--most", "0"});
  CHECK(words.code == 1);
  CHECK_THAT(words.out, Contains("the runs differ first at call") && Contains(": results\n"));
  const auto rows = [&](const Words& more) {
    const auto outcome = cli(Words{"diff", folder("a"), folder("three"), "--json"} + more);
    return occurrences(outcome.out, "\n");
  };
  CHECK(rows({}) > 2);
  CHECK(rows({"--most", "0"}) == 1);
  CHECK(rows({"--most", "1"}) == 2);

  // A file that ends early is read up to there, and one with another byte is refused.
  const auto file = folder("b") + "/rank-1.trace";
  const auto content = content_of(file);
  make_file(file, content.substr(0, content.size() - 200));
  const auto cut = cli({"diff", folder("a"), folder("b")});
  CHECK(cut.code == 0);
  CHECK_THAT(cut.out, Contains("B is cut: no end is in the file of rank 1, after ") &&
                          Contains("the runs are equal up to the cut: "));
  make_file(file, content.substr(0, 512));  // the header
  check_refused({"diff", folder("a"), folder("b")},
                "no call can be compared: B is cut: no end is in the file of rank 1, after 0");
  auto damaged = content;
  damaged[content.size() - 30] = static_cast<char>(damaged[content.size() - 30] + 1);
  make_file(file, damaged);
  const auto refused = cli({"diff", folder("a"), folder("b")});
  check_refused(refused, "rank-1.trace: damaged at byte ");
  std::filesystem::remove(file);
  check_refused({"diff", folder("a"), folder("b")}, "rank-1.trace");
  REQUIRE(::mkfifo(file.c_str(), 0600) == 0);
  check_refused({"diff", folder("a"), folder("b")}, "rank-1.trace: no regular file");
}

}  // namespace diff_command_mpi_test
