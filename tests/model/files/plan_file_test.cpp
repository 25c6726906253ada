// SPDX-License-Identifier: MIT

#include "bracket/model/plan_file.hpp"

#include <fstream>
#include <nlohmann/json.hpp>

#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"
#include "support/scratch.hpp"

namespace plan_file_test {

using namespace bracket;
using Catch::Contains;
using Json = nlohmann::ordered_json;
using testing::property;

namespace {

const NamedMachine machine{"a", "b", {1, 2, 3, 4, 5, 8, 6, 7}};

TunedPlan by_name(Index from, Index to) {
  return {from, to, "tree", 1, "aggregated:8", "upper", {}, {{"score", 0.5}, {"loggp", 0.25}}};
}

/// Plan file for 3 ranks: distributions by name for 9 to 12 elements, by counts for 20.
PlanFile example() {
  PlanFile file;
  file.objective = "score";
  file.ranks = 3;
  file.delivery = Delivery::to(1);
  file.machine = machine;
  file.budget = 100;
  file.seed = 7;
  file.plans = {by_name(9, 12), by_name(20, 20)};
  file.plans[1].order = "chunked-tree:4";
  file.plans[1].distribution = "";
  file.plans[1].held =
      Distribution::from_counts(std::vector<Index>{4, 0, 16}).with_rank_order({2, 0, 1});
  return file;
}

std::string refusal(const Json& json) {
  try {
    plan_file_from_json(json);
  } catch (const Error& failure) {
    return failure.what();
  }
  return "accepted";
}

/// `example` with `value` at `pointer`, or with a key removed.
Json changed(const char* pointer, const Json& value) {
  Json json = to_json(example());
  json[Json::json_pointer(pointer)] = value;
  return json;
}
Json without(const std::string& parent, const std::string& key) {
  Json json = to_json(example());
  json[Json::json_pointer(parent)].erase(key);
  return json;
}

rc::Gen<PlanFile> any_plan_file() {
  return rc::gen::exec([] {
    PlanFile file = example();
    const auto distribution = *testing::any_distribution(50, 6);
    file.ranks = distribution.ranks();
    file.delivery = *testing::any_delivery(*rc::gen::inRange<Rank>(0, file.ranks));
    file.items = *rc::gen::inRange<Index>(1, 4);
    if (*rc::gen::arbitrary<bool>()) {
      file.operation = make_operation(
          *rc::gen::element<std::string>("double-double", "float32", "product/complex64"));
    }
    file.objective = *rc::gen::element<std::string>("score", "loggp", "loggops", "simgrid");
    file.budget = *rc::gen::inRange<Index>(0, 1000);
    file.seed = std::abs(*rc::gen::arbitrary<Index>() / 2);
    file.plans.clear();
    Index from = 0;
    for (int left = *rc::gen::inRange(1, 5); left > 0; --left) {
      from += *rc::gen::inRange<Index>(1, 20);
      TunedPlan plan = by_name(from, from + *rc::gen::inRange<Index>(0, 20));
      const bool plain = !file.operation || file.operation->plain();
      plan.order =
          plain ? *rc::gen::element<std::string>("tree", "chunked-tree:3", "sequential") : "tree";
      plan.plan = *rc::gen::element<std::string>("aggregated:2", "binomial");
      plan.distribution = *rc::gen::element<std::string>("upper", "optimized:0.25");
      plan.predicted = {{file.objective, *rc::gen::inRange(0, 1000) / 7.0}};
      from = plan.to;
      file.plans.push_back(plan);
    }
    if (*rc::gen::arbitrary<bool>()) {
      TunedPlan plan = file.plans.back();
      plan.from = plan.to = distribution.elements();
      plan.distribution = "";
      plan.held = distribution;
      std::erase_if(file.plans, [&](const TunedPlan& other) { return other.to >= plan.from; });
      file.plans.push_back(plan);
    }
    return file;
  });
}

}  // namespace

TEST_CASE("a plan file as JSON and back") {
  property("all of it comes back", [] {
    const PlanFile file = *any_plan_file();
    const auto back = plan_file_from_json(Json::parse(to_json(file).dump()));
    RC_ASSERT(back.made_by == file.made_by);
    RC_ASSERT(back.objective == file.objective);
    RC_ASSERT(back.ranks == file.ranks);
    RC_ASSERT(back.delivery == file.delivery);
    RC_ASSERT(back.items == file.items);
    RC_ASSERT(back.operation == file.operation);
    RC_ASSERT(to_json(back.machine) == to_json(machine));
    RC_ASSERT(back.budget == file.budget);
    RC_ASSERT(back.seed == file.seed);
    RC_ASSERT(back.plans == file.plans);
  });
}

TEST_CASE("a plan file is for its numbers of elements and ranks") {
  const PlanFile file = example();
  for (const Index elements : {9, 10, 12}) {
    CHECK(file.plan_for(elements, 3) == file.plans[0]);
    CHECK(file.reduction(elements, 3) == ScheduleHeader{"tree", 1, "aggregated:8",
                                                        upper_distribution(elements, 3),
                                                        Delivery::to(1), 1});
  }
  CHECK(file.plan_for(20, 3) == file.plans[1]);
  CHECK(file.reduction(20, 3).distribution == *file.plans[1].held);
  CHECK(file.reduction(20, 3).order == "chunked-tree:4");
  for (const Index elements : {0, 8, 13, 19, 21}) {
    CHECK_THROWS_WITH(file.plan_for(elements, 3),
                      Contains(text("for N = 9 to 12, 20, not for N = ", elements)));
  }
  for (const Rank ranks : {1, 2, 4}) {
    CHECK_THROWS_WITH(file.reduction(9, ranks), Contains(text("for p = 3, not for p = ", ranks)));
  }
  CHECK_FALSE(file.only_elements());
  PlanFile one = file;
  one.plans = {file.plans[1]};
  CHECK(one.only_elements() == 20);
  one.plans = {file.plans[0]};
  CHECK_FALSE(one.only_elements());
}

TEST_CASE("a plan file for many ranks is read at once, and made a distribution of when asked") {
  PlanFile file = example();
  file.ranks = std::numeric_limits<Rank>::max();
  file.plans = {by_name(1, 20)};
  file.plans[0].distribution = "optimal:0.2";
  const auto read = plan_file_from_json(to_json(file));
  CHECK_THROWS_WITH(read.reduction(9, 3), Contains("for p = 2147483647, not for p = 3"));
}

TEST_CASE("a plan file is for one version of the order") {
  PlanFile file = example();
  file.plans[0].order_version = 2;
  const auto read = plan_file_from_json(to_json(file));
  CHECK_THROWS_WITH(read.plan_for(9, 3),
                    Contains("version 2 of the order tree, this is version 1"));
  CHECK_NOTHROW(read.plan_for(20, 3));
}

TEST_CASE("what is no plan file is refused") {
  CHECK(refusal(to_json(example())) == "accepted");
  CHECK_THAT(refusal(Json::array()), Contains("object"));
  const struct {
    const char* place;
    Json value;
    std::string words;
  } cases[] = {
      {"/format", "bracket-schedule", "\"bracket-plan\""},
      {"/version", 2, "this program reads 1"},
      {"/more", 1, "\"more\" has no place"},
      {"/made_by", 1, "\"made_by\": a string"},
      {"/objective", "", "\"objective\" is empty: a name was expected"},
      {"/objective", "simgrid", "\"plans\"[0]: \"predicted\": \"simgrid\", which was minimised"},
      {"/objective", 1, "\"objective\": a string"},
      {"/ranks", 0, "\"ranks\" is 0: at least 1"},
      {"/ranks", -3, "\"ranks\": an integer"},
      {"/ranks", 4, "\"plans\"[1]: \"distribution\": it is for N = 20 and p = 3, not"},
      {"/ranks", 3.0, "\"ranks\": an integer"},
      {"/ranks", 3000000000, "\"ranks\": an integer from 0 to 2147483647"},
      {"/collective", "gather", "\"collective\" is \"gather\", not reduce,"},
      {"/collective", 1, "\"collective\": a string"},
      {"/root", 3, "\"root\" is 3: a rank from 0 to 2"},
      {"/root", -1, "\"root\": an integer"},
      {"/items", 0, "\"items\": an integer from 1"},
      {"/items", 9223372036854775807, "\"plans\"[0]: "},
      {"/machine", 1, "\"machine\": bracket-machine: an object"},
      {"/machine/latency_seconds", -1, "\"machine\": latency in seconds"},
      {"/machine/more", 1, "\"machine\": bracket-machine: \"more\" has no place"},
      {"/budget", -1, "\"budget\": an integer"},
      {"/seed", "1", "\"seed\": an integer"},
      {"/seed", 18446744073709551615u, "\"seed\": an integer"},
      {"/plans", 1, "\"plans\": an array"},
      {"/plans", Json::array(), "\"plans\": there is none"},
      {"/plans/0", 1, "\"plans\"[0]: a plan: an object"},
      {"/plans/0/more", 1, "\"plans\"[0]: a plan: \"more\" has no place"},
      {"/plans/0/elements", 9, "\"plans\"[0]: \"elements\": an array"},
      {"/plans/0/elements", {9}, "\"plans\"[0]: \"elements\": [from, to]"},
      {"/plans/0/elements", {0, 9}, "\"plans\"[0]: \"elements\": an integer from 1"},
      {"/plans/0/elements", {12, 9}, "\"plans\"[0]: \"elements\": from 12 to 9"},
      {"/plans/0/elements", {9, 20}, "\"plans\"[1]: \"elements\": from 20, but the plan before"},
      {"/plans/0/elements", {21, 22}, "\"plans\"[1]: \"elements\": from 20, but the plan before"},
      {"/plans/1/elements", {20, 21}, "\"plans\"[1]: \"distribution\": it is for N = 20"},
      {"/plans/1/elements", {19, 20}, "\"plans\"[1]: \"distribution\": it is for N = 20"},
      {"/plans/1/order", "bush", "\"plans\"[1]: \"order\": unknown order 'bush'; known: tree"},
      {"/plans/1/order", "chunked-tree", "\"plans\"[1]: \"order\": "},
      {"/plans/1/order", 1, "\"plans\"[1]: \"order\": a string"},
      {"/plans/1/order_version", "1", "\"plans\"[1]: \"order_version\": an integer"},
      {"/plans/1/order_version", 0, "\"plans\"[1]: \"order_version\": an integer from 1"},
      {"/plans/1/plan", std::string(1000, 'x'), std::string(80, 'x') + " ...'; known: direct"},
      {"/plans/1/plan", "hope", "\"plans\"[1]: \"plan\": unknown plan 'hope'; known: direct"},
      {"/plans/1/plan", "aggregated:0", "\"plans\"[1]: \"plan\": "},
      {"/plans/1/plan", "native", "\"plans\"[1]: \"plan\": "},
      {"/plans/0/distribution", "middle", "\"plans\"[0]: \"distribution\": unknown distribution"},
      {"/plans/0/distribution", "counts:1:2", "\"distribution\": a name or counts, as a bracket-"},
      {"/plans/0/distribution", "counts:3:3:3", "\"plans\"[0]: \"distribution\": "},
      {"/plans/0/distribution", "", "\"plans\"[0]: \"distribution\": either a name or counts"},
      {"/plans/0/distribution", 1, "\"plans\"[0]: \"distribution\": a string"},
      {"/plans/1/distribution/counts", {4, 0, 17}, "\"elements\" is 20, but the counts give 21"},
      {"/plans/1/distribution/counts", {4, -1, 17}, "\"counts\" of position 1"},
      {"/plans/1/distribution/rank_order", {0, 1, 1}, "\"rank_order\""},
      {"/plans/1/distribution/boundaries", 1, "\"boundaries\" has no place"},
      {"/plans/0/predicted", 1, "\"plans\"[0]: \"predicted\": an object"},
      {"/plans/0/predicted/", 1, "\"plans\"[0]: \"predicted\": a name is empty"},
      {"/plans/0/predicted/loggp", "1", "\"plans\"[0]: \"predicted\": \"loggp\": a number"},
      {"/plans/0/predicted/loggp", -1, "\"plans\"[0]: \"predicted\": \"loggp\" is -1: seconds"},
  };
  for (const auto& [place, value, words] : cases) {
    CAPTURE(place, value);
    CHECK_THAT(refusal(changed(place, value)), Contains(words));
  }
}

TEST_CASE("a plan file has all its fields") {
  const Json json = to_json(example());
  for (const auto& [key, _] : json.items()) {
    CHECK_THAT(refusal(without("", key)), Contains("\"" + key + "\" is missing"));
  }
  for (const auto& [key, _] : json["plans"][0].items()) {
    CHECK_THAT(refusal(without("/plans/0", key)),
               Contains("\"plans\"[0]: a plan: \"" + key + "\" is missing"));
  }
}

TEST_CASE("a plan file may have an operation, in whose order the plans are") {
  CHECK_FALSE(to_json(example()).contains("operation"));
  const auto refused = [](const char* operation, const char* words) {
    CAPTURE(operation);
    CHECK_THAT(refusal(changed("/operation", operation)), Contains(words));
  };
  refused("binned",
          "\"plans\"[0]: \"order\" is tree, but the order of binned:3/sum/float64 is "
          "associative");
  refused("double-double", "\"plans\"[1]: \"order\" is chunked-tree:4, but the order of");
  refused("checked", "\"operation\": checked is for integers");
  refused("summe", "\"operation\": 'summe' is no algorithm");
  CHECK_THAT(refusal(changed("/operation", 3)), Contains("\"operation\": the operation"));
  Json binned = changed("/operation", "binned");
  binned["plans"].erase(1);
  binned["plans"][0]["order"] = "associative";
  CHECK(plan_file_from_json(binned).operation_for(9, 3).spec() == "binned:3/sum/float64");
  Json narrow = changed("/operation", "float32");
  CHECK(plan_file_from_json(narrow).operation_for(20, 3).algorithm.order == "chunked-tree:4");
  CHECK_THROWS_AS(plan_file_from_json(narrow).operation_for(21, 3), Error);
  binned["plans"][0]["order"] = "tree";
  binned["operation"] = "int32";
  CHECK(plan_file_from_json(binned).operation_for(9, 3).type == Type::int32);
  // Its bits do not depend on the order.
  binned["plans"][0]["order"] = "associative";
  CHECK(plan_file_from_json(binned).operation_for(9, 3).associative());
  binned["operation"] = "float32";
  CHECK_THAT(refusal(binned), Contains("depend on the bracketing"));
}

TEST_CASE("what could not be read back is not written") {
  const auto refused = [](auto change) {
    PlanFile file = example();
    change(file);
    CHECK_THROWS_AS(to_json(file), Error);
  };
  refused([](PlanFile& file) { file.objective = ""; });
  refused([](PlanFile& file) { file.plans.clear(); });
  refused([](PlanFile& file) { file.seed = -1; });
  refused([](PlanFile& file) { file.plans[1].distribution = "upper"; });
  refused([](PlanFile& file) { file.plans[1].held.reset(); });
  refused([](PlanFile& file) { file.plans[0].predicted.push_back({"score", 1}); });
  refused([](PlanFile& file) { file.plans[0].predicted[0].second = NAN; });
  refused([](PlanFile& file) { file.plans[0].predicted[0].second = INFINITY; });
  refused([](PlanFile& file) { std::swap(file.plans[0], file.plans[1]); });
}

TEST_CASE("a plan file is read from a file, which what is wrong names") {
  const testing::Scratch scratch;
  const auto file = scratch.path() / "sum.json";
  std::ofstream(file) << to_json(example());
  CHECK(read_plan_file(file).plans == example().plans);
  CHECK(read_planned_reduction(file, 20, 3) == example().reduction(20, 3));
  CHECK_THROWS_WITH(read_planned_reduction(file, 21, 3), Contains("sum.json: the plan is for N"));
  std::ofstream(file) << changed("/plans/0/plan", "hope");
  CHECK_THROWS_WITH(read_plan_file(file), Contains("sum.json: \"plans\"[0]: \"plan\": unknown"));
  std::string twice = to_json(example()).dump();
  twice.insert(1, R"("seed":8,)");
  std::ofstream(file) << twice;
  CHECK_THROWS_WITH(read_plan_file(file), Contains("sum.json: \"seed\" is twice in one object"));
  std::ofstream(file) << "{";
  CHECK_THROWS_WITH(read_plan_file(file), Contains("sum.json: not JSON at byte"));
  CHECK_THROWS_WITH(read_plan_file(scratch.path() / "none.json"), Contains("none.json"));
}

}  // namespace plan_file_test
