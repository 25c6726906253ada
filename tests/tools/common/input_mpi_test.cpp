// SPDX-License-Identifier: MIT

#include "support/hostile.hpp"
#include "tools/cli.hpp"
#include "tools/input_files.hpp"

namespace input_mpi_test {

// Wrong or malicious input to the subcommands.

using namespace bracket::testing;
using Catch::Contains;

namespace {

const std::vector<double> values = hostile_elements(Hostile::uniform, 100, 1);

}  // namespace

TEST_CASE("sizes that are none are refused") {
  for (const char* subcommand : {"count", "draw"}) {
    const auto sizes = [&](const char* elements, const char* ranks) {
      return Words{subcommand, "-N", elements, "-p", ranks};
    };
    check_refused(sizes("0", "4"), "N must be at least 1 element, not 0");
    check_refused(sizes("-1", "4"), "N must be at least 1 element, not -1");
    check_refused(sizes("9", "0"), "p must be at least 1 rank, not 0");
    check_refused(sizes("9", "-3"), "p must be at least 1 rank, not -3");
    check_refused(sizes("9223372036854775808", "4"), "-N: '9223372036854775808' is out of range");
    check_refused(sizes("-9223372036854775809", "4"), "out of range");
    check_refused(sizes("99999999999999999999", "4"), "out of range");
    check_refused(sizes("9", "2147483648"), "-p: '2147483648' is out of range");
    for (const auto* word : {"", "nine", "1.5", "1e-3", "0x10", "9 ", "nan"}) {
      check_refused(sizes(word, "4"), std::string("-N: '") + word + "' is not a whole number");
    }
  }
  // The number is not octal 8.
  CHECK(rows_of(cli({"count", "-N", "010", "-p", "1", "--json"})).at(0).at("elements") == 10);
  check_refused({"count", "-p", "2"}, "--elements is required");
  check_refused({"verify", "-N", "9,5", "-p", "4"}, "-N: '9,5' is not a whole number");
  check_refused({"verify", "-N", "9", "-N", "9", "-p", "2"}, "--elements");
}

TEST_CASE("figures that are none are refused") {
  const Words count{"count", "-N", "9", "-p", "2"};
  for (const auto* option : {"--t-send", "--t-add"}) {
    check_refused(count + Words{option, "nan"}, "'nan' is not a finite number");
    check_refused(count + Words{option, "inf"}, "'inf' is not a finite number");
    check_refused(count + Words{option, "1e400"}, "'1e400' is out of range");
    check_refused(count + Words{option, "-1"}, "must not be negative, not -1");
    check_refused(count + Words{option, "1 s"}, "'1 s' is not a number");
  }
  const Words tune{"tune", "-N", "9", "-p", "2", "--alpha"};
  check_refused(tune + Words{"nan"}, "'nan' is not a finite number");
  check_refused(tune + Words{"-0.1"}, "alpha must be a finite number of at least 0");
  check_refused(tune + Words{"1e400"}, "out of range");
  for (const auto* alpha : {"nan", "-1", "1e400", "", "x", "0.1:0.2"}) {
    check_refused(count + Words{"--distribution", std::string("optimized:") + alpha},
                  std::string("'optimized:") + alpha + "'");
  }
}

TEST_CASE("unknown names are refused with the known ones") {
  const Words size{"-N", "9", "-p", "2"};
  for (const auto* subcommand : {"count", "verify", "draw", "compare"}) {
    CAPTURE(subcommand);
    const Words command = Words{subcommand} + size;
    check_refused(command + Words{"--plan", "guess"}, "'guess'; known: direct, buffered");
    check_refused(command + Words{"--distribution", "guess"}, "'guess'; known: lower, upper");
    check_refused(command + Words{"--order", "guess"}, "'guess'; known: tree");
  }
  check_refused({"guess"}, "'guess'; known: list, count, ");
  check_refused({""}, "unknown subcommand ''");
  check_refused(Words{}, "subcommand is needed");
  check_refused({"count", "-N", "9", "-p", "2", "extra"}, "extra");
  check_refused({"count", "-N", "9", "-p", "2", "--guess"}, "--guess");
  check_refused({"count", "-N", "9", "-p", "2", "--distribution", "lower:3"}, "lower");
  check_refused({"count", "-N", "9", "-p", "2", "--plan", "aggregated:0"}, "aggregated:0");
  check_refused({"count", "-N", "9", "-p", "2", "--plan", "buffered:1:2:3"}, "at most 2");
}

TEST_CASE("distributions that do not add up are refused") {
  const Scratch scratch;
  const auto count = [&](const std::string& distribution) {
    return Words{"count", "-N", "9", "-p", "2", "--distribution", distribution};
  };
  check_refused(count("counts:4:4"), "counts:4:4");
  check_refused(count("counts:4:5:0"), "3 counts for p = 2 ranks");
  check_refused(count("counts:10:-1"), "count of position 1");
  check_refused(count("counts:9223372036854775807:9223372036854775807"), "exceed 2^63 - 1");
  const auto file = [&](const std::string& counts) {
    return count(make_file(scratch.path() / "d.json",
                           "{\"format\":\"bracket-distribution\",\"version\":1,\"elements\":9,"
                           "\"ranks\":2,\"counts\":" +
                               counts + "}"));
  };
  CHECK(cli(file("[4,5]")).code == 0);
  check_refused(file("[4,4]"), "the counts give 8");
  check_refused(file("[4,5,0]"), "the counts give 3");
  check_refused(file("[10,-1]"), "position 1");
  check_refused(file("[4,5.0]"), "integer");
  check_refused(file("{}"), "an array was expected");
  check_refused(count((scratch.path() / "none.json").string()), "No such file");
}

TEST_CASE("more memory than there is ends in words") {
#if defined(__SANITIZE_ADDRESS__)
  return;  // the sanitizer itself needs more than the limit
#endif
  Setting setting;
  setting.space = std::size_t{2} << 30;
  for (const Words& command : {Words{"count"}, Words{"verify"}, Words{"draw"}, Words{"tune"}}) {
    check_refused(cli(command + Words{"-N", "9", "-p", "2000000000"}, setting),
                  "not enough memory");
  }
}

#if BRACKET_HAS_MPI

TEST_CASE("run refuses files that are none") {
  const Scratch scratch;
  const auto at = [&](const std::string& name) { return (scratch.path() / name).string(); };
  const auto refused = [&](const char* name, const std::string& content, const char* what) {
    check_refused({"run", make_file(at(name), content)}, what);
  };
  const std::string good = binpsllh_file(values);
  refused("empty.binpsllh", "", "empty.binpsllh: is truncated");
  refused("zero.binpsllh", binpsllh_file({}), "holds no element");
  refused("short.binpsllh", good.substr(0, good.size() - 1), "is truncated");
  refused("long.binpsllh", good + '\0', "is too long");
  refused("huge.binpsllh", std::string(8, '\xFF') + good.substr(8), "is truncated");
  refused("empty.f64", "", "holds no element");
  refused("odd.f64", good.substr(1), "is truncated");
  refused("magic.npy", good, "is no NumPy file");
  refused("kind.bin", good, "known: .binpsllh, .npy, .f64");
  refused("kind", good, "known: .binpsllh, .npy, .f64");
  check_refused({"run", at("none.f64")}, "none.f64: cannot be opened: No such file");
  std::filesystem::create_directory(at("folder.f64"));
  check_refused({"run", at("folder.f64")}, "is not a regular file");
  check_refused({"run", at("empty.f64") + "/x.f64"}, "Not a directory");
  if (::geteuid() != 0) {
    const auto file = make_file(at("closed.f64"), good);
    std::filesystem::permissions(file, std::filesystem::perms::none);
    check_refused({"run", file}, "Permission denied");
  }
}

TEST_CASE("run refuses what is no input and no measurement") {
  const Words ten{"run", "--synthetic", "10"};
  check_refused({"run"}, "--synthetic N with N >= 1");
  check_refused({"run", "--synthetic", "0"}, "--synthetic must be at least 1, not 0");
  check_refused({"run", "x.f64", "--seed", "5"}, "--seed is for synthetic elements, not for");
  check_refused({"run", "--synthetic", "-1"}, "not -1");
  check_refused({"run", "--synthetic", "9223372036854775808"}, "out of range");
  check_refused({"run", "--synthetic", "10", "x.f64"}, "x.f64 and --synthetic are given");
  check_refused(ten + Words{"--seed", "-1"}, "--seed must be at least 0");
  check_refused(ten + Words{"--repetitions", "0"}, "--repetitions must be at least 1");
  check_refused(ten + Words{"--repetitions", "99999999999"}, "out of range");
  check_refused(ten + Words{"--warm-up", "-1"}, "--warm-up must be at least 0");
  check_refused(ten + Words{"--root", "1"}, "--root 1 is no rank");
  check_refused(ten + Words{"--root", "-1"}, "--root -1 is no rank");
  check_refused(ten + Words{"--kernel", "guess"}, "'guess'; known: scalar");
  check_refused(ten + Words{"--plan", "direct,guess"}, "'guess'; known: direct");
  check_refused(ten + Words{"--distribution", "upper,guess"}, "'guess'; known: lower");
  Setting setting;
  setting.environment = {{"BRACKET_KERNEL", "nonsense"}};
  check_refused(cli(ten, setting), "BRACKET_KERNEL: unknown kernel 'nonsense'");
}

TEST_CASE("bad input ends all ranks, and is said once") {
  const Scratch scratch;
  const auto refused = [](const Words& arguments, const char* what) {
    CAPTURE(arguments);
    const auto outcome = cli_on(3, arguments);
    CHECK(outcome.code == 2);
    CHECK(occurrences(outcome.err, what) == 1);
    CHECK(occurrences(outcome.err, "bracket: ") == 1);
    CHECK(outcome.out == "");
  };
  refused({"run", (scratch.path() / "none.f64").string()}, "No such file");
  refused({"run", "--synthetic", "10", "--plan", "guess"}, "unknown plan 'guess'");
  refused({"run", "--synthetic", "10", "--distribution", "counts:5:5"}, "2 counts for p = 3");
  refused({"run", "--synthetic", "10", "--guess"}, "--guess");
  refused({"guess"}, "unknown subcommand 'guess'");
  const auto help = cli_on(2, {"run", "--help"});
  CHECK(help.code == 0);
  CHECK(occurrences(help.out, "Usage") == 1);
}

TEST_CASE("a failure on one rank ends all") {
  // Only rank 1's share is too large for memory.
  const auto outcome = cli_on(2, {"run", "--synthetic", "4611686018427387904", "--distribution",
                                  "counts:1:4611686018427387903", "--json"});
  CHECK(outcome.code == 2);
  CHECK(occurrences(outcome.err, "rank 1: no memory for the rank's") == 1);
  CHECK(outcome.out == "");
}

#endif

}  // namespace input_mpi_test
