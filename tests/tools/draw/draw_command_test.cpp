// SPDX-License-Identifier: MIT

#include <iomanip>

#include "tools/cli.hpp"

namespace draw_command_test {

using namespace bracket::testing;
using Catch::Contains;

namespace {

const Words small{"draw", "-N", "9", "-p", "3"};
const Words planned = small + Words{"--plan", "direct"};

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
TEST_CASE("the ending of the name decides the format") {
  const Scratch scratch;
  for (const Words& what :
       {Words{}, Words{"--plan", "aggregated"}, Words{"--plan", "direct", "--timeline"},
        Words{"--plan", "direct", "--picture", "overview"}}) {
    for (const auto& [ending, begin] : {std::pair<std::string, std::string>{"svg", "<?xml"},
                                        {"png", "\x89PNG"},
                                        {"pdf", "%PDF"},
                                        {"dot", "digraph"}}) {
      CAPTURE(what, ending);
      const auto file = (scratch.path() / ("picture." + ending)).string();
      CHECK(cli(small + what + Words{"-o", file}).code == 0);
      CHECK_THAT(content_of(file), Catch::StartsWith(begin));
    }
  }
  CHECK(names_in(scratch.path()) ==
        Words{"picture.dot", "picture.pdf", "picture.png", "picture.svg"});
}
#else
TEST_CASE("a build without Graphviz makes DOT, and SVG of pictures that are no graphs") {
  const Scratch scratch;
  check_refused(small + Words{"-o", (scratch.path() / "tree.svg").string()}, "no Graphviz");
  check_refused(planned + Words{"--timeline", "-o", (scratch.path() / "a.png").string()},
                "no Graphviz");
  CHECK(names_in(scratch.path()).empty());
  const auto file = (scratch.path() / "timeline.svg").string();
  CHECK(cli(planned + Words{"--timeline", "-o", file}).code == 0);
  CHECK_THAT(content_of(file), Catch::EndsWith("</svg>\n"));
}
#endif

TEST_CASE("the size decides the picture") {
  const Scratch scratch;
  const auto drawn = [&](const Words& words) {
    const auto file = (scratch.path() / "picture.dot").string();
    const auto outcome = cli(Words{"draw"} + words + Words{"-o", file});
    CHECK(outcome.code == 0);
    CHECK(outcome.err == "");
    return content_of(file);
  };
  CHECK_THAT(drawn({"-N", "13", "-p", "5", "--plan", "direct"}), Contains("splines=true"));
  CHECK_THAT(drawn({"-N", "10000", "-p", "100", "--plan", "direct"}),
             Contains("Timeline of each rank") && !Contains("Messages by level"));
  CHECK_THAT(drawn({"-N", "10000", "-p", "101", "--plan", "direct"}),
             Contains("Timeline of groups of ranks") && Contains("Messages by level") &&
                 Contains("Bytes from each sender"));
  CHECK_THAT(drawn({"-N", "13", "-p", "5", "--plan", "direct", "--engine", "loggops"}),
             Contains("Timeline of each rank"));
  CHECK_THAT(drawn({"-N", "100000", "-p", "3"}), Contains("subtrees of one rank more than"));
  CHECK_THAT(drawn({"-N", "100000", "-p", "300"}), Contains("subtrees more than 4 levels"));
  CHECK_THAT(drawn({"-N", "9223372036854775807", "-p", "3", "--depth", "1"}),
             Contains("more than 1 level below"));
}

TEST_CASE("the kind of picture can be chosen") {
  const auto drawn = [](const std::string& kind) {
    const auto outcome = cli(planned + Words{"--picture", kind});
    CHECK(outcome.code == 0);
    return outcome.out;
  };
  CHECK_THAT(drawn("steps"), Contains("recv from 1"));
  CHECK_THAT(drawn("timeline"), Contains("Timeline of each rank"));
  CHECK_THAT(drawn("matrix"), Contains("Bytes from each sender") && !Contains("Timeline"));
  CHECK_THAT(drawn("levels"), Contains("Messages by level") && !Contains("Timeline"));
  CHECK_THAT(drawn("overview"), Contains("Bytes from each sender") && Contains("Timeline"));
  CHECK(cli(planned + Words{"--timeline"}).out == drawn("timeline"));
  CHECK(cli(small + Words{"--picture", "tree"}).out == cli(small).out);
  const Words many{"draw", "-N", "10000", "-p", "300", "--plan", "direct", "--picture", "steps"};
  check_refused(many, "more than the 2000 of --picture steps: leave the option out");
  // More than the default picture has.
  CHECK(cli({"draw", "-N", "1000", "-p", "30", "--plan", "direct", "--picture", "steps"}).code ==
        0);
  check_refused(planned + Words{"--picture", "nope"}, "unknown picture 'nope'; known: tree, steps");
  check_refused(planned + Words{"--picture", "tree"}, "--picture tree shows no plan");
  check_refused(small + Words{"--timeline"}, "--picture timeline requires --plan");
  check_refused(small + Words{"--picture", "matrix"}, "--picture matrix requires --plan");
  check_refused(planned + Words{"--timeline", "--picture", "levels"}, "excludes");
}

TEST_CASE("draw shows what an engine simulated") {
  const auto drawn = [](const Words& words) {
    const auto outcome = cli(planned + Words{"--timeline"} + words);
    INFO(outcome.err);
    CHECK(outcome.code == 0);
    return outcome.out;
  };
  const auto makespan = [](const Words& words) {
    const auto rows =
        rows_of(cli(Words{"simulate", "-N", "9", "-p", "3", "--plan", "direct", "--json"} + words));
    return rows.front().at("simulated_seconds").get<double>();
  };
  const auto shown = [&](const Words& words, const std::string& engine) {
    std::ostringstream seconds;
    seconds << std::fixed << std::setprecision(1) << makespan(words) * 1e9;
    CHECK_THAT(drawn(words),
               Contains("makespan by the engine " + engine + ": " + seconds.str() + " ns") &&
                   Contains("critical path: "));
  };
  shown({"--engine", "loggops"}, "loggops");
  shown({"--engine", "loggops", "--cores", "2", "--node-latency", "1e-9"}, "loggops");
  shown({"--engine", "loggops", "--eager", "0"}, "loggops");
#if BRACKET_HAS_SIMGRID
  shown({"--engine", "simgrid"}, "simgrid");
  shown({"--engine", "simgrid", "--platform", "fat-tree:2x2:1x2", "--cores", "1"}, "simgrid");
  check_refused(planned + Words{"--engine", "simgrid", "--eager", "0"},
                "--eager requires --engine loggops or smpi");
#else
  check_refused(planned + Words{"--engine", "simgrid"}, "is not in this build");
#endif
#if BRACKET_HAS_SMPI
  check_refused(planned + Words{"--engine", "smpi"}, "smpi has no timeline");
#endif
  check_refused(planned + Words{"--engine", "nope"}, "unknown engine 'nope'");
  check_refused(small + Words{"--engine", "loggops"}, "--engine requires --plan");
  for (const auto* kind : {"steps", "matrix"}) {
    check_refused(planned + Words{"--engine", "loggops", "--picture", kind},
                  "--engine requires --picture timeline, levels or overview");
  }
  check_refused(planned + Words{"--engine", "loggops", "--platform", "fat-tree:2x2:1x2"},
                "--platform requires --engine");
  for (const auto* option : {"--cores", "--eager", "--node-gap", "--overhead-per-byte"}) {
    check_refused(planned + Words{option, "1"}, std::string(option) + " requires --engine");
  }
  check_refused(planned + Words{"--placement", "block"}, "--placement requires --engine");
}

TEST_CASE("large schedules give pictures that are not large") {
  const Scratch scratch;
  for (const Words& words :
       {Words{"-N", "504850", "-p", "256", "--plan", "direct"},
        Words{"-N", "504850", "-p", "256", "--plan", "direct", "--engine", "loggops"},
        Words{"-N", "21410970", "-p", "1280", "--plan", "butterfly", "--all"},
        Words{"-N", "5000", "-p", "1280", "--items", "3000", "--plan", "butterfly", "--scatter"},
        Words{"-N", "10", "-p", "100000", "--plan", "binomial"},
        Words{"-N", "1", "-p", "1", "--plan", "direct", "--picture", "overview"}}) {
    CAPTURE(words);
    const auto file = scratch.path() / "picture.svg";
    CHECK(cli(Words{"draw"} + words + Words{"-o", file.string()}).code == 0);
    CHECK(std::filesystem::file_size(file) < 500000);
    CHECK_THAT(content_of(file), Catch::EndsWith("</svg>\n"));
  }
}

TEST_CASE("draw has the times of the operation") {
  const auto makespan = [](const Words& more) {
    const auto dot =
        cli(Words{"draw", "-N", "1000", "-p", "8", "--plan", "aggregated", "--timeline"} + more)
            .out;
    const auto begin = dot.find("makespan by ");
    REQUIRE(begin != std::string::npos);
    return dot.substr(begin, dot.find(" µs", begin) - begin);
  };
  CHECK(makespan({}) == makespan({"--algorithm", "tree"}));
  // double-double has the steps of the tree, and messages without a cost per byte.
  for (const Words& engine : {Words{}, Words{"--engine", "loggops"}}) {
    const Words by_work = engine + Words{"--gap-per-byte", "0"};
    CHECK(makespan(by_work + Words{"--algorithm", "double-double"}) != makespan(by_work));
  }
  check_refused(small + Words{"--algorithm", "binned"}, "--algorithm requires --plan");
  check_refused(small + Words{"--algorithm", "binned", "--plan", "direct"}, "fixed bracketing");
}

TEST_CASE("draw refuses what it cannot draw") {
  const Scratch scratch;
  for (const auto* name : {"tree.jpg", "tree", "tree.SVG", "tree.dot.gz", "treepng"}) {
    check_refused(small + Words{"-o", (scratch.path() / name).string()},
                  "must end in .svg, .png, .pdf or .dot");
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
