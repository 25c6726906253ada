// SPDX-License-Identifier: MIT

#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "tools/cli.hpp"

namespace verify_command_test {

using namespace bracket::testing;
using bracket::text;
using Catch::Contains;

namespace {

/// The schedule that all tests here break: 9 elements on 3 ranks, one message for each outbound
/// root: [3,4) from rank 1, [6,8) from rank 2 to rank 1, [4,8) from rank 1, [8,9) from rank 2.
Json example(const Scratch& scratch) {
  const auto file = (scratch.path() / "s.json").string();
  REQUIRE(cli({"verify", "-N", "9", "-p", "3", "--plan", "direct", "-o", file}).code == 0);
  return Json::parse(content_of(file));
}

/// Position of rank `rank`'s first step of `kind`.
std::size_t find_step(const Json& schedule, std::size_t rank, const char* kind) {
  const auto& steps = schedule.at("parts").at(rank);
  std::size_t i = 0;
  while (!steps.at(i).contains(kind)) ++i;
  return i;
}

std::string place(std::size_t rank, std::size_t step) {
  return "rank " + std::to_string(rank) + ", step " + std::to_string(step);
}

}  // namespace

TEST_CASE("verify proves a schedule that it is asked for, and the file of one") {
  const Scratch scratch;
  const auto file = (scratch.path() / "a schedule.json").string();
  const Words asked{"verify", "-N", "1000", "-p", "7", "--plan", "direct", "-o", file};
  const auto text = cli(asked);
  CHECK(text.code == 0);
  const auto count = rows_of(cli({"count", "--json", "-N", "1000", "-p", "7"}));
  const auto messages = count.at(0).at("messages").get<int>();
  CHECK_THAT(text.out, Contains("is right") && Contains("1000 elements on 7 ranks") &&
                           Contains(std::to_string(messages) + " messages"));
  const auto rows = rows_of(cli({"verify", file, "--json"}));
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].at("ok") == true);
  CHECK(rows[0].at("messages") == messages);
  CHECK(rows[0].at("plan") == "direct");
  CHECK(rows[0].at("violations").empty());
  CHECK_THAT(text.out, Contains("digest " + rows[0].at("digest").get<std::string>()));
  CHECK(cli({"verify", file}).out == text.out);
  CHECK(names_in(scratch.path()) == Words{"a schedule.json"});
}

TEST_CASE("verify says that a file was edited since it was written") {
  const Scratch scratch;
  Json schedule = example(scratch);
  const auto file = (scratch.path() / "s.json").string();
  CHECK(cli({"verify", file}).err == "");
  CHECK(rows_of(cli({"verify", "--json", file})).at(0).at("digest_matches") == true);
  schedule["plan"] = "by hand";
  make_file(file, schedule.dump());
  const auto text = cli({"verify", file});
  CHECK(text.code == 0);
  CHECK_THAT(text.err, Contains(file) && Contains("another schedule's"));
  CHECK(rows_of(cli({"verify", "--json", file})).at(0).at("digest_matches") == false);
  schedule["digest"] = 5;
  make_file(file, schedule.dump());
  check_refused({"verify", file}, "s.json: \"digest\": a string was expected, not 5");
  schedule.erase("digest");
  make_file(file, schedule.dump());
  const auto without = cli({"verify", "--json", file});
  CHECK_THAT(without.err, Contains(file + ": it has no digest"));
  CHECK_FALSE(rows_of(without).at(0).contains("digest_matches"));
}

TEST_CASE("a schedule that cannot be written is not called right") {
  check_refused({"verify", "-N", "9", "-p", "2", "-o", "/nonexistent/x"},
                "/nonexistent/x: cannot be written");
}

TEST_CASE("a message of more numbers than can be counted is refused") {
  const Scratch scratch;
  Json schedule = example(scratch);
  const auto file = (scratch.path() / "s.json").string();
  constexpr std::int64_t huge = std::int64_t{1} << 62;
  const Json run{{"run", {0, huge}}};
  schedule["parts"][1] = Json{{{"send", 0}, {"partials", {run, run, run, run}}}};
  make_file(file, schedule.dump());
  check_refused({"verify", file},
                "s.json: rank 1, step 0: a send of more than 9223372036854775807 numbers");
}

TEST_CASE("verify counts in the singular too") {
  const auto text = cli({"verify", "-N", "2", "-p", "2"});
  CHECK_THAT(text.out,
             Contains("2 elements on 2 ranks by") && Contains("1 message of up to 1 value"));
}

TEST_CASE("verify takes every plan and delivery") {
  for (const auto* plan : {"direct", "buffered", "buffered:1:1", "aggregated", "aggregated:5"}) {
    for (const Words& delivery : {Words{}, Words{"--root", "4"}, Words{"--all"}}) {
      CAPTURE(plan, delivery);
      const auto rows = rows_of(
          cli(Words{"verify", "--json", "-N", "100", "-p", "5", "--plan", plan} + delivery));
      CHECK(rows.at(0).at("ok") == true);
    }
  }
}

TEST_CASE("a schedule broken by hand is refused with its rank and step") {
  const Scratch scratch;
  const Json schedule = example(scratch);
  const auto refused = [&](const Json& broken, const std::string& where) {
    const auto file = make_file(scratch.path() / "broken.json", broken.dump());
    const auto text = cli({"verify", file});
    CHECK(text.code == 2);
    CHECK(text.out == "");
    CHECK_THAT(text.err, Contains("broken.json: the schedule is refused") && Contains(where));
    const auto json = cli({"verify", file, "--json"});
    CHECK(json.code == 2);
    const auto row = Json::parse(json.out);
    CHECK(row.at("ok") == false);
    CHECK_FALSE(row.at("violations").empty());
#if BRACKET_HAS_SIMGRID
    const auto simulated = cli({"simulate", "--schedule", file});
    CHECK(simulated.code == 2);
    CHECK(simulated.out == "");
#endif
  };

  SECTION("a lost message") {
    Json broken = schedule;
    broken["parts"][1].erase(find_step(schedule, 1, "send"));
    refused(broken, place(0, find_step(schedule, 0, "recv")));
  }
  SECTION("swapped operands") {
    Json broken = schedule;
    const auto at = find_step(schedule, 0, "join");
    auto& operands = broken["parts"][0][at]["join"];
    std::swap(operands[0], operands[1]);
    refused(broken, place(0, at));
  }
  SECTION("a fold of foreign elements") {
    Json broken = schedule;
    const auto at = find_step(schedule, 2, "fold");
    broken["parts"][2][at]["fold"] = {3, 4};
    refused(broken, place(2, at));
  }
  SECTION("a cycle") {
    // Rank 1 waits for rank 2's [6,8) before it sends; now rank 2 first waits for [4,8).
    Json broken = schedule;
    const Json wait{{"recv", 1}, {"partials", Json::array({Json::array({4, 8})})}};
    broken["parts"][2].insert(broken["parts"][2].begin(), wait);
    for (auto& step : broken["parts"][1]) {
      if (step.contains("send") && step["partials"] == wait["partials"]) step["send"] = 2;
    }
    refused(broken, place(2, 0));
  }
  SECTION("a message to a rank that does not exist") {
    Json broken = schedule;
    const auto at = find_step(schedule, 1, "send");
    broken["parts"][1][at]["send"] = 99;
    refused(broken, place(1, at));
  }
  SECTION("a root that does not exist") {
    Json broken = schedule;
    broken["root"] = 3;
    refused(broken, "rank 3");
  }
  SECTION("another version of the order") {
    Json broken = schedule;
    broken["order_version"] = 99;
    refused(broken, "version 99");
  }
}

TEST_CASE("a schedule of an order that is none is refused with the file's name") {
  const Scratch scratch;
  Json schedule = example(scratch);
  for (const auto& [order, what] :
       {std::pair("oak", "s.json: unknown order 'oak'; known: "),
        std::pair("chunked-tree:\x1b[31m", "s.json: 'chunked-tree:\\x1b[31m': ")}) {
    schedule["order"] = order;
    const auto outcome = cli({"verify", make_file(scratch.path() / "s.json", schedule.dump())});
    CHECK(outcome.code == 2);
    CHECK(outcome.out == "");
    CHECK_THAT(outcome.err, Contains(what));
  }
}

TEST_CASE("a refused schedule is not written") {
  const Scratch scratch;
  Json schedule = example(scratch);
  schedule["parts"][0].clear();
  const auto file = make_file(scratch.path() / "s.json", schedule.dump());
  const auto copy = (scratch.path() / "copy.json").string();
  CHECK(cli({"verify", file, "-o", copy}).code == 2);
  CHECK(names_in(scratch.path()) == Words{"s.json"});
}

TEST_CASE("what is no schedule is refused by its name") {
  const Scratch scratch;
  const auto at = [&](const char* name) { return (scratch.path() / name).string(); };
  check_refused({"verify", make_file(at("empty.json"), "")}, "empty.json: not JSON");
  check_refused({"verify", make_file(at("half.json"), "{\"format\":")}, "half.json: not JSON");
  check_refused({"verify", make_file(at("deep.json"), std::string(100000, '['))}, "deep.json");
  check_refused({"verify", make_file(at("list.json"), "[]")}, "an object was expected");
  std::string objects = "[{}";
  std::string keys = "{\"0\":0";
  for (int i = 1; i < 300'000; ++i) {
    objects += ",{}";
    keys += text(",\"", i, "\":0");
  }
  check_refused({"verify", make_file(at("objects.json"), objects + "]")}, "an object was expected");
  check_refused({"verify", make_file(at("keys.json"), keys + "}")},
                "keys.json: an object has more");
  check_refused({"verify", at("none.json")}, "No such file");
  check_refused({"verify", scratch.path().string()}, "is a directory");
  check_refused({"verify"}, "a schedule file, -N and -p, or --plan-file");
  check_refused({"verify", "-N", "9"}, "a schedule file, -N and -p, or --plan-file");
  check_refused({"verify", "-N", "9", "-p", "3", "--plan", "direct,buffered"}, "one plan");
  check_refused({"verify", "-N", "9", "-p", "3", "--root", "3"}, "root 3");

  example(scratch);
  for (const Words& too_much :
       {Words{"-N", "9"}, Words{"-p", "3"}, Words{"--plan", "direct"},
        Words{"--distribution", "upper"}, Words{"--order", "tree"},
        Words{"--rank-order", "reversed"}, Words{"--root", "0"}, Words{"--all"}}) {
    check_refused(Words{"verify", at("s.json")} + too_much, "excludes");
  }
}

}  // namespace verify_command_test
