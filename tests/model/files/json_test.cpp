// SPDX-License-Identifier: MIT

#include "bracket/model/json.hpp"

#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "bracket/model/plan.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/file.hpp"
#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"
#include "support/scratch.hpp"

namespace json_test {

using namespace bracket;
using Catch::Contains;
using Json = nlohmann::ordered_json;

namespace {

Schedule example() {
  return make_schedule(make_order("tree", 9), make_distribution("lower", 9, 3),
                       *make_plan("buffered"), Delivery::to_all());
}

/// The example's JSON with one member changed.
template <class Change>
std::string refusal(Change change) {
  Json json = to_json(example());
  change(json);
  try {
    schedule_from_json(json);
  } catch (const Error& failure) {
    return failure.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("a schedule comes back from its JSON as it was") {
  testing::property("schedule, JSON, text and back", [] {
    const auto distribution = *testing::any_distribution(500, 12);
    const auto plan =
        *rc::gen::element<std::string>("direct", "buffered", "aggregated", "gather", "butterfly:1");
    const auto order = *rc::gen::element<std::string>("tree", "chunked-tree:3", "sequential");
    const auto schedule =
        make_schedule(make_order(order, distribution.elements()), distribution, *make_plan(plan),
                      *testing::any_delivery(), *rc::gen::element<Index>(1, 10));
    const auto back = schedule_from_json(Json::parse(to_json(schedule).dump()));
    RC_ASSERT(back == schedule);
    RC_ASSERT(digest(back) == digest(schedule));
  });
}

TEST_CASE("a distribution comes back from its JSON as it was") {
  testing::property("distribution, JSON, text and back", [] {
    const auto distribution = *testing::any_distribution(Index{1} << 60, 12);
    RC_ASSERT(distribution_from_json(Json::parse(to_json(distribution).dump())) == distribution);
  });
}

TEST_CASE("the rank order is written where it is not the identity, and a bad one is refused") {
  const auto plain = make_distribution("lower", 9, 3);
  const auto turned = plain.with_rank_order({2, 0, 1});
  CHECK_FALSE(to_json(plain).contains("rank_order"));
  CHECK_FALSE(to_json(example()).contains("rank_order"));
  CHECK(to_json(turned).at("rank_order") == Json{2, 0, 1});
  Json json = to_json(Distribution::from_counts(std::vector<Index>{5, 0, 4}));
  json["rank_order"] = Json{1, 0, 2};
  const auto read = distribution_from_json(json);
  CHECK(read.range(1) == Range{0, 5});
  CHECK(read.range(2) == Range{5, 9});
  json["rank_order"] = Json{0, 1, 2};
  CHECK(distribution_from_json(json).rank_order().empty());

  const auto schedule =
      make_schedule(make_order("tree", 9), turned, *make_plan("buffered"), Delivery::to_all());
  CHECK(to_json(schedule).at("rank_order") == Json{2, 0, 1});
  CHECK(schedule_from_json(to_json(schedule)) == schedule);

  for (const auto& [bad, what] : std::vector<std::pair<Json, std::string>>{
           {Json{0, 1}, "not 2 ranks"},
           {Json{0, 1, 1}, "rank 1 at positions 1 and 2"},
           {Json{0, 1, 3}, "not rank 3"},
           {Json{0, -1, 2}, "at position 1: an integer"},
           {Json{0, 1.5, 2}, "at position 1: an integer"},
           {Json{0, 1, 4294967296}, "at position 2: an integer"},
           {Json(5), "an array was expected"}}) {
    CAPTURE(bad);
    json["rank_order"] = bad;
    CHECK_THROWS_WITH(distribution_from_json(json), Contains("\"rank_order\"") && Contains(what));
    const auto refused =
        refusal([&, &wrong = bad](Json& changed) { changed["rank_order"] = wrong; });
    CHECK_THAT(refused, Contains("\"rank_order\"") && Contains(what));
  }
}

TEST_CASE("JSON that is no schedule is refused, naming the place") {
  CHECK_THAT(refusal([](Json& json) { json = 5; }), Contains("an object was expected"));
  CHECK_THAT(refusal([](Json& json) { json["format"] = "recipe"; }), Contains("\"recipe\""));
  CHECK_THAT(refusal([](Json& json) { json["version"] = 2; }), Contains("\"version\""));
  CHECK_THAT(refusal([](Json& json) { json.erase("parts"); }), Contains("\"parts\" is missing"));
  CHECK_THAT(refusal([](Json& json) { json["elements"] = 8; }), Contains("last boundary"));
  CHECK_THAT(refusal([](Json& json) { json["ranks"] = 8; }), Contains("\"ranks\""));
  CHECK_THAT(refusal([](Json& json) { json["boundaries"][1] = 99; }), Contains("not decrease"));
  CHECK_THAT(refusal([](Json& json) { json["boundaries"][1] = "3"; }), Contains("integer"));
  CHECK_THAT(refusal([](Json& json) { json["boundaries"][1] = 1.5; }), Contains("integer"));
  CHECK_THAT(refusal([](Json& json) { json["boundaries"][3] = 18446744073709551615u; }),
             Contains("integer"));
  CHECK_THAT(refusal([](Json& json) { json["root"] = -1; }), Contains("\"root\""));
  CHECK_THAT(refusal([](Json& json) { json["collective"] = "gossip"; }), Contains("gossip"));
  CHECK_THAT(refusal([](Json& json) {
               json["parts"][1][0] = Json{{"guess", 3}};
             }),
             Contains("rank 1, step 0"));
  CHECK_THAT(refusal([](Json& json) {
               json["parts"][1][0] = Json{{"fold", {1, 2, 3}}};
             }),
             Contains("rank 1, step 0"));
  CHECK_THAT(refusal([](Json& json) {
               json["parts"][1][0] = Json{{"send", 0}, {"partials", {{{"run", {3, 4}}}}}};
             }),
             Contains("at least two elements"));
  CHECK_THAT(refusal([](Json& json) { json["items"] = 0; }), Contains("\"items\""));
  CHECK_THAT(refusal([](Json& json) { json["items"] = std::numeric_limits<Index>::max(); }),
             Contains("more numbers than"));
  CHECK_THAT(refusal([](Json& json) {
               json["parts"][1][0] = Json{{"fold", {3, 4}}, {"send", 1}};
             }),
             Contains("rank 1, step 0: \"send\" has no place in"));
  CHECK_THAT(refusal([](Json& json) {
               json["parts"][1][0] = Json{{"fold", {{"value", {3, 4}}, {"item", {0, 1}}}}};
             }),
             Contains("\"item\" has no place in"));
  CHECK_THAT(refusal([](Json& json) {
               json["parts"][1][0] =
                   Json{{"send", 0}, {"partials", {{{"run", {3, 5}}, {"value", {3, 5}}}}}};
             }),
             Contains("\"value\" has no place in"));
  CHECK_THAT(refusal([](Json& json) {
               json["parts"][1][0] = Json{{"fold", {{"value", {3, 4}}, {"items", {0, 2}}}}};
             }),
             Contains("rank 1, step 0: items [0,2)"));
  CHECK_THAT(refusal([](Json& json) {
               json["parts"][1][0] = Json{{"join", {{1, 2}}}};
             }),
             Contains("two operands"));
  CHECK_THAT(refusal([](Json& json) {
               json["parts"][1][0] = Json{{"send", 0}};
             }),
             Contains("\"partials\" is missing"));
}

TEST_CASE("a key that no form has is refused, not taken for one that is missing") {
  CHECK_THAT(refusal([](Json& json) {
               json["rank_ordr"] = Json{2, 1, 0};
             }),
             Contains("bracket-schedule: \"rank_ordr\" has no place in"));
  CHECK_THAT(refusal([](Json& json) { json["digest"] = 5; }),
             Contains("\"digest\": a string was expected, not 5"));
  Json json = to_json(make_distribution("lower", 9, 3));
  json["rank_ordr"] = Json{2, 1, 0};
  CHECK_THROWS_WITH(distribution_from_json(json),
                    Contains("bracket-distribution: \"rank_ordr\" has no place in"));
}

TEST_CASE("files that are no JSON, not there or for another problem are refused by name") {
  const testing::Scratch scratch;
  const auto path = scratch.path() / "d.json";
  support::write_file(path, "{\"format\": ");
  CHECK_THROWS_WITH(read_json(path),
                    Contains("d.json: not JSON at byte 11 of 11: the text is cut off there"));
  support::write_file(path, "{\"format\" 1}");
  CHECK_THROWS_WITH(read_json(path), Catch::EndsWith("d.json: not JSON at byte 11 of 12"));
  support::write_file(path, std::string("{}\0garbage", 10));
  CHECK_THROWS_WITH(read_json(path),
                    Contains("d.json: not JSON at byte 2 of 10: a zero byte is no JSON"));
  support::write_file(path, R"({"elements": 1e400})");
  CHECK_THROWS_WITH(read_json(path), Contains("d.json: a number in it is too large"));
  support::write_file(path, "");
  CHECK_THROWS_WITH(read_json(path), Contains("d.json: not JSON"));
  CHECK_THROWS_WITH(read_json(scratch.path()), Contains("is a directory"));
  CHECK_THROWS_WITH(read_json(scratch.path() / "none.json"), Contains("No such file"));
  support::write_file(path, to_json(lower_distribution(10, 2)).dump());
  CHECK(make_or_read_distribution(path, 10, 2) == lower_distribution(10, 2));
  CHECK_THROWS_WITH(make_or_read_distribution(path, 11, 2), Contains("for N = 10 and p = 2"));
  CHECK_THROWS_WITH(make_or_read_distribution(path, 10, 3), Contains("d.json"));
  CHECK(make_or_read_distribution("lower", 10, 2) == lower_distribution(10, 2));
  Json wrong = to_json(lower_distribution(10, 2));
  wrong["elements"] = 12;
  support::write_file(path, wrong.dump());
  CHECK_THROWS_WITH(make_or_read_distribution(path, 12, 2), Contains("the counts give 10"));
}

TEST_CASE("JSON nested too deeply is refused wherever it stands") {
  const auto nested = [](std::size_t levels) {
    return std::string(levels, '[') + std::string(levels, ']');
  };
  CHECK(parse_json(nested(64), "here").is_array());
  CHECK_THROWS_WITH(parse_json(nested(65), "here"),
                    "here: nested deeper than 64 levels: no valid file is");
  std::string objects;
  for (int i = 0; i < 65; ++i) objects += R"({"a":)";
  CHECK_THROWS_WITH(parse_json(objects, "here"), Contains("nested deeper than 64"));
  // The length makes no difference, with or without closing brackets.
  const std::string deep(200'000, '[');
  CHECK_THROWS_WITH(parse_json(deep, "here"), Contains("nested deeper than 64"));
  const testing::Scratch scratch;
  const auto path = scratch.path() / "deep.json";
  support::write_file(path, "{\"format\": " + nested(60'000) + "}");
  CHECK_THROWS_WITH(read_schedule(path), Contains("deep.json: nested deeper than 64"));
  CHECK_THROWS_WITH(make_or_read_distribution(path, 10, 2), Contains("deep.json: nested"));
}

TEST_CASE("an error shows the beginning of what was wrong") {
  Json json = to_json(lower_distribution(10, 2));
  json["elements"] = Json::array();
  for (int i = 0; i < 1000; ++i) json["elements"].push_back(i);
  CHECK_THROWS_WITH(distribution_from_json(json),
                    Contains("was expected, not [0,1,2,3,4,5,6,7,8,9,10") && Contains(" ..."));
  json["elements"] = Json{{"a", {1, "\xff"}}, {"b", nullptr}};
  CHECK_THROWS_WITH(distribution_from_json(json), Contains(R"(not {"a":[1,"\ufffd"],"b":null})"));
  json["elements"] = std::string(100, 'x');
  CHECK_THROWS_WITH(distribution_from_json(json),
                    Contains("not \"" + std::string(59, 'x') + " ..."));
}

TEST_CASE("a file is replaced whole or not at all") {
  const testing::Scratch scratch;
  const auto path = scratch.path() / "out.txt";
  support::write_file(path, "first");
  support::write_file(path, "second");
  CHECK(support::read_file(path) == "second");
  CHECK_THROWS_WITH(support::write_file(scratch.path() / "no" / "out.txt", "x"),
                    Contains("cannot be written"));
  CHECK_THROWS_WITH(support::write_file(scratch.path(), "x"), Contains("is a directory"));
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(scratch.path())) {
    (void)entry;
    ++files;
  }
  CHECK(files == 1);  // no temporary left behind
}

}  // namespace json_test
