// SPDX-License-Identifier: MIT

#include <cmath>

#include "tools/cli.hpp"
#include "tools/judged_models.hpp"

namespace fit_command_test {

using namespace bracket::testing;
using Catch::Approx;
using Catch::Contains;

namespace {

const std::string columns =
    "machine,date,nodes,ranks,topology,library,algorithm,implementation,bytes,samples,median_us,"
    "q25_us,q75_us,min_us\n";

std::string line(const std::string& machine, int ranks, const std::string& algorithm, int bytes,
                 double microseconds) {
  return machine + ",2025-01-01,8," + std::to_string(ranks) + ",,MPI 1," + algorithm + "," +
         algorithm + "_x," + std::to_string(bytes) + ",100," + std::to_string(microseconds) + "," +
         std::to_string(0.99 * microseconds) + "," + std::to_string(1.01 * microseconds) + "," +
         std::to_string(microseconds - 1) + "\n";
}

/// A message takes 2 us and 1 ns per byte, and a run 1 us more. Combining takes 0.25 of the bytes'
/// time.
std::string doubling(const std::string& machine) {
  std::string rows;
  for (int bytes = 32; bytes <= 1 << 20; bytes *= 8) {
    rows += line(machine, 8, "recursive-doubling", bytes, 1 + 3 * (2 + 1e-3 * bytes));
  }
  return rows;
}

/// Microseconds of an all-reduce that halves the bytes with combining, and returns without.
double rabenseifner(double bytes) {
  double microseconds = 1;
  for (const int groups : {2, 4, 8}) {
    microseconds += 2 * (2 + 0.75e-3 * bytes / groups) + 0.25e-3 * bytes / groups;
  }
  return microseconds;
}

}  // namespace

TEST_CASE("fit finds a machine from published rows, and validate predicts other rows by it") {
  const Scratch scratch;
  const auto table = make_file(scratch.path() / "rows.csv",
                               columns + doubling("here") +
                                   line("here", 8, "rabenseifner", 4096, rabenseifner(4096)) +
                                   line("here", 8, "rabenseifner", 262144, rabenseifner(262144)) +
                                   line("here", 8, "library-default", 4096, 9) +
                                   line("there", 4, "recursive-doubling", 4096, 1000));
  const auto machine = (scratch.path() / "machine.json").string();
  const auto fit = cli({"fit", table, "--only", "machine=here", "--only",
                        "algorithm=recursive-doubling", "-o", machine});
  REQUIRE(fit.code == 0);
  CHECK(fit.err ==
        "bracket: no row folds elements of its own: folds are taken to cost as much as "
        "combining vectors\n");
  CHECK_THAT(fit.out, Contains("message's way [us]") && Contains("A run starts in 1 us") &&
                          Contains("25 % of the time per byte") && Contains("median |error|"));
  const Json written = Json::parse(content_of(machine));
  CHECK(written.at("name") == "machine");
  CHECK(written.at("source") ==
        "bracket fit to 6 rows of rows.csv with machine=here, algorithm=recursive-doubling");

  const auto judged =
      cli({"validate", table, "--only", "machine=here", "--machine", machine, "--json"});
  CHECK_THAT(judged.err, Contains("left out 1 row"));
  const auto rows = rows_of(judged);
  REQUIRE(rows.size() == 6 + 2 + models_of_rounds());
  for (std::size_t i = 0; i < 8; ++i) {
    CAPTURE(rows[i]);
    CHECK(std::abs(rows[i].at("loggp_error").get<double>()) < (i < 6 ? 0.01 : 0.05));
    CHECK(rows[i].at("type") == "int32");
    CHECK(rows[i].at("published").at("date") == "2025-01-01");
  }
  CHECK(rows[6].at("algorithm") == "rabenseifner");
  CHECK(rows[6].at("bytes") == 4096);
  CHECK(rows[6].at("items") == 1024);
  CHECK(rows[6].at("measured_seconds").get<double>() == Approx(rabenseifner(4096) * 1e-6));

  const auto two = cli({"fit", table, "--only", "algorithm=recursive-doubling", "--json"});
  CHECK_THAT(two.err, Contains("rows that differ in machine (here, there), ranks (4, 8)"));
  CHECK(rows_of(two).at(0).at("format") == "bracket-machine");
}

TEST_CASE("fit takes the rows of bracket run, and sums of a published table") {
  const Scratch scratch;
  std::string rows;
  for (const int elements : {1000, 10000, 100000}) {
    rows += Json{{"elements", elements},    {"ranks", 4},
                 {"order", "tree"},         {"plan", "aggregated"},
                 {"distribution", "upper"}, {"measured_seconds", 1e-5 + 1e-10 * elements}}
                .dump() +
            "\n";
  }
  const auto file = make_file(scratch.path() / "rows.jsonl", rows);
  const auto machine = (scratch.path() / "machine.json").string();
  REQUIRE(cli({"fit", file, "-o", machine, "--name", "mine"}).code == 0);
  CHECK(Json::parse(content_of(machine)).at("name") == "mine");
  for (const Json& row : rows_of(cli({"validate", file, "--machine", machine, "--json"}))) {
    if (!row.contains("model")) CHECK(std::abs(row.at("loggp_error").get<double>()) < 0.03);
  }

  const auto table = make_file(scratch.path() / "sums.csv",
                               "elements,ranks,tree_us,other_us\n1000,16,10,8\n1000000,16,80,70\n");
  const auto sums = rows_of(cli({"validate", table, "--machine", machine, "--json"}));
  REQUIRE(sums.size() == 4 + models_of_schedules());
  CHECK(sums[0].at("algorithm") == "tree");
  CHECK(sums[1].at("algorithm") == "other");
  CHECK(sums[1].at("measured_seconds").get<double>() == Approx(8e-6));
  CHECK(rows_of(cli({"validate", table, "--machine", machine, "--json", "--only", "algorithm=tree",
                     "--only", "elements=1000,2000"}))
            .size() == 1 + models_of_schedules());
}

TEST_CASE("rows of one measurement are its starts, and wildcards choose") {
  const Scratch scratch;
  const auto table =
      make_file(scratch.path() / "rows.csv",
                columns + line("here", 8, "ring", 4096, 30) + line("here", 8, "ring", 4096, 10) +
                    line("here", 8, "ring", 4096, 20) + line("here", 8, "rabenseifner", 4096, 20));
  const auto rows = rows_of(cli({"validate", table, "--json", "--only", "implementation=ring_?"}));
  REQUIRE(rows.size() == 1 + models_of_rounds());
  CHECK(rows[0].at("measured_seconds").get<double>() == Approx(20e-6));
  CHECK(rows[0].at("measured_low_seconds").get<double>() == Approx(9.9e-6));
  CHECK(rows[0].at("measured_high_seconds").get<double>() == Approx(30.3e-6));
  CHECK(rows[0].at("starts") == 3);
  CHECK(rows_of(cli({"validate", table, "--json", "--only", "algorithm=r*"})).size() ==
        2 + models_of_rounds());
  check_refused({"validate", table, "--only", "algorithm=x*"}, "that --only chooses");
  check_refused({"validate", table, "--only", "none=1"}, "no measured row has the key \"none\"");
}

TEST_CASE("columns that describe a sum keep rows apart, and a hole is no row") {
  const Scratch scratch;
  const auto table = make_file(scratch.path() / "sums.csv",
                               "\xEF\xBB\xBFmachine,elements,ranks,tree_us,other_us\r\n"
                               "a,1000,16,10,\r\nb,1000,16,100,50\r\n");
  const auto rows = rows_of(cli({"validate", table, "--json"}));
  REQUIRE(rows.size() == 3 + models_of_schedules());
  CHECK(rows[0].at("published").at("machine") == "a");
  CHECK(rows[1].at("published").at("machine") == "b");
  // A row of `a` is not an alternative to those of `b`.
  CHECK(rows[3].at("pairs") == 1);
  const auto fit = cli({"fit", table, "--json"});
  CHECK_THAT(fit.err, Contains("rows that differ in machine (a, b)"));
}

TEST_CASE("fit says which figures the rows do not determine, and which rows it leaves out") {
  const Scratch scratch;
  const auto row = [](int ranks, const char* plan, double seconds) {
    return Json{{"elements", 1000}, {"ranks", ranks},          {"order", "tree"},
                {"plan", plan},     {"distribution", "upper"}, {"measured_seconds", seconds}}
               .dump() +
           "\n";
  };
  const auto fitted = [&](const std::string& rows) {
    return cli({"fit", make_file(scratch.path() / "rows.jsonl", rows), "--json"});
  };
  const auto alone = fitted(row(1, "direct", 1e-6) + row(2, "native", 1e-6));
  CHECK_THAT(alone.err, Contains("no row has messages: those of the default machine are kept") &&
                            Contains("left out 1 row that no model predicts: by native"));
  CHECK(rows_of(alone).at(0).at("latency_seconds").get<double>() > 0);
  const auto two = fitted(row(2, "aggregated", 1e-6) + row(4, "aggregated", 2e-6));
  CHECK_THAT(two.err, Contains("messages of up to 56 bytes are taken to cost the same") &&
                          Contains("the largest message of the rows has 56 bytes: each further"));
  CHECK(rows_of(two).at(0).at("messages").size() == 2);
  const auto one = fitted(row(2, "direct", 1e-6) + row(4, "direct", 2e-6));
  CHECK_THAT(one.err, Contains("the rows have messages of one size, 8 bytes: each further byte"));
}

TEST_CASE("rows of one size by several algorithms are fitted") {
  const Scratch scratch;
  const auto table = make_file(scratch.path() / "rows.csv",
                               "date,ranks,algorithm,implementation,bytes,median_us\n"
                               "2025-01-01,8,ring,x,4096,20\n"
                               "2025-01-01,8,rabenseifner,x,4096,21\n");
  const auto machine = (scratch.path() / "machine.json").string();
  CHECK(cli({"fit", table, "-o", machine}).code == 0);
  const auto predicted = rows_of(cli({"validate", table, "--machine", machine, "--json"}));
  REQUIRE(predicted.size() == 2 + models_of_rounds());
  for (int i = 0; i < 2; ++i) {
    CHECK(predicted[i].at("loggp_seconds").get<double>() == Approx(2e-5).epsilon(0.2));
  }
}

TEST_CASE("a bad table is refused with its line, and nothing is written") {
  const Scratch scratch;
  const auto machine = scratch.path() / "machine.json";
  const auto refused = [&](const std::string& content, const std::string& what) {
    const auto file = make_file(scratch.path() / "rows.csv", content);
    check_refused({"fit", file, "-o", machine.string()}, "rows.csv" + what);
    check_refused({"validate", file}, "rows.csv" + what);
    CHECK_FALSE(std::filesystem::exists(machine));
  };
  const std::string good = columns + line("here", 8, "ring", 4096, 20);
  refused("", ": no measured row");
  refused(columns, ": no measured row");
  refused("a,b\n1,2\n", ", line 1: JSON rows of `bracket run --json` were expected, or a table");
  refused(good + "here\n", ", line 3: 1 cells, but the first line names 14 columns");
  refused(good + line("here", 0, "ring", 8, 1), ", line 3: ranks is 0; the least is 1");
  refused(good + line("here", 8, "ring", 0, 1), ", line 3: bytes is 0");
  refused(good + line("here", 8, "ring", 8, -1),
          ", line 3: median_us is -1: microseconds from 1e-06 to 1e+15");
  refused(good + "m,d,1,8,,l,ring,r,8,1,nan,1,1,1\n", ", line 3: median_us");
  refused(good + "m,d,1,8,,l,ring,r,8,1,1e400,1,1,1\n", ", line 3: median_us");
  refused(good + "m,d,1,9223372036854775808,,l,ring,r,8,1,1,1,1,1\n", ", line 3: ranks");
  refused(good + "m,d,1,8,,l,ring,r,8,1,5,6,7,1\n", ", line 3: the median is not between");
  refused(good + line("here", 8, "ring", 8, 1e-7), ", line 3: median_us is ");
  refused(good + "m,d,1,8,,l,ring,r,9223372036854775807,1,1,1,1,1\n", ", line 3: bytes is 9223");
  refused(good + "m,d,1,8,,l,ring,r,8,1,5,5,5,7\n", ", line 3: min_us is above the median");
  refused(good + "\xff,d,1,8,,l,ring,r,8,1,5,5,5,5\n", ", line 3: the text is not UTF-8");
  refused("ranks,algorithm,bytes,median_us,bytes\n", ", line 1: two columns are named 'bytes'");
  refused("ranks,algorithm,bytes,median_us\n4,recursive_doubling,64,5\n", ": no row of a plan");
  check_refused({"fit", make_file(scratch.path() / "ok.csv", good), "-o", scratch.path().string()},
                "is a directory");
  check_refused({"fit", (scratch.path() / "none.csv").string()}, "No such file");
  check_refused({"fit"}, "rows is required");
  const auto same = (scratch.path() / "ok.csv").string();
  check_refused({"fit", same, "-o", same}, "it would be lost");
}

}  // namespace fit_command_test
