// SPDX-License-Identifier: MIT

#include <csignal>
#include <filesystem>

#include "tools/cli.hpp"

namespace report_test {

using namespace bracket::testing;
using Catch::Contains;

namespace {

Setting in_folder(const std::filesystem::path& folder) {
  Setting setting;
  setting.directory = folder;
  return setting;
}

namespace fs = std::filesystem;

const std::string hostile_name = "<script>'\"{}%d_^`&]]>.json";

Words simulation(const Words& more = {}) {
  return Words{"simulate", "-N", "1000", "-p", "4", "--engine", "loggops"} + more;
}

/// Runs a command that writes report.html in a folder, and returns the page.
std::string report_of(const Words& words, const fs::path& folder) {
  const auto outcome = cli(words + Words{"--report", "report.html"}, in_folder(folder));
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  CHECK_THAT(outcome.err, !Contains("gnuplot"));
  return content_of(folder / "report.html");
}

std::string measured_row(int elements, double seconds) {
  return Json{{"elements", elements},    {"ranks", 2},
              {"order", "tree"},         {"plan", "direct"},
              {"distribution", "upper"}, {"measured_seconds", seconds}}
             .dump() +
         '\n';
}

}  // namespace

TEST_CASE("a report is written beside the output, which it does not change") {
  const Scratch scratch;
  const auto file = (scratch.path() / "r.html").string();
  for (const Words& form : {Words{}, Words{"--json"}, Words{"--csv"}}) {
    const auto plain = cli(simulation(form));
    const auto reported = cli(simulation(form) + Words{"--report", file});
    CHECK(reported.code == 0);
    CHECK(reported.out == plain.out);
    CHECK(reported.err == plain.err);
    const std::string page = content_of(file);
    CHECK_THAT(page, Contains("<td>buffered:4:64</td>") && Contains("simulated_seconds") &&
                         Contains("Timeline, buffered:4:64 over upper by loggops") &&
                         Contains("machine thesis, the default: L 140.5 ns"));
    fs::remove(file);
  }
  CHECK(names_in(scratch.path()).empty());
}

TEST_CASE("the same rows give the same bytes") {
  const Scratch one;
  const Scratch other;
  const Words words = simulation({"--plan", "direct,aggregated", "--finish"});
  const std::string page = report_of(words, one.path());
  CHECK(page == report_of(words, one.path()));
  CHECK(page == report_of(words, other.path()));
  CHECK_THAT(page, !Contains(one.path().string()) &&
                       Contains("bracket simulate -N 1000 -p 4 --engine loggops --plan "
                                "direct,aggregated --finish --report report.html"));
}

TEST_CASE("the rows of a report are those of --json") {
  const Scratch scratch;
  const Words words = simulation({"--plan", "direct,aggregated", "--json"});
  const auto rows = rows_of(cli(words));
  const std::string page = report_of(words, scratch.path());
  for (const Json& row : rows) {
    CHECK_THAT(page, Contains("," + row.at("simulated_seconds").dump()));
  }
}

TEST_CASE("gnuplot draws the sources of each plot") {
  const Scratch scratch;
  report_of(simulation({"--sweep", "latency=1e-7,1e-6", "--sweep", "overhead=1e-8,1e-7",
                        "--report-sources", "figures"}),
            scratch.path());
  const auto folder = scratch.path() / "figures";
  const auto names = names_in(folder);
  CHECK(names == Words{"plot-1-makespan.csv", "plot-1-makespan.gp", "plot-2-makespan-over-l.csv",
                       "plot-2-makespan-over-l.gp"});
  for (const std::string& name : names) {
    if (!name.ends_with(".gp")) continue;
    const auto drawn = run_process({"gnuplot", name}, in_folder(folder));
    CHECK(drawn.code == 0);
    CHECK(drawn.err == "");
    CHECK_THAT(content_of(folder / (name.substr(0, name.size() - 3) + ".svg")),
               Contains("</svg>") && Contains("makespan"));
  }
}

TEST_CASE("names of files cannot break a page or a plot") {
  const Scratch scratch;
  const Words made{"verify", "-N", "100", "-p", "3", "-o"};
  for (const std::string& name : {std::string("<script>alert(1)<b>.json"), hostile_name}) {
    CAPTURE(name);
    REQUIRE(cli(made + Words{name}, in_folder(scratch.path())).code == 0);
    const std::string page = report_of(
        {"simulate", "--engine", "loggops", "--finish", "--schedule", name}, scratch.path());
    CHECK_THAT(page, !Contains("<script") && Contains("&lt;script&gt;"));
  }
  // A folder whose name ends a script: the page shows it quoted for a shell.
  fs::create_directory(scratch.path() / "<script>alert(1)<");
  REQUIRE(cli({"verify", "-N", "10", "-p", "2", "-o",
               "<script>alert(1)<" + std::string("/script>.json")},
              in_folder(scratch.path()))
              .code == 0);
  const std::string page =
      report_of({"simulate", "--engine", "loggops", "--schedule", "<script>alert(1)</script>.json"},
                scratch.path());
  CHECK_THAT(page, !Contains("<script") &&
                       Contains("--schedule '&lt;script&gt;alert(1)&lt;/script&gt;.json'"));
  // Bytes that are not UTF-8 can be pasted.
  REQUIRE(
      cli({"verify", "-N", "10", "-p", "2", "-o", "\xff\n.json"}, in_folder(scratch.path())).code ==
      0);
  CHECK_THAT(
      report_of({"simulate", "--engine", "loggops", "--schedule", "\xff\n.json"}, scratch.path()),
      Contains("--schedule $'\\xff\\x0a.json'"));
}

TEST_CASE("a report of many rows stays below 1 MB and says what it leaves out") {
  const Scratch scratch;
  std::string rows;
  for (int i = 0; i < 10'000; ++i) rows += measured_row(2 + i, i % 7 == 0 ? 1e-12 : 1e-6 * (i + 1));
  make_file(scratch.path() / "rows.jsonl", rows);
  const std::string page = report_of({"validate", "rows.jsonl"}, scratch.path());
  CHECK(page.size() < 1'000'000);
  CHECK(page.size() > 300'000);
  CHECK_THAT(page, Contains("The first 1000 of 10000 rows.") &&
                       Contains(" of 10000 rows: a report has less than 1 MB.") &&
                       Contains("The plot has every "));
}

TEST_CASE("a report of a continued sweep has all rows of the sweep, and no others") {
  const Scratch scratch;
  for (const char* const file : {"rows.csv", "rows.jsonl"}) {
    const auto sweep = [&](const char* ranks) {
      return Words{"simulate", "-N", "1000", "--engine", "loggops", "--sweep", ranks, "-o", file};
    };
    REQUIRE(cli(sweep("p=3,4"), in_folder(scratch.path())).code == 0);
    const std::string page = report_of(sweep("p=4,5,7"), scratch.path());
    for (const char* const ranks : {"4", "5", "7"}) {
      CHECK_THAT(page, Contains("<tr><td class=\"number\">" + std::string(ranks) + "</td>"));
    }
    CHECK_THAT(page,
               !Contains("<tr><td class=\"number\">3</td>") && Contains("Makespan over ranks p"));
  }
}

TEST_CASE("a report that cannot be written is refused before any work") {
  const Scratch scratch;
  const auto file = make_file(scratch.path() / "m.html", "{}");
  const auto there = [&](const char* name) { return (scratch.path() / name).string(); };
  check_refused(simulation({"--report", there("r.txt")}), "the name of a report ends in .html");
  check_refused(simulation({"--report", there("none/r.html")}), "none/r.html: cannot be written");
  check_refused(simulation({"--report-sources", there("figures")}), "--report");
  check_refused(simulation({"--report", there("r.html"), "--report-sources", file}),
                "a folder was expected");
  check_refused({"validate", file, "--report", file}, "it would be lost");
  check_refused({"simulate", "--engine", "loggops", "-p", "2", "--sweep", "N=1:200000:lin:200000",
                 "--report", there("r.html")},
                "--report shows at most 100000 rows");
  // Another program of the name gnuplot, and none.
  fs::create_directory(scratch.path() / "bin");
  const auto gnuplot = make_file(scratch.path() / "bin" / "gnuplot", "#!/bin/sh\nexit 1\n");
  Setting without;
  without.environment = {{"PATH", there("bin")}};
  check_refused(cli(simulation({"--report", there("r.html")}), without), "gnuplot-nox");
  fs::permissions(gnuplot, fs::perms::owner_all);
  check_refused(cli(simulation({"--report", there("r.html")}), without), "gnuplot-nox");
  CHECK(names_in(scratch.path()) == Words{"bin", "m.html"});
}

TEST_CASE("a tuning that is interrupted writes its report") {
  const Scratch scratch;
  const auto file = (scratch.path() / "r.html").string();
  // `timeout` signals gnuplot, too, unless it has a process group of its own.
  const auto outcome =
      run_process({"timeout", "--signal=INT", "--preserve-status", "2", BRACKET_FRONT, "tune", "-N",
                   "1000000", "-p", "300", "--objective", "loggops", "--budget", "1000000",
                   "--plan", "direct", "--report", file});
  CHECK(outcome.code == 128 + SIGINT);
  CHECK_THAT(content_of(file),
             Contains("Cost over messages, with the Pareto front") && Contains("stopped = true"));
}

}  // namespace report_test
