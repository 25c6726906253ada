// SPDX-License-Identifier: MIT

#include <algorithm>
#include <cctype>
#include <cmath>

#include "bracket/model/plan.hpp"
#include "bracket/support/text.hpp"
#include "tools/compare/compare_rows.hpp"
#include "tools/judged_models.hpp"

namespace compare_measured_mpi_test {

using namespace compare_rows;
using Catch::Approx;
using Catch::Contains;

// Measurements from files.

namespace {

/// A row as `bracket run --json` writes it.
std::string measured_row(int p, const std::string& plan, double seconds) {
  return Json{{"elements", 1000}, {"ranks", p},           {"distribution", "upper"},
              {"plan", plan},     {"result_bits", "0x1"}, {"measured_seconds", seconds}}
             .dump() +
         "\n";
}

}  // namespace

TEST_CASE("compare takes what was measured elsewhere") {
  const Scratch scratch;
  const auto file =
      make_file(scratch.path() / "there.json", measured_row(1, "direct", 999e-6) + "\n" +
                                                   measured_row(4, "direct", 2e-3) +
                                                   measured_row(4, "buffered", 0.5));
  const Words from_there = Words{"--measured", file};
  auto rows =
      rows_of(cli(thousand + from_there + Words{"-p", "1,4,8", "--plan", "direct,buffered:4:64"}));
  const auto correlations = take_correlations(rows);
  REQUIRE(rows.size() == 6);
  CHECK(rows[0].at("measured_seconds") == 999e-6);
  CHECK_FALSE(rows[1].contains("measured_seconds"));
  CHECK(rows[2].at("measured_seconds") == 2e-3);
  CHECK(rows[3].at("measured_seconds") == 0.5);
  CHECK(rows[3].at("result_bits") == "0x1");
  CHECK_FALSE(rows[4].contains("measured_seconds"));
  for (const auto& row : rows) {
    CHECK(row.contains("score_seconds"));
    CHECK(row.contains("loggp_seconds"));
    CHECK(row.contains("simgrid_seconds") == BRACKET_HAS_SIMGRID);
    if (!row.contains("measured_seconds")) continue;
    for (const auto& model : bracket::tools::cost_models()) {
      if (!row.contains(model.seconds.key)) continue;
      CHECK(row.at(model.error_key()).get<double>() ==
            Approx(row.at(model.seconds.key).get<double>() /
                       row.at("measured_seconds").get<double>() -
                   1));
    }
  }

  // Two plans were measured on 4 ranks; their scores are equal.
  const std::size_t models = 1 + models_of_schedules() + BRACKET_HAS_SIMGRID;  // 1: the score
  REQUIRE(correlations.size() == 1 + models);
  CHECK(correlations[0].at("ranks") == 4);
  CHECK_FALSE(correlations[0].contains("kendall_tau_score_seconds"));
  for (const char* name : {"loggp", "loggops"}) {
    const auto& model = bracket::tools::cost_model(name);
    const std::string key = model.seconds.key;
    CHECK(correlations[0].at(model.correlation_key()) ==
          (rows[2].at(key) < rows[3].at(key) ? 1 : -1));
  }

  for (std::size_t i = 1; i < correlations.size(); ++i) {
    const auto& card = correlations[i];
    CAPTURE(card);
    CHECK(card.at("rows") == 3);
    CHECK(card.at("pairs") == 1);
    const auto all = bracket::tools::cost_models();
    const auto model = std::find_if(all.begin(), all.end(),
                                    [&](const auto& one) { return one.title == card.at("model"); });
    REQUIRE(model != all.end());
    std::vector<double> errors;
    for (const std::size_t row : {0, 2, 3}) {
      errors.push_back(std::abs(rows[row].at(model->error_key()).get<double>()));
    }
    std::sort(errors.begin(), errors.end());
    CHECK(card.at("median_error").get<double>() == Approx(errors[1]));
    CHECK(card.at("p90_error").get<double>() == Approx(errors[2]));
    const double direct = rows[2].at(model->seconds.key);
    const double buffered = rows[3].at(model->seconds.key);
    CHECK(card.at("pair_accuracy") == (direct < buffered ? 1 : 0));
    CHECK(card.at("winner_accuracy") == (direct <= buffered ? 1 : 0));
  }

  // 999 additions took 999 us.
  const auto fitted =
      rows_of(cli(thousand + from_there + Words{"--fit", "-p", "1", "--plan", "direct"}));
  CHECK(fitted.at(0).at("loggp_seconds").get<double>() == Approx(999e-6));
  CHECK(fitted.at(0).at("score_seconds").get<double>() == Approx(1000e-6));
  CHECK(fitted.at(0).at("seconds_per_addition").get<double>() == Approx(1e-6));
  CHECK(rows[0].at("seconds_per_addition") == 4.15e-9);
}

TEST_CASE("compare ignores measured rows of other operations") {
  const Scratch scratch;
  std::string lines = measured_row(4, "butterfly", 2e-3);
  for (const Json& other :
       {Json{{"algorithm", "double-double"}}, Json{{"type", "float32"}}, Json{{"op", "maximum"}},
        Json{{"widened", true}, {"type", "float32"}}}) {
    auto row = Json::parse(measured_row(4, "butterfly", 1e-3));
    row.erase("order");
    row.update(other);
    lines += row.dump() + "\n";
  }
  const auto file = make_file(scratch.path() / "there.json", lines);
  auto rows =
      rows_of(cli(thousand + Words{"-p", "4", "--measured", file, "--plan", "butterfly", "--all"}));
  take_correlations(rows);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].at("measured_seconds") == 2e-3);
}

TEST_CASE("compare predicts nothing of a plan without a schedule") {
  const Scratch scratch;
  const auto file = make_file(scratch.path() / "there.json",
                              measured_row(4, "native", 1e-3) + measured_row(4, "butterfly", 2e-3));
  const Words there{"-p", "4", "--measured", file};
  auto rows = rows_of(cli(thousand + there + Words{"--plan", "native,butterfly", "--all"}));
  take_correlations(rows);
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].at("measured_seconds") == 1e-3);
  for (const auto* prediction : {"messages", "loggp_seconds", "simgrid_seconds"}) {
    CHECK_FALSE(rows[0].contains(prediction));
  }
  CHECK(rows[1].contains("loggp_seconds"));
  CHECK(rows[1].contains("simgrid_seconds") == BRACKET_HAS_SIMGRID);
  auto alone = rows_of(cli(thousand + there + Words{"--plan", "native", "--all"}));
  take_correlations(alone);
  CHECK(alone.size() == 1);
  check_refused(thousand + there + Words{"--plan", "native"}, "the plan native leaves the result");
}

TEST_CASE("compare fits the addition to the fastest run of this size on one rank") {
  const Scratch scratch;
  auto other = Json::parse(measured_row(1, "aggregated", 1e-9));
  other["elements"] = 500;
  auto sequential = Json::parse(measured_row(1, "direct", 1e-9));
  sequential["order"] = "sequential";
  const std::string good = measured_row(1, "buffered", 999e-6) +
                           measured_row(1, "direct", 1998e-6) + measured_row(2, "direct", 1e-6);
  const Words fit{"-p", "1", "--plan", "direct", "--fit", "--measured"};
  const auto file = make_file(scratch.path() / "there.json",
                              other.dump() + "\n" + sequential.dump() + "\n" + good);
  const auto rows = rows_of(cli(thousand + fit + Words{file}));
  CHECK(rows.at(0).at("seconds_per_addition").get<double>() == Approx(1e-6));
  CHECK(rows.at(0).at("measured_seconds") == 1998e-6);
  const auto text =
      cli(Words{"compare", "-N", "1000", "--distribution", "upper"} + fit + Words{file});
  CHECK(text.code == 0);
  CHECK_THAT(text.err, Contains("bracket: t_add = 1000 ns, from buffered:4:64 over upper"));
  CHECK(occurrences(text.err, "t_add") == 1);

  // Among the rows of several kernels for one reduction, the fastest counts.
  auto slow = Json::parse(measured_row(1, "direct", 1998e-6));
  slow["kernel"] = "scalar";
  const auto kernels = make_file(scratch.path() / "kernels.json",
                                 measured_row(1, "direct", 999e-6) + slow.dump() + "\n");
  CHECK(rows_of(cli(thousand + fit + Words{kernels})).at(0).at("measured_seconds") == 999e-6);

  const auto none =
      make_file(scratch.path() / "none.json", other.dump() + "\n" + measured_row(2, "direct", 1));
  check_refused(thousand + Words{"-p", "2", "--plan", "direct", "--fit", "--measured", none},
                "on one rank, for N = 1000");
}

TEST_CASE("a table has no correlation of a model without a column") {
  const Scratch scratch;
  const auto file = make_file(scratch.path() / "there.json",
                              measured_row(4, "direct", 2e-3) + measured_row(4, "buffered", 1e-3));
  const auto text = cli({"compare", "-N", "1000", "-p", "4", "--distribution", "upper", "--plan",
                         "direct,buffered", "--measured", file});
  CHECK(text.code == 0);
  CHECK_THAT(text.out,
             Contains("How far the models are off") && !Contains("score") && Contains("LogGP"));
  CHECK_THAT(text.out, Contains("\n4 ranks: LogGP chooses "));
  const auto tuned = (scratch.path() / "tuned.json").string();
  REQUIRE(cli({"tune", "-N", "1000", "-p", "4", "--plan-file", tuned}).code == 0);
  CHECK_THAT(cli({"compare", "--plan-file", tuned, "--predict"}).out,
             Contains("\n" + tuned + ": tuned by score\n"));
}

TEST_CASE("rows for the same are starts of one measurement") {
  const Scratch scratch;
  const auto start = [](double seconds, double low, double high, const std::string& bits) {
    auto row = Json::parse(measured_row(1, "direct", seconds));
    row["measured_low_seconds"] = low;
    row["measured_high_seconds"] = high;
    row["messages"] = 0;
    row["elements_digest"] = "1";
    row["result_bits"] = bits;
    return row.dump() + "\n";
  };
  const std::string first = start(3e-6, 2e-6, 4e-6, "0x1");
  const Words measured{"-p", "1", "--plan", "direct", "--measured"};
  const auto row_of = [&](const std::string& content) {
    const auto file = make_file(scratch.path() / "starts.json", content);
    return rows_of(cli(thousand + measured + Words{file})).at(0);
  };
  const auto three =
      row_of(start(9e-6, 8e-6, 10e-6, "0x1") + first + start(5e-6, 1e-6, 6e-6, "0x1"));
  CHECK(three.at("measured_seconds") == 5e-6);
  CHECK(three.at("measured_low_seconds") == 1e-6);
  CHECK(three.at("measured_high_seconds") == 10e-6);
  CHECK(three.at("starts") == 3);
  const auto two = row_of(first + start(5e-6, 5e-6, 5e-6, "0x1"));
  CHECK(two.at("measured_seconds").get<double>() == Approx(4e-6));
  CHECK(two.at("starts") == 2);
  const auto file = make_file(scratch.path() / "bits.json", first + start(3e-6, 2e-6, 4e-6, "0x2"));
  check_refused(thousand + measured + Words{file},
                "line 2: \"result_bits\" is \"0x2\", an earlier row for the same has \"0x1\"");
}

TEST_CASE("a table shows short times and small errors readably") {
  const Scratch scratch;
  // LogGP: 999 additions of 1 us; the measured time is longer by a thousandth.
  const auto file = make_file(scratch.path() / "there.json", measured_row(1, "direct", 1e-3));
  const Words direct{"compare", "-N",     "1000",           "-p",   "1",
                     "--plan",  "direct", "--distribution", "upper"};
  const auto close = cli(direct + Words{"--t-add", "1e-6", "--measured", file});
  CHECK(close.code == 0);
  CHECK_THAT(close.out, Contains("LogGP error") && Contains(" +0 %") && !Contains("-0 %"));
  const auto quick = cli(direct + Words{"--t-add", "1e-12", "--predict"});
  CHECK_THAT(quick.out, Contains(" 0.000999") && Contains("0.00100"));
}

TEST_CASE("compare refuses measurements that are none of this") {
  const Scratch scratch;
  const auto refused = [&](const std::string& content, const std::string& what) {
    const auto file = make_file(scratch.path() / "there.json", content);
    check_refused(thousand + Words{"-p", "1", "--measured", file}, what);
  };
  const std::string good = measured_row(1, "direct", 1);
  auto elsewhere = Json::parse(good);
  elsewhere["collective"] = "reduce";
  elsewhere["root"] = 1;
  refused(elsewhere.dump() + "\n", "no row is for N = 1000");
  refused("", "no row is for N = 1000");
  refused(measured_row(2, bracket::default_plan, 1), "no row is for N = 1000");
  for (const double seconds : {-1e-6, 0.0, 1e308}) {
    auto impossible = Json::parse(good);
    impossible["measured_seconds"] = seconds;
    refused(good + impossible.dump() + "\n", "line 2: \"measured_seconds\" is ");
  }
  refused(good + "{",
          "line 2: not JSON at byte 1 of 1: the text is cut off there; each line must be");
  refused("5", "line 1: \"elements\" is missing");
  refused("[]", "line 1: \"elements\" is missing");
  refused("{\"elements\":1e30}", "\"elements\"");
  for (const auto& [key, value] :
       {std::pair("ranks", 4294967297), std::pair("ranks", 0l), std::pair("elements", -1l)}) {
    auto none = Json::parse(good);
    none[key] = value;
    refused(none.dump(), bracket::text("line 1: \"", key, "\" is ", value, ": from 1 to "));
  }
  refused(measured_row(1, "guess", 1), "there.json, line 1: unknown plan 'guess'");
  refused(measured_row(1, "", 1), "there.json, line 1: ");
  auto row = Json::parse(good);
  row["measured_seconds"] = "fast";
  refused(row.dump(), "line 1: \"measured_seconds\"");
  row.erase("measured_seconds");
  refused(row.dump(), "line 1: \"measured_seconds\"");
  const auto two = make_file(scratch.path() / "two.json", measured_row(2, "direct", 1));
  check_refused(thousand + Words{"-p", "2", "--plan", "direct", "--fit", "--measured", two},
                "--fit needs");
  check_refused(thousand + Words{"--measured", (scratch.path() / "none").string()}, "No such file");
  check_refused(thousand + Words{"--measured", scratch.path().string()}, "is a directory");
  check_refused(thousand + Words{"--measured", "x", "--launcher", "y"}, "excludes");
}

}  // namespace compare_measured_mpi_test
