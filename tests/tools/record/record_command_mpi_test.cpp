// SPDX-License-Identifier: MIT

#include "bracket/support/file.hpp"
#include "bracket/support/text.hpp"
#include "tools/record/recorded.hpp"

namespace record_command_mpi_test {

using namespace bracket::testing;
using bracket::record::End;
using bracket::record::read_trace;
using Lines = std::vector<std::string>;

TEST_CASE("record finds every reduction of a C program") {
  const Scratch scratch;
  const auto outcome = record_on(3, scratch.path() / "run", {BRACKET_RECORD_CALLS_C});
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  const auto trace = read_trace(scratch.path() / "run");
  REQUIRE(trace.ranks.size() == 3);
  CHECK(lines_of(trace.ranks[0]) ==
        Lines{"012#0 0 MPI_Allreduce MPI_SUM 2: 1 10 -> 6 60",
              "012#0 1 MPI_Allreduce MPI_MAX 1: 0 -> 2", "012#0 2 MPI_Reduce MPI_PROD 1: 1 -> -",
              "012#0 3 MPI_Reduce_scatter MPI_SUM 3: 1 2 3 -> 3",
              "012#0 4 MPI_Reduce_scatter_block MPI_SUM 3: 1 1 1 -> 6",
              "012#0 5 MPI_Scan MPI_SUM 1: 1 -> 1", "012#0 6 MPI_Exscan MPI_SUM 1: 1 -> -",
              "012#0 7 MPI_Iallreduce MPI_SUM 1: 1 -> 6",
              "012#0 8 MPI_Iallreduce MPI_MIN 1: 10 -> 10", "012#0 9 MPI_Ireduce MPI_SUM 1: 1 -> 6",
              "012#0 10 MPI_Allreduce_init MPI_SUM 1: 1 -> 6",
              "012#0 11 MPI_Allreduce_init MPI_SUM 1: 2 -> 12",
              "012#0 12 MPI_Allreduce own operator add_pairs 1: 0 0 -> 3 6",
              "012#0 13 MPI_Allreduce MPI_SUM 1: 0 -> 3", "20#0 0 MPI_Allreduce MPI_SUM 1: 1 -> 4",
              "012#1 0 MPI_Allreduce MPI_SUM 1: 1 -> 6"});
  const auto second = lines_of(trace.ranks[1]);
  REQUIRE(second.size() == 16);
  CHECK(second[2] == "012#0 2 MPI_Reduce MPI_PROD 1: 2 -> 6");
  CHECK(second[3] == "012#0 3 MPI_Reduce_scatter MPI_SUM 3: 1 2 3 ->");
  CHECK(second[5] == "012#0 5 MPI_Scan MPI_SUM 1: 2 -> 3");
  CHECK(second[6] == "012#0 6 MPI_Exscan MPI_SUM 1: 2 -> 1");
  CHECK(second[12] == "012#0 12 MPI_Allreduce own operator add_pairs 1: 1 2 -> 3 6");
  // With itself alone, rank 1 has another communicator after MPI_COMM_SELF.
  CHECK(second[14] == "1#1 0 MPI_Allreduce MPI_SUM 1: 2 -> 2");
  CHECK(lines_of(trace.ranks[2])[3] == "012#0 3 MPI_Reduce_scatter MPI_SUM 3: 1 2 3 -> 6 9");
  for (const auto& rank : trace.ranks) {
    CHECK(rank.end == End::finalize);
    CHECK(rank.run == trace.ranks[0].run);
    CHECK(count_of(rank, "MPI_Barrier") == 1);
    CHECK(count_of(rank, "MPI_Start") == 2);
    CHECK(count_of(rank, "reductions on intercommunicators or with spawned processes") == 1);
    const auto& first = rank.reductions[0];
    CHECK(rank.sites[first.site].symbol.starts_with("main"));
    CHECK(rank.sites[first.site].file() == "record_calls_c");
    CHECK(first.entry <= first.completed);
    CHECK(first.recording > 0);
    // Two readings of the clock for each of 1000 other calls.
    CHECK(count_of(rank, "MPI_Iprobe") == 1000);
    CHECK(rank.reductions[13].recording > 10'000);
  }
}

TEST_CASE("record has every call of a place that repeats") {
  const Scratch scratch;
  const auto folder = scratch.path() / "run";
  const auto outcome = record_on(3, folder, {BRACKET_RECORD_CALLS_C, "repeat"});
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  const auto trace = read_trace(folder);
  for (const auto& rank : trace.ranks) {
    const int r = rank.rank;
    Lines expected;
    const auto add = [&](const char* communicator, int sequence, const char* call, const char* op,
                         std::initializer_list<int> input, std::initializer_list<int> output) {
      std::string line =
          bracket::text(communicator, ' ', sequence, ' ', call, ' ', op, ' ', input.size(), ':');
      for (const int number : input) line += bracket::text(' ', number);
      line += " ->";
      for (const int number : output) line += bracket::text(' ', number);
      expected.push_back(line);
    };
    add("012#0", 0, "MPI_Allreduce", "MPI_SUM", {1 + r, 10 * (1 + r)}, {6, 60});
    for (int k = 0; k < 16; ++k) {
      const bool elsewhere = k == 4 || k == 5;
      const int sequence = elsewhere ? k - 4 : k + 1 + (k > 1 ? 1 : 0) - (k > 5 ? 2 : 0);
      const char* const communicator = elsewhere ? "012#1" : "012#0";
      if (k == 8 || k == 9) {
        add(communicator, sequence, "MPI_Allreduce", "MPI_SUM", {k + r, 100 * k + r},
            {3 * k + 3, 300 * k + 3});
      } else {
        add(communicator, sequence, "MPI_Allreduce", k == 12 ? "MPI_MAX" : "MPI_SUM", {k + r},
            {k == 12 ? k + 2 : 3 * k + 3});
      }
      if (k == 1) expected.push_back("012#0 3 MPI_Iallreduce MPI_SUM 1: 0.5 -> 1.5");
    }
    CHECK(lines_of(rank) == expected);
  }
  // The recorder digests data of which it keeps too little; the reader digests the others.
  const auto digests = scratch.path() / "digests";
  const auto again = record_on(3, digests, {BRACKET_RECORD_CALLS_C, "repeat"}, {}, {"--keep", "0"});
  REQUIRE(again.code == 0);
  const auto digested = read_trace(digests);
  for (std::size_t r = 0; r < 3; ++r) {
    const auto& one = trace.ranks[r].reductions;
    const auto& other = digested.ranks[r].reductions;
    REQUIRE(one.size() == other.size());
    for (std::size_t k = 0; k < one.size(); ++k) {
      CHECK(one[k].sequence == other[k].sequence);
      CHECK(other[k].input.kept.empty());
      CHECK(one[k].input.same(other[k].input));
      CHECK(one[k].output.same(other[k].output));
    }
  }
}

TEST_CASE("record tells objects apart that have the same handle, one after the other") {
  const Scratch scratch;
  // The recorder keeps more than it copies to the stack, or less than it gets.
  for (const char* const keep : {"64", "1000", "4"}) {
    const auto outcome = record_on(3, scratch.path() / keep, {BRACKET_RECORD_CALLS_C, "reuse"}, {},
                                   {"--keep", keep});
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    for (const auto& rank : read_trace(scratch.path() / keep).ranks) {
      REQUIRE(rank.reductions.size() == 1 + 6 * 3 + 8 + 5 + 5 + 2 * 5);
      std::size_t at = 1;
      // `output` is null if MPI refused the call.
      const auto check_next = [&](const std::vector<int>& members, std::size_t sequence,
                                  double input, const double* output) {
        const auto& reduction = rank.reductions[at++];
        const auto& communicator = rank.communicators[reduction.communicator];
        INFO("call " << at - 1 << " on rank " << rank.rank << " with --keep " << keep);
        CHECK(communicator.members == members);
        CHECK(reduction.sequence == sequence);
        CHECK(reduction.failed == (output == nullptr));
        CHECK(reduction.output.present == (output != nullptr));
        CHECK(
            (output != nullptr || (reduction.output.bytes == 0 && reduction.output.kept.empty())));
        if (std::string(keep) == "4") return;
        CHECK(numbers<double>(reduction.input) == bracket::text(' ', input));
        if (output != nullptr) {
          CHECK(numbers<double>(reduction.output) == bracket::text(' ', *output));
        }
      };
      for (int k = 0; k < 6; ++k) {
        const std::vector<int> members = k % 2 == 0 ? std::vector{0, 1, 2} : std::vector{2, 1, 0};
        for (int call = 0; call < 3; ++call) {
          const double least = 10 * k + call;
          const double result = k % 4 < 2 ? 3 * least + 3 : least * (least + 1) * (least + 2);
          check_next(members, static_cast<std::size_t>(call), least + rank.rank, &result);
        }
        CHECK(rank.communicators[rank.reductions[at - 1].communicator].number ==
              static_cast<std::uint32_t>(k / 2 + (k % 2 == 0 ? 1 : 0)));
      }
      for (int k = 0; k < 8; ++k) {
        const double least = (k % 4 < 2 ? 100 : 200) + k;
        const double result = 3 * least + 3;
        check_next({0, 1, 2}, static_cast<std::size_t>(k) + 1, least + rank.rank, &result);
      }
      for (int k = 0; k < 5; ++k) {
        const double mine = 300 + k + rank.rank;
        check_next({rank.rank}, static_cast<std::size_t>(k), mine, k == 2 ? nullptr : &mine);
      }
      for (int k = 0; k < 5; ++k) {
        const auto& sum = rank.reductions[at++];
        const double sums[] = {0, 500.0 + k, 1001.0 + 2 * k};  // without an output on rank 0
        CHECK(sum.sequence == static_cast<std::size_t>(k) + 9);
        const bool refused = k == 2 && rank.library.find("Open MPI") == std::string::npos;
        CHECK(sum.failed == refused);
        CHECK(sum.input.present == !refused);
        CHECK(sum.output.present == (!refused && rank.rank > 0));
        if (std::string(keep) == "4" || refused) continue;
        CHECK(numbers<double>(sum.input) == bracket::text(' ', 500 + k + rank.rank));
        CHECK(numbers<double>(sum.output) ==
              (rank.rank > 0 ? bracket::text(' ', sums[rank.rank]) : std::string()));
      }
      for (int k = 0; k < 5; ++k) {
        CHECK(rank.reductions[at].count == (k / 2 == 1 ? 20 : 1));
        CHECK(rank.reductions[at].input.bytes == (k / 2 == 1 ? 160 : 8));
        const double least = 400 + k;
        const double result = 3 * least + 3;
        if (k / 2 == 1) {
          ++at;
        } else {
          check_next({0, 1, 2}, static_cast<std::size_t>(2 * k) + 14, least + rank.rank, &result);
        }
        const auto& sums = rank.reductions[at++];
        CHECK(sums.sequence == static_cast<std::size_t>(2 * k) + 15);
        CHECK(sums.input.bytes == 160);
        CHECK(sums.output.present == (rank.rank == 0));
      }
    }
  }
}

TEST_CASE("record ends a program that uses another MPI library") {
  const Scratch scratch;
  // Libraries with the names of the other MPI library, whichever this build has.
  std::string others;
  for (const char* name : {"libmpich.so", "libopen-pal.so"}) {
    std::filesystem::copy(BRACKET_RECORD_FAULTS, scratch.path() / name);
    others += (others.empty() ? "" : ":") + (scratch.path() / name).string();
  }
  Setting setting;
  setting.environment = {{"LD_PRELOAD", others}, {"OMPI_MCA_ess_singleton_isolated", "1"}};
  const auto folder = scratch.path() / "run";
  const auto outcome = run_process(
      {BRACKET_FRONT, "record", "-o", folder.string(), "--", BRACKET_RECORD_CALLS_C}, setting);
  CHECK(outcome.code == 2);
  CHECK_THAT(outcome.err,
             Catch::Contains("is not the MPI library that this libbracket_recorder.so"));
  CHECK(names_in(folder).empty());
}

TEST_CASE("record says that another tool gets the calls before it") {
  const Scratch scratch;
  const auto said = Catch::Contains(
      "bracket: MPI_Allreduce is that of " BRACKET_PLANTED_ORDER
      ", which comes before the recorder: what it passes on by PMPI names is not recorded\n");
  Setting setting;
  const auto folder = scratch.path() / "run";
  const Words program{BRACKET_CG, "mpi", "100", "3"};
  CHECK_THAT(record_on(2, folder, program, setting).err, !said);
  setting.environment = {{"LD_PRELOAD", BRACKET_PLANTED_ORDER}};
  const auto outcome = record_on(2, folder, program, setting);
  CHECK(outcome.code == 0);
  CHECK_THAT(outcome.err, said);
}

TEST_CASE("record in Fortran counts each call once") {
  const std::string program = BRACKET_RECORD_CALLS_FORTRAN;
  if (program.empty()) return;
  const Scratch scratch;
  const auto outcome = record_on(3, scratch.path() / "run", {program});
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  const auto trace = read_trace(scratch.path() / "run");
  CHECK(lines_of(trace.ranks[1]) ==
        Lines{"012#0 0 MPI_Allreduce MPI_SUM 1: 2 -> 6", "012#0 1 MPI_Iallreduce MPI_SUM 1: 2 -> 6",
              "012#0 2 MPI_Iallreduce MPI_MIN 1: 2 -> 1", "012#2 0 MPI_Allreduce MPI_MAX 1: 2 -> 3",
              "012#1 0 MPI_Allreduce MPI_MIN 1: 2 -> 1", "012#0 3 MPI_Allreduce MPI_SUM 1: 2 -> 6",
              "012#0 4 MPI_Reduce MPI_PROD 1: 2 -> 6", "012#0 5 MPI_Scan MPI_SUM 1: 2 -> 3",
              "012#0 6 MPI_Iallreduce MPI_SUM 1: 2 -> 6", "012#0 7 MPI_Ireduce MPI_SUM 1: 2 -> -",
              "012#0 8 MPI_Reduce_scatter MPI_SUM 3: 1 2 3 ->",
              "012#4 0 MPI_Allreduce MPI_MAX 1: 2 -> 3",
              "012#3 0 MPI_Allreduce MPI_MIN 1: 2 -> 1"});
  CHECK(count_of(trace.ranks[1], "MPI_Barrier") == 1);
  for (const auto& reduction : trace.ranks[1].reductions) {
    CHECK(trace.ranks[1].sites[reduction.site].file() == "record_calls_fortran");
  }
}

TEST_CASE("record in Python sees the calls of mpi4py") {
  const std::string python = BRACKET_RECORD_PYTHON;
  if (python.empty()) return;
  const Scratch scratch;
  const auto outcome =
      record_on(3, scratch.path() / "run", {python, "-B", BRACKET_SOURCE "/tests/record/calls.py"});
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  CHECK(lines_of(read_trace(scratch.path() / "run").ranks[1]) ==
        Lines{"012#0 0 MPI_Allreduce MPI_SUM 2: 2 20 -> 6 60",
              "012#0 1 MPI_Iallreduce MPI_MIN 1: 2 -> 1", "012#0 2 MPI_Reduce MPI_SUM 1: 2 -> -"});
}

TEST_CASE("record in a rank that dies keeps what it had") {
  const Scratch scratch;
  // Of a rank that is killed, records are lost that are less than a second younger than others.
  for (const auto& [how, end, least, most] : {std::tuple{"kill", End::cut, 0U, 1U},
                                              {"kill-later", End::cut, 2U, 2U},
                                              {"crash", End::signal, 1U, 1U},
                                              {"terminate", End::signal, 1U, 1U},
                                              {"abort", End::abort, 1U, 1U},
                                              {"exit", End::exit, 1U, 1U}}) {
    CAPTURE(how);
    const auto run = scratch.path() / how;
    CHECK(record_on(3, run, {BRACKET_RECORD_CALLS_C, how}).code != 0);
    const auto trace = read_trace(run);
    CHECK(trace.ranks[1].end == end);
    CHECK(trace.ranks[1].reductions.size() >= least);
    CHECK(trace.ranks[1].reductions.size() <= most);
  }
}

TEST_CASE("record in a thread that gets a signal leaves the records to the one that writes") {
  const Scratch scratch;
  const auto run = scratch.path() / "run";
  CHECK(record_on(2, run, {BRACKET_RECORD_CALLS_C, "thread"}).code != 0);
  const auto trace = read_trace(run);
  CHECK(trace.ranks[1].end == End::signal);
  CHECK(trace.ranks[1].reductions.size() > 1000);
}

TEST_CASE("record keeps more bytes, and replaces the files of more ranks") {
  const Scratch scratch;
  const auto run = (scratch.path() / "run").string();
  make_file(scratch.path() / "file", "");
  std::filesystem::create_directory(run);
  make_file(run + "/rank-7.trace", "BRACKETR of an earlier run");
  make_file(run + "/rank-8.trace", "");
  make_file(run + "/rank-9.trace", "of the user");
  make_file(run + "/notes", "of the user");
  const auto outcome =
      run_process({BRACKET_MPIEXEC, BRACKET_MPIEXEC_NUMPROC_FLAG, "1", BRACKET_FRONT, "record",
                   "--keep", "4000", "-o", run, "--", BRACKET_CG, "mpi", "100", "3"},
                  with_mpi({}));
  REQUIRE(outcome.code == 0);
  CHECK(outcome.out.starts_with("1 "));
  CHECK(read_trace(run).ranks[0].keep == 4000);
  CHECK(read_trace(run).ranks[0].reductions.size() == 7);
  CHECK(names_in(run) == Lines{"notes", "rank-0.trace", "rank-9.trace"});
}

TEST_CASE("record preloaded by hand leaves a file that is no trace") {
  const Scratch scratch;
  const auto run = (scratch.path() / "run").string();
  std::filesystem::create_directory(run);
  make_file(run + "/rank-0.trace", "BRACKETR of an earlier run");
  make_file(run + "/rank-1.trace", "of the user");
  const auto outcome = run_process(
      {BRACKET_MPIEXEC, BRACKET_MPIEXEC_NUMPROC_FLAG, "2", "env", "LD_PRELOAD=" BRACKET_RECORDER,
       "BRACKET_RECORD=" + run, BRACKET_CG, "mpi", "100", "3"},
      with_mpi({}));
  CHECK(outcome.code == 0);
  CHECK_THAT(outcome.err, Catch::Contains(run + "/rank-1.trace: is no trace, and a trace would "
                                                "replace it: move it away; this rank is not"));
  CHECK(bracket::support::read_file(run + "/rank-1.trace") == "of the user");
  CHECK(std::filesystem::file_size(run + "/rank-0.trace") > 1000);
}

TEST_CASE("record refuses what it cannot start or write") {
  const Scratch scratch;
  const auto folder = (scratch.path() / "run").string();
  const auto file = make_file(scratch.path() / "file", "");
  check_refused({"record", "-o", folder, "true"}, "the program must follow --");
  check_refused({"record"}, "--output is required");
  for (const Words& where : {Words{"--kepp", "8", "-o", folder}, {"-o", folder, "--kepp", "8"}}) {
    check_refused(Words{"record"} + where + Words{"--", "true"},
                  "unknown option --kepp of bracket record; did you mean --keep?");
  }
  for (const Words& none : {Words{}, Words{"--"}}) {
    check_refused(Words{"record", "-o", folder} + none, "the program must follow --");
  }
  check_refused({"record", "-o", folder, "--", "no-such-program"},
                "no-such-program: is in no folder of PATH");
  check_refused({"record", "-o", folder, "--", file}, "it is not executable");
  check_refused({"record", "-o", folder, "--", file + ".sh"}, "there is no such file");
  check_refused({"record", "-o", folder, "--", scratch.path().string()}, "can be started");
  CHECK_FALSE(std::filesystem::exists(folder));
  check_refused({"record", "-o", file, "--", "true"}, "a folder that can be made was expected");
  check_refused({"record", "-o", file + "/below", "--", "true"}, "a folder that can be made");
  check_refused({"record", "--keep", "99999999999", "-o", folder, "--", "true"},
                "bracket: --keep must be at most 16777216, not 99999999999\n");
  CHECK(cli({"record", "-o", folder, "--", "sh", "-c", "exit 7"}).code == 7);
  check_refused({"diff", folder, folder}, "no rank of the program called MPI_Init");
  // A program that never starts MPI does not leave an earlier trace for its own.
  make_file(folder + "/rank-0.trace", "BRACKETR of an earlier run");
  CHECK(cli({"record", "-o", folder, "--", "true"}).code == 0);
  CHECK(names_in(folder).empty());
  make_file(folder + "/rank-0.trace", "of the user");
  check_refused({"record", "-o", folder, "--", "true"}, "rank-0.trace: is no trace");
  CHECK(names_in(folder) == Lines{"rank-0.trace"});
}

}  // namespace record_command_mpi_test
