// SPDX-License-Identifier: MIT

#include "bracket/model/fields.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "bracket/model/json.hpp"
#include "bracket/model/plan.hpp"
#include "bracket/model/verify.hpp"
#include "bracket/support/error.hpp"
#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"

namespace fields_test {

using namespace bracket;
using Catch::Contains;

namespace {

constexpr const char* frontier_plans[] = {
    "aggregated:1", "aggregated", "aggregated:3", "binomial",      "butterfly",
    "elimination",  "ring",       "composed:5",   "dissemination", "elimination-overlapping"};

/// Fields of different sizes over the same ranks, in the same permutation. Ranks without elements
/// of some fields or of all fields are frequent.
rc::Gen<std::vector<Distribution>> any_fields() {
  return rc::gen::exec([] {
    const auto first = *testing::any_distribution(40, 12);
    std::vector<Distribution> fields{first};
    const int others = *rc::gen::inRange(0, 4);
    for (int i = 0; i < others; ++i) {
      const Index elements = *rc::gen::inRange<Index>(1, 41);
      auto boundaries = *rc::gen::container<std::vector<Index>>(
          first.boundaries().size(), rc::gen::inRange<Index>(0, elements + 1));
      std::sort(boundaries.begin(), boundaries.end());
      boundaries.front() = 0;
      boundaries.back() = elements;
      fields.push_back(Distribution::from_boundaries(std::move(boundaries)));
      if (!first.rank_order().empty()) {
        fields.back() = fields.back().with_rank_order(first.rank_order());
      }
    }
    return fields;
  });
}

/// The merged parts of all ranks.
std::vector<RankPart> merged(const std::vector<Distribution>& fields, const std::string& order,
                             const Plan& plan, Delivery delivery) {
  const auto participants = participants_of(fields);
  std::vector<RankPart> parts;
  for (Rank rank = 0; rank < fields.front().ranks(); ++rank) {
    std::vector<RankPart> of_fields;
    for (const Distribution& field : fields) {
      const auto made = make_order(order, field.elements());
      of_fields.push_back(plan.part({made, field, delivery, 1, participants}, rank));
    }
    parts.push_back(merge_fields(of_fields));
  }
  return parts;
}

/// Steps of a part for one field. Messages without its values are left out.
RankPart only(const RankPart& part, Index field) {
  RankPart result;
  for (const Step& step : part.steps()) {
    std::vector<Partial> operands;
    for (const Partial& partial : part.operands(step)) {
      if (partial.segment == Range{field, field + 1}) operands.push_back(partial.over({0, 1}));
    }
    if (!operands.empty()) result.add(step.kind, step.peer, operands);
  }
  return result;
}

}  // namespace

TEST_CASE("each field of a merged schedule is proved right on its own") {
  testing::property("merged fields", [] {
    const auto fields = *any_fields();
    const Rank root = *rc::gen::inRange<Rank>(0, fields.front().ranks());
    const Delivery delivery =
        *rc::gen::arbitrary<bool>() ? Delivery::to(root) : Delivery{root, Collective::all_reduce};
    const std::string order =
        *rc::gen::element<std::string>("tree", "chunked-tree:3", "sequential", "associative");
    for (const auto* name : frontier_plans) {
      const auto plan = make_plan(name);
      const auto parts = merged(fields, order, *plan, delivery);
      for (std::size_t k = 0; k < fields.size(); ++k) {
        Schedule schedule{{order, make_order(order, 1).version(), name, fields[k], delivery}, {}};
        for (const RankPart& part : parts) {
          schedule.parts.push_back(only(part, static_cast<Index>(k)));
        }
        const Verdict verdict = verify(schedule);
        if (!verdict.ok()) RC_FAIL(name + (": " + describe(schedule, verdict.violations.front())));
      }
    }
  });
}

TEST_CASE("several fields cost the messages of one") {
  testing::property("messages of fields", [] {
    const auto fields = *any_fields();
    // A field with an element on every participant.
    const auto participants = participants_of(fields);
    std::vector<Index> boundaries{0};
    for (Index position = 0; position < fields.front().ranks(); ++position) {
      const Rank rank = fields.front().rank_at(position);
      const bool takes_part =
          std::find(participants.begin(), participants.end(), rank) != participants.end();
      boundaries.push_back(boundaries.back() + (takes_part ? 1 : 0));
    }
    auto one = Distribution::from_boundaries(boundaries);
    if (!fields.front().rank_order().empty()) {
      one = one.with_rank_order(fields.front().rank_order());
    }
    for (const auto* name : frontier_plans) {
      const auto plan = make_plan(name);
      Index messages = 0;
      for (const RankPart& part : merged(fields, "tree", *plan, Delivery::to_all())) {
        messages += part.messages();
        for (const Step& step : part.steps()) RC_ASSERT(step.count > 0);
      }
      const auto order = make_order("tree", one.elements());
      RC_ASSERT(messages == count_messages({order, one, Delivery::to_all()}, *plan));
    }
  });
}

TEST_CASE("fields of one distribution merge under every plan") {
  const auto distribution = make_distribution("lower", 23, 4);
  for (const auto& entry : plans()) {
    const auto plan = make_plan(entry.entry.name);
    if (!plan->scheduled()) continue;
    const auto parts = merged({distribution, distribution}, "tree", *plan, Delivery::to_all());
    const auto order = make_order("tree", 23);
    Index messages = 0;
    for (const RankPart& part : parts) messages += part.messages();
    CHECK(messages == count_messages({order, distribution, Delivery::to_all()}, *plan));
  }
}

TEST_CASE("the schedule of several fields is proved, and sends the messages of one") {
  testing::property("schedules of fields", [] {
    const auto distribution = *testing::any_distribution(40, 8);
    const Index fields = *rc::gen::inRange<Index>(2, 6);
    const auto order = make_order("tree", distribution.elements());
    const Delivery delivery = *rc::gen::arbitrary<bool>() ? Delivery::to(0) : Delivery::to_all();
    for (const auto& entry : plans()) {
      const auto plan = make_plan(entry.entry.name);
      if (!plan->scheduled()) continue;
      const Problem one{order, distribution, delivery};
      const Problem several{order, distribution, delivery, Items::of_fields(fields)};
      const Schedule schedule = make_schedule(several, *plan);
      const Verdict verdict = verify(schedule);
      if (!verdict.ok()) RC_FAIL(describe(schedule, verdict.violations.front()));
      RC_ASSERT(schedule.messages() == count_messages(one, *plan));
      RC_ASSERT(count_messages(several, *plan) == count_messages(one, *plan));
      Index numbers = 0;
      Index of_one = 0;
      const Schedule single = make_schedule(one, *plan);
      for (Rank rank = 0; rank < schedule.ranks(); ++rank) {
        const RankPart& part = schedule.parts[static_cast<std::size_t>(rank)];
        const RankPart& alone = single.parts[static_cast<std::size_t>(rank)];
        RC_ASSERT(part.items() == Items::of_fields(fields));
        for (Index field = 0; field < fields; ++field) RC_ASSERT(only(part, field) == alone);
        for (const Step& step : part.steps()) numbers += step.is_message() ? part.values(step) : 0;
        for (const Step& step : alone.steps()) of_one += step.is_message() ? alone.values(step) : 0;
      }
      RC_ASSERT(numbers == fields * of_one);
      RC_ASSERT(schedule_from_json(to_json(schedule)) == schedule);
      RC_ASSERT(digest(header_of(several, *plan)) !=
                digest(header_of({order, distribution, delivery, fields}, *plan)));
    }
  });
}

TEST_CASE("one field is the same as single numbers") {
  CHECK(Items::of_fields(1) == Items(1));
  CHECK_FALSE(Items::of_fields(3) == Items(3));
  CHECK(Items::of_fields(3).adjacent() == 1);
  CHECK(Items(3).adjacent() == 3);
  CHECK(describe(Items::of_fields(3)) == "3 fields");
  CHECK(describe(Items(3)) == "vectors of 3 items");
  CHECK(describe(Items()) == "single numbers");
}

TEST_CASE("schedules of fields that make no sense are refused") {
  const auto distribution = make_distribution("lower", 23, 4);
  const auto order = make_order("tree", 23);
  const auto make = [&](const char* plan, Delivery delivery, Items items) {
    return make_schedule({order, distribution, delivery, items}, *make_plan(plan));
  };
  CHECK_THROWS_WITH(make("butterfly", Delivery::scattered(), Items::of_fields(3)),
                    Contains("reduce-scatter of 3 fields"));
  CHECK_THROWS_WITH(make("butterfly", Delivery::to_all(), Items::of_fields(100'001)),
                    Contains("at most 100000"));
  CHECK_THROWS_WITH(check_fit({order, distribution, Delivery::to_all(), Items::of_fields(2)},
                              *make_plan("native")),
                    Contains("native reduces one field, there are 2"));
  auto json = to_json(make("butterfly", Delivery::to_all(), Items::of_fields(3)));
  CHECK(json["fields"] == 3);
  CHECK_FALSE(json.contains("items"));
  json["items"] = 3;
  CHECK_THROWS_WITH(schedule_from_json(json), Contains("one of the two was expected"));
}

TEST_CASE("fields that do not go together are refused") {
  const auto small = make_distribution("lower", 2, 4);
  const auto large = make_distribution("lower", 23, 4);
  CHECK_THROWS_WITH(merged({small, large}, "tree", *make_plan("direct"), Delivery::to(0)),
                    Contains("different messages"));
  const auto sends_to = [](Rank peer) {
    const Partial partial{{0, 1}};
    RankPart part;
    part.add(StepKind::fold, -1, {&partial, 1});
    part.add(StepKind::send, peer, {&partial, 1});
    return part;
  };
  CHECK_NOTHROW(merge_fields(std::vector{sends_to(1), sends_to(1)}));
  CHECK_THROWS_WITH(merge_fields(std::vector{sends_to(1), sends_to(2)}),
                    Contains("different messages"));
  const std::vector<Distribution> ranks{large, make_distribution("lower", 23, 5)};
  CHECK_THROWS_WITH(participants_of(ranks), Contains("different ranks"));
  const std::vector<Distribution> orders{large, large.with_rank_order({3, 2, 1, 0})};
  CHECK_THROWS_WITH(participants_of(orders), Contains("rank orders"));
  CHECK_THROWS_AS(merge_fields({}), Error);
  const std::vector<RankPart> vectors{RankPart(2)};
  CHECK_THROWS_WITH(merge_fields(vectors), Contains("2 items"));
}

}  // namespace fields_test
