// SPDX-License-Identifier: MIT

#include <cmath>
#include <limits>

#include "tools/cli.hpp"
#include "tools/input_files.hpp"

namespace digits_command_test {

using namespace bracket::testing;
using Catch::Approx;
using Catch::Contains;

namespace {

constexpr double largest = std::numeric_limits<double>::max();
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double most_digits = 15.954589770191003;  // 53 log10(2)

Json digits_of(const std::vector<double>& elements, const Words& options = {}) {
  const Scratch scratch;
  const auto file = make_file(scratch.path() / "x.f64", raw_values<double>(elements));
  const auto rows = rows_of(cli(Words{"digits", file, "--json"} + options));
  REQUIRE(rows.size() == 1);
  return rows[0];
}

Json row_of(const Json& all, const std::string& algorithm) {
  for (const Json& row : all.at("rows")) {
    if (row.at("algorithm") == algorithm) return row;
  }
  FAIL("no row of " << algorithm);
  return {};
}

}  // namespace

TEST_CASE("digits compares the sum of each algorithm with the exact sum") {
  // In tree order and from left to right, both small numbers are rounded away.
  const Json all = digits_of({1, 0x1p-53, 0x1p-53});
  CHECK(all.at("elements") == 3);
  CHECK(all.at("type") == "float64");
  CHECK(all.at("exact") == "0x1.0000000000001p+0");
  CHECK(all.at("condition") == 1);
  CHECK(all.at("notes") == Json::array());
  std::vector<std::string> algorithms;
  for (const Json& row : all.at("rows")) algorithms.push_back(row.at("algorithm"));
  CHECK(algorithms ==
        Words{"tree", "chunked-tree:64", "sequential", "binned:3", "double-double", "stochastic"});
  const Json tree = row_of(all, "tree");
  CHECK(tree.at("order") == "tree");
  CHECK(tree.at("sum") == "0x1p+0");
  CHECK(tree.at("ulps") == 1);
  CHECK(tree.at("bound").get<double>() == Approx(1).epsilon(1e-9));  // γ_2 (1 + 2^-52) / 2^-52
  CHECK(tree.at("bound") >= 1);
  CHECK(tree.at("digits").get<double>() == Approx(52 * std::log10(2)));
  CHECK(tree.at("cancellations") == 0);
  for (const char* const better : {"binned:3", "double-double"}) {
    const Json row = row_of(all, better);
    CHECK(row.at("sum") == "0x1.0000000000001p+0");
    CHECK(row.at("ulps") == 0);
    CHECK(row.at("bound").get<double>() == Approx(0.5).epsilon(1e-6));
    CHECK(row.at("digits").get<double>() == Approx(most_digits));
  }
  CHECK(row_of(all, "binned:3").at("order") == "associative");
  CHECK(row_of(all, "double-double").at("order") == "tree");
}

TEST_CASE("digits has a table for people") {
  const auto text = cli({"digits", "--synthetic", "1000", "--algorithm", "tree,binned"});
  CHECK(text.code == 0);
  CHECK(text.err == "");
  CHECK_THAT(text.out, Contains("1000 elements of float64: synthetic, seed 1\nexact sum ") &&
                           Contains(", condition number ") && Contains("off [ulps]") &&
                           Contains("estimated digits") && Contains("\ntree ") &&
                           Contains("\nbinned:3 "));
}

TEST_CASE("digits of sums without a rounding error are all digits") {
  for (const auto& elements : std::vector<std::vector<double>>{
           {3.5}, {0}, {-0.0, -0.0}, {1, 2, 3}, {5, -5}, {0x1p-1074, 0x1p-1074, -0x1p-1074}}) {
    const Json all = digits_of(elements);
    for (const Json& row : all.at("rows")) {
      CAPTURE(elements, row);
      CHECK(row.at("sum") == all.at("exact"));
      CHECK(row.at("ulps") == 0);
      CHECK(row.at("digits").get<double>() == Approx(most_digits));
      CHECK(row.at("estimated_digits").get<double>() == Approx(most_digits));
    }
  }
  CHECK(digits_of({-0.0, -0.0}).at("exact") == "-0x0p+0");
  CHECK(digits_of({5, -5}).at("condition").is_null());
  CHECK(digits_of({0}).at("condition") == 1);
}

TEST_CASE("digits explains an exact sum of 0") {
  const Json all = digits_of({1e16, 1, -1e16, -1}, {"--algorithm", "sequential,binned"});
  CHECK(all.at("exact") == "0x0p+0");
  CHECK(all.at("condition").is_null());
  const Json sequential = row_of(all, "sequential");
  CHECK(sequential.at("sum") == "-0x1p+0");
  CHECK(sequential.at("ulps").is_null());  // 2^1074
  CHECK(sequential.at("digits") == 0);
  CHECK(sequential.at("estimated_digits") == 0);
  CHECK(sequential.at("cancellations") >= 1);
  CHECK(row_of(all, "binned:3").at("digits").get<double>() == Approx(most_digits));
  REQUIRE(all.at("notes").size() == 1);
  CHECK_THAT(all.at("notes")[0].get<std::string>(), Contains("condition number is infinite"));
}

TEST_CASE("digits says where a partial sum overflows") {
  const Json all = digits_of({largest, largest, -largest, -largest, 1});
  CHECK(all.at("exact") == "0x1p+0");
  for (const char* const name : {"tree", "sequential", "double-double", "stochastic"}) {
    const Json row = row_of(all, name);
    CAPTURE(row);
    CHECK(row.at("ulps").is_null());
    CHECK(row.at("bound").is_null());
    CHECK(row.at("digits") == 0);
    CHECK(row.at("estimated_digits") == 0);
  }
  REQUIRE(all.at("notes").size() == 1);
  CHECK_THAT(all.at("notes")[0].get<std::string>(),
             Contains("overflows") &&
                 Contains("tree, chunked-tree:64, sequential, double-double, stochastic"));
  const Json large = digits_of({largest, largest});
  CHECK(large.at("exact") == "inf");
  CHECK(row_of(large, "binned:3").at("digits").is_null());
  CHECK_THAT(large.at("notes").at(0).get<std::string>(), Contains("too large for float64"));
}

TEST_CASE("digits explains elements that are not finite") {
  const Json infinite = digits_of({1, infinity, 2});
  CHECK(infinite.at("exact") == "inf");
  CHECK(infinite.at("condition").is_null());
  for (const Json& row : infinite.at("rows")) {
    CHECK(row.at("sum") == "inf");
    CHECK(row.at("digits").is_null());
    CHECK(row.at("estimated_digits").is_null());
  }
  CHECK_THAT(infinite.at("notes").at(0).get<std::string>(),
             Contains("x.f64: element 1, at byte 8, is inf in float64: every sum is an infinity"));
  const Json none = digits_of({1, infinity, -infinity});
  CHECK(none.at("exact") == "nan");
  CHECK_THAT(none.at("notes").at(0).get<std::string>(), Contains("every sum is a NaN"));
  // A float64 that no float32 can hold.
  const Json narrow = digits_of({1, 1e300}, {"--type", "float32"});
  CHECK(narrow.at("exact") == "inf");
  CHECK_THAT(narrow.at("notes").at(0).get<std::string>(), Contains("is inf in float32"));
}

TEST_CASE("digits of float32 are those of 24 bits") {
  const Json all = digits_of({1, 0x1p-24, 0x1p-24}, {"--type", "float32"});
  CHECK(all.at("type") == "float32");
  CHECK(all.at("exact") == "0x1.000002p+0");
  const Json tree = row_of(all, "tree");
  CHECK(tree.at("sum") == "0x1p+0");
  CHECK(tree.at("ulps") == 1);
  CHECK(tree.at("digits").get<double>() == Approx(23 * std::log10(2)));
  CHECK(row_of(all, "binned:3").at("digits").get<double>() == Approx(24 * std::log10(2)));
}

TEST_CASE("digits takes orders, explicit ones included, and algorithms") {
  const std::vector<double> elements{1e16, 1, -1e16, 1};
  const Json all =
      digits_of(elements, {"--order", "explicit:0:1:1,sequential", "--algorithm", "binned:4"});
  REQUIRE(all.at("rows").size() == 3);
  CHECK(all.at("rows")[0].at("order") == "explicit:0:1:1");
  CHECK(all.at("rows")[1].at("sum") == "0x1p+0");
  CHECK(all.at("rows")[2].at("algorithm") == "binned:4");
  CHECK(all.at("rows")[2].at("sum") == "0x1p+1");
}

TEST_CASE("digits refuses bad input") {
  check_refused({"digits"}, "a file of elements, or --synthetic N with N >= 1, must be given");
  check_refused({"digits", "--synthetic", "0"}, "--synthetic must be at least 1, not 0");
  check_refused({"digits", "/nonexistent/x.f64"}, "/nonexistent/x.f64");
  const Words base{"digits", "--synthetic", "9"};
  check_refused(base + Words{"--algorithm", "trees"}, "unknown algorithm 'trees'");
  check_refused(base + Words{"--algorithm", "tree,tree"}, "tree");
  check_refused(base + Words{"--order", "tree", "--algorithm", "tree"}, "given twice");
  check_refused(base + Words{"--order", "associative"}, "depend on the bracketing");
  check_refused(base + Words{"--order", "explicit:0"}, "explicit");
  check_refused(base + Words{"--type", "int32"}, "float64 and float32");
  check_refused(base + Words{"--type", "float16"}, "float16");
  check_refused({"digits", "--synthetic", "9e17"}, "no memory for 900000000000000000 elements");
}

}  // namespace digits_command_test
