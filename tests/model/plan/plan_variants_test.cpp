// SPDX-License-Identifier: MIT

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "bracket/model/plan.hpp"
#include "bracket/model/tune.hpp"
#include "bracket/support/text.hpp"
#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"

namespace plan_variants_test {

using namespace bracket;

TEST_CASE("of variants that make the same schedule there is one") {
  testing::property("variants", [] {
    const auto held = *testing::any_distribution(300, 24);
    const auto order = make_order("tree", held.elements());
    const Problem problem{order, held, Delivery::to_all(), *rc::gen::element<Index>(1, 100, 2000)};
    const auto plan = *rc::gen::element<std::string>("buffered", "aggregated", "butterfly",
                                                     "elimination", "ring", "composed");
    const auto row = std::find_if(plans().begin(), plans().end(),
                                  [&](const PlanEntry& one) { return one.entry.name == plan; });
    std::vector<std::string> tried{plan};
    for (const auto& values : row->tried) {
      std::vector<std::string> longer;
      for (const auto& written : tried) {
        for (const Index value : values) longer.push_back(text(written, ":", value));
      }
      tried = longer;
    }
    tried.insert(tried.begin(), plan);
    std::vector<std::string> expected;
    std::vector<Schedule> made;
    for (const std::string& written : tried) {
      const auto variant = make_plan(written);
      Schedule schedule = make_schedule(problem, *variant);
      const bool known = std::any_of(made.begin(), made.end(), [&](const Schedule& one) {
        return one.parts == schedule.parts;
      });
      if (known) continue;
      expected.push_back(variant->spec());
      made.push_back(std::move(schedule));
    }
    RC_ASSERT(plan_variants(plan, problem) == expected);
  });
}

TEST_CASE("the variants of a plan") {
  const auto order = make_order("tree", 1000);
  const auto held = upper_distribution(1000, 9);
  const Problem problem{order, held, {}, 1};
  CHECK(plan_variants("direct", problem) == std::vector<std::string>{"direct"});
  CHECK(plan_variants("aggregated:5", problem) == std::vector<std::string>{"aggregated:5"});
  const auto aggregated = plan_variants("aggregated", problem);
  CHECK(aggregated.front() == "aggregated:2");
  // With eight ranks below the root, arities 8 and 16 give the same tree.
  CHECK(std::find(aggregated.begin(), aggregated.end(), "aggregated:16") == aggregated.end());
  CHECK(std::find(aggregated.begin(), aggregated.end(), "aggregated:8") != aggregated.end());
  const auto all = plan_variants("all", problem);
  for (const char* plan : {"direct", "gather", "binomial", "aggregated:3", "buffered:4:64"}) {
    CHECK(std::count(all.begin(), all.end(), plan) == 1);
  }
  CHECK(std::set<std::string>(all.begin(), all.end()).size() == all.size());
  for (const std::string& variant : all) CHECK(make_plan(variant)->scheduled());
  // A threshold counts items. A single number has no items to share out.
  CHECK(plan_variants("butterfly", problem).size() == 1);
  const Problem vectors{order, held, Delivery::to_all(), 2000};
  CHECK(plan_variants("butterfly", vectors).size() > 1);
  const auto associative = make_order("associative", 1000);
  const Problem free{associative, held, {}, 1};
  CHECK_THROWS_WITH(plan_variants("direct", free), Catch::Contains("associative"));
  const auto fitting = plan_variants("all", free);
  CHECK(std::count(fitting.begin(), fitting.end(), "direct") == 0);
}

}  // namespace plan_variants_test
