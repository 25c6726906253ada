// SPDX-License-Identifier: MIT

#include "tools/cli.hpp"

namespace count_command_test {

using namespace bracket::testing;
using Catch::Approx;
using Catch::Contains;

namespace {

const Words thesis{"-N", "504850", "-p", "256"};

}  // namespace

TEST_CASE("count gives the thesis's figures") {
  const Words all{"--distribution", "lower,upper,power2,optimized:0.2"};
  const auto rows = rows_of(cli(Words{"count", "--json"} + thesis + all));
  REQUIRE(rows.size() == 4);
  const struct {
    const char* distribution;
    int messages;
    const char* microseconds;
  } expected[] = {{"lower", 1640, "469.0"},
                  {"upper", 1401, "401.9"},
                  {"power2", 256, "1083.4"},
                  {"optimized:0.2", 557, "165.1"}};
  const auto text = cli(Words{"count"} + thesis + all);
  REQUIRE(text.code == 0);
  std::istringstream lines(text.out);
  std::string line;
  std::getline(lines, line);
  CHECK_THAT(line, Contains("t_send 281 ns"));
  std::getline(lines, line);
  CHECK_THAT(line, Contains("distribution") && Contains("messages") && Contains("score [us]"));
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(rows[i].at("distribution") == expected[i].distribution);
    CHECK(rows[i].at("messages") == expected[i].messages);
    CHECK(rows[i].at("score_seconds").get<double>() * 1e6 ==
          Approx(std::stod(expected[i].microseconds)).margin(0.05));
    std::getline(lines, line);
    CHECK_THAT(line,
               Catch::StartsWith(expected[i].distribution) &&
                   Contains(std::string(" ").append(std::to_string(expected[i].messages)) + " ") &&
                   Catch::EndsWith(std::string(" ") + expected[i].microseconds));
  }
  CHECK_FALSE(std::getline(lines, line));
}

TEST_CASE("count weighs messages and additions as told") {
  // 10 elements on 2 ranks: rank 1 holds [5,10) and sends [5,6), [6,8), [8,10).
  const Words size{"count", "--json", "-N", "10", "-p", "2"};
  const auto rows = rows_of(cli(size + Words{"--t-send", "2", "--t-add", "0.125"}));
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].at("messages") == 3);
  CHECK(rows[0].at("largest_share") == 5);
  CHECK(rows[0].at("score_seconds") == 3 * 2 + 5 * 0.125);
}

TEST_CASE("count goes by the order") {
  // 10 elements on 2 ranks, from left to right: rank 1 sends its run of five to rank 0.
  const Words size{"count", "--json", "-N", "10", "-p", "2", "--t-send", "2", "--t-add", "0.125"};
  const auto sequential = rows_of(cli(size + Words{"--order", "sequential"}));
  REQUIRE(sequential.size() == 1);
  CHECK(sequential[0].at("messages") == 1);
  CHECK(sequential[0].at("score_seconds") == 1 * 2 + 5 * 0.125);
  // Without a bracketing there are no nodes that span two ranks.
  const auto associative = rows_of(cli(size + Words{"--order", "associative"}));
  REQUIRE(associative.size() == 1);
  CHECK_FALSE(associative[0].contains("messages"));
  CHECK_FALSE(associative[0].contains("score_seconds"));
  CHECK(associative[0].at("largest_share") == 5);
}

TEST_CASE("count tells what each plan leaves of the messages") {
  const Words plans{"--plan", "direct,buffered:1:1", "--plan", "aggregated:4"};
  const auto rows = rows_of(cli(Words{"count", "--json"} + thesis + plans));
  REQUIRE(rows.size() == 3);
  for (const auto& row : rows) CHECK(row.at("direct_messages") == 1401);
  CHECK(rows[0].at("plan") == "direct");
  CHECK(rows[0].at("messages") == 1401);
  CHECK(rows[1].at("plan") == "buffered:1:1");
  CHECK(rows[1].at("messages") == 1401);
  CHECK(rows[2].at("plan") == "aggregated:4");
  CHECK(rows[2].at("messages") == 255);
  check_refused(Words{"count"} + thesis + Words{"--root", "1"}, "--root requires --plan");
  check_refused(Words{"count"} + thesis + Words{"--all"}, "--all requires --plan");
}

TEST_CASE("count, verify and compare know what vectors cost") {
  const Words size{"-N", "8", "-p", "8", "--items", "1000", "--all"};
  const auto halved = rows_of(cli(Words{"count", "--json", "--plan", "butterfly:1"} + size));
  REQUIRE(halved.size() == 1);
  CHECK(halved[0].at("messages") == 2 * 3 * 8);
  CHECK(halved[0].at("items") == 1000);
  CHECK(halved[0].at("collective") == "all-reduce");
  const auto scored = rows_of(cli(Words{"count", "--json", "--plan", "direct", "--t-send", "0",
                                        "--t-add", "1", "-N", "8", "-p", "8", "--items", "1000"}));
  CHECK(scored[0].at("score_seconds") == 1000.0);
  CHECK(scored[0].at("root") == 0);
  const auto verified = rows_of(cli(Words{"verify", "--json", "--plan", "butterfly:1"} + size));
  CHECK(verified[0].at("largest_message") == 500);
  CHECK(verified[0].at("items") == 1000);
  CHECK(verified[0].at("collective") == "all-reduce");
  const Words machine{"--latency", "1",       "--overhead", "0",      "--gap",
                      "1",         "--t-add", "0.000001",   "--plan", "butterfly:1"};
  const auto predicted = rows_of(
      cli(Words{"compare", "--predict", "--json", "--distribution", "lower"} + machine + size));
  REQUIRE(predicted.size() == 1);
  // Six rounds, and 1000 (1 - 1/8) additions on each rank.
  CHECK(predicted[0].at("loggp_seconds").get<double>() == Approx(6 + 875e-6).epsilon(1e-6));
  CHECK(predicted[0].at("items") == 1000);
  check_refused(Words{"count"} + thesis + Words{"--items", "2"}, "--items requires --plan");
}

TEST_CASE("count takes explicit counts, empty ranks and more ranks than elements") {
  const Words size{"count", "--json", "-N", "8", "-p", "3"};
  auto rows = rows_of(cli(size + Words{"--distribution", "counts:0:8:0"}));
  CHECK(rows.at(0).at("messages") == 0);
  CHECK(rows.at(0).at("largest_share") == 8);
  // The last three of 7 ranks hold one element each.
  rows = rows_of(
      cli({"count", "--json", "-N", "3", "-p", "7", "--plan", "aggregated", "--root", "4"}));
  CHECK(rows.at(0).at("largest_share") == 1);
  CHECK(rows.at(0).at("direct_messages") == 2);
  CHECK(rows.at(0).at("messages") == 2);
}

TEST_CASE("count reaches the largest sizes") {
  const auto most = rows_of(cli({"count", "--json", "-N", "9223372036854775807", "-p", "2"}));
  // Rank 1 holds [2^62 - 1, 2^63 - 1): a message for every zero bit of 2^62 - 2 from 0 to 62.
  CHECK(most.at(0).at("largest_share") == 4611686018427387904);
  CHECK(most.at(0).at("messages") == 2);
  Setting setting;
  setting.limit = std::chrono::seconds(5);
  const auto many = rows_of(cli(
      {"count", "--json", "-N", "16000001", "-p", "1000000", "--distribution", "lower"}, setting));
  CHECK(many.at(0).at("messages") == 999999 * 5);  // N = 2^4 p + 1
}

}  // namespace count_command_test
