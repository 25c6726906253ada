// SPDX-License-Identifier: MIT

#include <filesystem>

#include "bracket/support/file.hpp"
#include "tools/cli.hpp"
#include "tune/rule_file.hpp"

namespace rule_command_mpi_test {

#if BRACKET_HAS_MPI

using namespace bracket::testing;
using namespace bracket::tools;
using Catch::Contains;

namespace {

/// MPICH never yields a core, so more ranks than cores are slow.
const Setting slow = [] {
  Setting made;
  made.limit = std::chrono::seconds(120);
  return made;
}();

/// What the MPI library says of itself.
struct LibraryAtHand {
  std::string words;
  std::string file;

  [[nodiscard]] bool is_open_mpi() const { return words.starts_with("Open MPI"); }
  [[nodiscard]] std::string name() const { return is_open_mpi() ? "openmpi" : "mpich"; }
};

const LibraryAtHand& library_at_hand() {
  static const LibraryAtHand found = [] {
    const auto row =
        rows_of(cli({"reveal", "--algorithms", "default", "--checks", "0", "--json"})).at(0);
    return LibraryAtHand{row.at("library"), row.at("library_file")};
  }();
  return found;
}

const Words quick{"--warm-up", "0", "--repetitions", "2", "--oversubscribe"};

Words tune_for(const std::string& ranks, const std::string& items, const std::string& file) {
  return Words{"tune", "--for", library_at_hand().name(), "-p", ranks, "--items", items,
               "-o",   file} +
         quick;
}

/// The rows of `reveal` on ranks whose library has these rules.
std::vector<Json> with_rules(const std::string& file, int ranks, const std::string& items,
                             const std::string& collective = "all-reduce") {
  const auto library = library_at_hand().is_open_mpi() ? MpiLibrary::open_mpi : MpiLibrary::mpich;
  Words command{BRACKET_MPIEXEC, BRACKET_MPIEXEC_NUMPROC_FLAG, std::to_string(ranks), "env"};
  command = command + rule_settings(library, sum_collective_named(collective), file) +
            Words{BRACKET_FRONT, "reveal", "--json", "--collective", collective, "--items", items};
  return rows_of(run_process(command, with_mpi(slow)));
}

void check_one_order(const std::vector<Json>& rows, const Json& tree) {
  for (const Json& row : rows) {
    CAPTURE(row.dump());
    CHECK(row.at("varies").empty());
    CHECK(row.at("tree") == tree);
  }
}

}  // namespace

TEST_CASE("tune --for writes rules with one order for all sizes") {
  const Scratch scratch;
  const auto file = (scratch.path() / "rules").string();
  const auto rows = rows_of(cli(tune_for("4", "1,30,3000", file) + Words{"--json"}, slow));
  REQUIRE(rows.size() > 4);
  const Json rules = rows.back();
  // Every algorithm of all items in one order has that of recursive doubling or is linear.
  CHECK((rules.at("tree") == "((0+1)+(2+3))" || rules.at("tree") == "(0+(1+(2+3)))"));
  CHECK(rules.at("rules").at(0).at("from_bytes") == 0);
  for (std::size_t i = 0; i + 1 < rows.size(); ++i) {
    CAPTURE(rows[i].dump());
    CHECK(rows[i].at("measured_seconds") > 0);
    if (rows[i].at("chosen") == false) continue;
    CHECK(rows[i].at("tree") == rules.at("tree"));
    CHECK(rows[i].at("order_group") == rules.at("order_group"));
    CHECK(rows[i].at("library_algorithm") != "default");
  }
  CHECK(names_in(scratch.path()) == Words{"rules"});
  check_one_order(with_rules(file, 4, "1,2,5,1000"), rules.at("tree"));
}

TEST_CASE("the MPI library takes algorithms from a file of rules") {
  const Scratch scratch;
  const bool open_mpi = library_at_hand().is_open_mpi();
  // Of one item, both libraries add by recursive doubling if they choose themselves. Open MPI's
  // algorithm 1 begins with the last rank; MPICH's smp has a binomial tree on a node.
  const RankRules rules = open_mpi
                              ? RankRules{4, {{0, "basic_linear", 1}, {2, "recursive_doubling", 3}}}
                              : RankRules{5, {{0, "smp", 2}, {2, "recursive_doubling", 3}}};
  const std::string content =
      open_mpi
          ? open_mpi_rules(SumCollective::all_reduce, {rules}, {"for a test"})
          : mpich_rules(selection_in(bracket::support::read_file(library_at_hand().file), "mpich"),
                        SumCollective::all_reduce, {rules});
  const auto rows = with_rules(make_file(scratch.path() / "rules", content), rules.ranks, "1,2");
  CHECK(rows.at(0).at("tree") == (open_mpi ? "(0+(1+(2+3)))" : "(((0+1)+(2+3))+4)"));
  CHECK(rows.at(1).at("tree") == (open_mpi ? "((0+1)+(2+3))" : "(((0+1)+2)+(3+4))"));
}

TEST_CASE("rules in a launch with another order leave the file as it was") {
  const Scratch scratch;
  const auto file = make_file(scratch.path() / "rules", "before");
  // The planted fault is in effect only when the rules are verified. By its name, it is the
  // recorder, which may be preloaded.
  const auto planted = scratch.path() / "libbracket_recorder.so";
  std::filesystem::copy(BRACKET_PLANTED_ORDER, planted);
  const auto launcher = make_file(
      scratch.path() / "launch",
      "#!/bin/sh\nranks=$1\nshift\nif [ \"$1\" = env ]; then exec " BRACKET_MPIEXEC
      " " BRACKET_MPIEXEC_NUMPROC_FLAG " $ranks env PLANTED=item LD_PRELOAD=" +
          planted.string() +
          " \"$@\"; fi\nexec " BRACKET_MPIEXEC " " BRACKET_MPIEXEC_NUMPROC_FLAG " $ranks \"$@\"\n");
  std::filesystem::permissions(launcher, std::filesystem::perms::owner_all);
  const auto outcome =
      cli(tune_for("3", "2", file) + Words{"--launcher", launcher + " {ranks}"}, slow);
  CHECK(outcome.code == 2);
  CHECK(outcome.out == "");
  CHECK_THAT(outcome.err,
             Contains("bracket: with the rules, 3 ranks sum 2 items in several orders: "
                      "no file was written\n"));
  CHECK(content_of(file) == "before");
  CHECK(names_in(scratch.path()) == Words{"launch", "libbracket_recorder.so", "rules"});
}

TEST_CASE("tune --for: no file is left if a signal ends it while it verifies") {
  const Scratch scratch;
  const auto launcher = make_file(
      scratch.path() / "launch",
      "#!/bin/sh\nranks=$1\nshift\nif [ \"$1\" = env ]; then kill -TERM $PPID; sleep 5; fi\n"
      "exec " BRACKET_MPIEXEC " " BRACKET_MPIEXEC_NUMPROC_FLAG " $ranks \"$@\"\n");
  std::filesystem::permissions(launcher, std::filesystem::perms::owner_all);
  const auto outcome = cli(tune_for("2", "1", (scratch.path() / "rules").string()) +
                               Words{"--launcher", launcher + " {ranks}"},
                           slow);
  CHECK(outcome.code != 0);
  CHECK(outcome.out == "");
  CHECK(names_in(scratch.path()) == Words{"launch"});
}

TEST_CASE("rules in every collective, for several numbers of ranks and in any fixed order") {
  const Scratch scratch;
  const auto file = (scratch.path() / "rules").string();
  const std::vector<int> counts =
      library_at_hand().is_open_mpi() ? std::vector<int>{2, 3} : std::vector<int>{2};
  const std::string ranks = counts.size() == 2 ? "2,3" : "2";
  for (const char* const collective : {"all-reduce", "reduce", "reduce-scatter"}) {
    CAPTURE(collective);
    const auto arguments = tune_for(ranks, "1:100", file) + Words{"--collective", collective};
    const auto outcome = cli(arguments, slow);
    CAPTURE(outcome.out, outcome.err);
    CHECK(outcome.code == 0);
    CHECK_THAT(outcome.out, Contains("*: chosen\nA: (0+1)") &&
                                Contains("the order does not depend on the length") &&
                                Contains("  export "));
    CHECK(occurrences(outcome.out, "\nrules for order ") == counts.size());
    for (const int count : counts) {
      const auto rows = with_rules(file, count, "1,50", collective);
      check_one_order(rows, rows.at(0).at("tree"));
    }
    const auto any = cli(arguments + Words{"--same-order", "run", "--json"}, slow);
    CHECK(any.code == 0);
    CHECK_FALSE(Json::parse(any.out.substr(any.out.rfind("\n{") + 1)).contains("tree"));
  }
}

TEST_CASE("tune --for: what makes no sense is refused") {
  const Scratch scratch;
  const auto file = (scratch.path() / "rules").string();
  const auto refused = [&](const Words& arguments, const std::string& what) {
    check_refused(Words{"tune"} + arguments + Words{"--oversubscribe"}, what);
    CHECK(names_in(scratch.path()).empty());
  };
  const Words output{"-o", file};
  const Words sizes{"-p", "2", "--items", "1,9"};
  const Words some = Words{"--for", library_at_hand().name()} + output;
  refused(Words{"--for", "lam"} + sizes + output, "--for lam: openmpi or mpich was expected");
  refused(Words{"--for", ""} + sizes + output, "--for : openmpi or mpich was expected");
  refused(some + Words{"-p", "1", "--items", "9"}, "-p 1: one rank adds nothing");
  refused(some + Words{"-p", "4"}, "--items");
  refused(some + Words{"-p", "4", "--items", ""}, "--items: a value is empty");
  refused(some + Words{"-p", "4", "--items", "9:2"}, "--items 9:2: the range is empty");
  refused(some + Words{"-p", "4", "--items", "0:2"}, "--items must be at least 1, not 0");
  refused(some + Words{"-p", "4", "--items", "2,2"}, "2 is there twice");
  refused(some + Words{"-p", "4", "--items", "1:x"}, "--items");
  refused(some + Words{"-p", "4", "--items", "100000000"}, "--items");
  refused(some + Words{"--items", "9"}, "--ranks is required");
  refused(some + sizes + Words{"--same-order", "item"}, "--same-order item: size or run");
  refused(some + sizes + Words{"--collective", "scan"}, "--collective scan: rules are for");
  refused(some + sizes + Words{"--collective", "sum"}, "--collective sum");
  refused(some + sizes + Words{"--root", "1"}, "--root requires --collective reduce");
  refused(some + sizes + Words{"--collective", "reduce", "--root", "2"}, "--root 2 is no rank");
  refused(some + sizes + Words{"-N", "4"}, "-N");
  refused(some + sizes + Words{"--algorithms", "quick"}, "--algorithms quick: no algorithm for");
  refused(some + sizes + Words{"--algorithms", "default"},
          "--algorithms default: rules cannot name the library's own choice");
  refused(Words{"--for", library_at_hand().name(), "-o", file + "/x"} + sizes, "/x");
  const std::string other = library_at_hand().is_open_mpi() ? "mpich" : "openmpi";
  refused(Words{"--for", other} + sizes + output,
          "Bracket was built with " + library_at_hand().words + ", not with ");
  refused(some + sizes + Words{"--launcher", "true"}, "printed no row");
  refused(some + sizes + Words{"--launcher", "echo {\"ranks\":2} {ranks}"}, "the output of `echo");
}

#endif

}  // namespace rule_command_mpi_test
