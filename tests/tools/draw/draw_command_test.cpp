#include "tools/cli.hpp"

namespace draw_command_test {

using namespace bracket::testing;
using Catch::Contains;

namespace {

const Words small{"draw", "-N", "9", "-p", "3"};
const Words large{"draw", "-N", "100000", "-p", "3"};

}  // namespace

TEST_CASE("draw writes DOT to stdout and to a file") {
  const Scratch scratch;
  const auto file = (scratch.path() / "the tree.dot").string();
  const auto shown = cli(small);
  CHECK(shown.code == 0);
  CHECK_THAT(shown.out, Catch::StartsWith("digraph") && Contains("N = 9, p = 3"));
  const auto written = cli(small + Words{"-o", file});
  CHECK(written.code == 0);
  CHECK(written.out == "");
  CHECK(content_of(file) == shown.out);
  CHECK(names_in(scratch.path()) == Words{"the tree.dot"});
}

TEST_CASE("draw with a plan shows the schedule and its critical path") {
  const auto outcome = cli(small + Words{"--plan", "direct"});
  CHECK(outcome.code == 0);
  CHECK_THAT(outcome.out,
             Contains("plan direct") && Contains("recv from 1") && Contains("critical"));
  const auto makespan = [&](const std::string& latency) {
    return cli(small + Words{"--plan", "direct", "--latency", latency}).out;
  };
  CHECK(makespan("1") != makespan("2"));
}

#if BRACKET_HAS_SVG
TEST_CASE("draw writes SVG") {
  const Scratch scratch;
  for (const Words& what : {Words{}, Words{"--plan", "aggregated"}}) {
    const auto file = (scratch.path() / "tree.svg").string();
    CHECK(cli(small + what + Words{"-o", file}).code == 0);
    const auto picture = content_of(file);
    CHECK_THAT(picture, Contains("<svg") && Catch::EndsWith("</svg>\n"));
  }
  CHECK(names_in(scratch.path()) == Words{"tree.svg"});
}
#else
TEST_CASE("a build without Graphviz says so and leaves no file") {
  const Scratch scratch;
  check_refused(small + Words{"-o", (scratch.path() / "tree.svg").string()}, "no Graphviz");
  CHECK(names_in(scratch.path()).empty());
}
#endif

TEST_CASE("what is too large to read is refused with the limit, or folded") {
  check_refused(large, "more than the 128");
  const auto folded = cli(large + Words{"--depth", "3"});
  CHECK(folded.code == 0);
  CHECK_THAT(folded.out, Catch::StartsWith("digraph"));
  const auto further = cli(large + Words{"--depth", "0"});
  CHECK(further.code == 0);
  CHECK(further.out.size() < folded.out.size());
  check_refused({"draw", "-N", "10000", "-p", "300", "--plan", "direct"}, "more than the 200");
}

TEST_CASE("the refusal of a picture says what can be drawn") {
  const auto asked = [](const std::string& ranks, const Words& more) {
    return cli(Words{"draw", "-N", "10000", "-p", ranks} + more);
  };
  /// Number of ranks that the refusal for 3000 ranks suggests.
  const auto ranks_of = [&](const Words& more) {
    const auto refused = asked("3000", more);
    CHECK(refused.code == 2);
    const auto at = refused.err.find("-p ");
    REQUIRE(at != std::string::npos);
    return std::stoi(refused.err.substr(at + 3));
  };
  for (const auto& what :
       {Words{"--plan", "direct"}, Words{"--plan", "butterfly", "--all"}, Words{"--depth", "0"}}) {
    CAPTURE(what);
    const int ranks = ranks_of(what);
    CHECK(ranks >= 2);
    CHECK(asked(std::to_string(ranks), what).code == 0);
    CHECK(asked(std::to_string(ranks + 1), what).code == 2);
  }
  const auto said = [&](const Words& more) { return asked("3000", more).err; };
  CHECK_THAT(said({"--plan", "direct"}), Contains("; `bracket simulate --chrome-trace FILE.json`"));
  CHECK_THAT(said({}), Contains("even --depth 0 has more") && Contains(" --depth 0 can be drawn"));
  // With fewer ranks there is no rank 2999.
  CHECK_THAT(said({"--plan", "direct", "--root", "2999"}), !Contains("-p "));
  CHECK(cli({"draw", "-N", "9223372036854775807", "-p", "3", "--depth", "1"}).code == 0);
}

TEST_CASE("draw refuses what it cannot draw") {
  const Scratch scratch;
  for (const auto* name : {"tree.png", "tree", "tree.SVG", "tree.dot.gz"}) {
    check_refused(small + Words{"-o", (scratch.path() / name).string()}, ".svg or .dot");
  }
  CHECK(names_in(scratch.path()).empty());
  check_refused(small + Words{"--depth", "-1"}, "--depth must be at least 0");
  check_refused(small + Words{"--depth", "1", "--plan", "direct"}, "excludes");
  for (const auto* of_plan :
       {"--latency", "--overhead", "--gap", "--gap-per-byte", "--t-add", "--root"}) {
    check_refused(small + Words{of_plan, "1"}, std::string(of_plan) + " requires --plan");
  }
  check_refused(small + Words{"--all"}, "--all requires --plan");
  check_refused(small + Words{"--machine", std::string(BRACKET_MACHINES) + "/thesis.json"},
                "--machine requires --plan");
  check_refused(small + Words{"--plan", "direct,buffered"}, "one plan");
  check_refused(small + Words{"--distribution", "upper,lower"}, "one distribution");
}

}  // namespace draw_command_test
