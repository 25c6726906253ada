// SPDX-License-Identifier: MIT

#include <algorithm>
#include <memory>
#include <span>
#include <utility>

#include "bracket/model/tune.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

namespace bracket {

namespace {

const PlanEntry* entry_of(const std::string& name) {
  for (const PlanEntry& row : plans()) {
    if (row.entry.name == name) return &row;
  }
  return nullptr;
}

/// `name` with every combination of one value for each parameter.
std::vector<std::string> combinations(const std::string& name,
                                      std::span<const std::vector<Index>> values) {
  std::vector<std::string> all{name};
  for (const std::vector<Index>& choice : values) {
    std::vector<std::string> longer;
    for (const std::string& written : all) {
      for (const Index value : choice) longer.push_back(text(written, ":", value));
    }
    all = std::move(longer);
  }
  return all;
}

/// Keeps the first of the plans that make the same schedule, in the same sequence. Compares the
/// parts of the first ranks, up to a million steps in all, and makes each part once.
std::vector<std::unique_ptr<Plan>> different(const Problem& problem,
                                             std::vector<std::unique_ptr<Plan>> plans) {
  constexpr std::size_t most = 1'000'000;
  // Plans, by number, whose parts have been the same so far, and the steps of those parts.
  struct AlikePlans {
    std::vector<std::size_t> plans;
    std::size_t steps = 0;
  };
  std::vector<AlikePlans> groups(1);
  for (std::size_t i = 0; i < plans.size(); ++i) groups[0].plans.push_back(i);
  std::vector<bool> kept(plans.size(), true);
  for (Rank rank = 0; rank < problem.distribution.ranks() && !groups.empty(); ++rank) {
    std::vector<AlikePlans> finer;
    for (const AlikePlans& group : groups) {
      std::vector<std::pair<RankPart, AlikePlans>> by_part;
      for (const std::size_t plan : group.plans) {
        RankPart part = plans[plan]->part(problem, rank);
        const auto same = std::find_if(by_part.begin(), by_part.end(),
                                       [&](const auto& one) { return one.first == part; });
        if (same != by_part.end()) {
          same->second.plans.push_back(plan);
        } else {
          const std::size_t steps = group.steps + part.steps().size() + 1;
          by_part.push_back({std::move(part), {{plan}, steps}});
        }
      }
      for (auto& [part, one] : by_part) {
        if (one.plans.size() == 1) continue;
        if (one.steps < most && rank + 1 < problem.distribution.ranks()) {
          finer.push_back(std::move(one));
          continue;
        }
        for (std::size_t i = 1; i < one.plans.size(); ++i) kept[one.plans[i]] = false;
      }
    }
    groups = std::move(finer);
  }
  std::vector<std::unique_ptr<Plan>> first;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    if (kept[i]) first.push_back(std::move(plans[i]));
  }
  return first;
}

bool suits(const Plan& plan, const Problem& problem) {
  if (!plan.scheduled()) return false;
  try {
    check_fit(problem, plan);
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

std::vector<std::string> suitable_plans(const Problem& problem) {
  std::vector<std::string> names;
  for (const PlanEntry& row : plans()) {
    std::string name(row.entry.name);
    if (suits(*make_plan(name), problem)) names.push_back(std::move(name));
  }
  return names;
}

std::vector<std::string> plan_variants(const std::string& plan, const Problem& problem) {
  if (plan == "all") {
    std::vector<std::string> variants;
    for (const std::string& name : suitable_plans(problem)) {
      for (std::string& variant : plan_variants(name, problem)) {
        variants.push_back(std::move(variant));
      }
    }
    return variants;
  }
  const auto written = make_plan(plan);
  check_scheduled(*written);
  check_fit(problem, *written);
  std::vector<std::string> variants{written->spec()};
  const Spec spec = Spec::parse(plan);
  if (!spec.parameters.empty()) return variants;
  std::vector<std::unique_ptr<Plan>> made;
  made.push_back(make_plan(plan));
  for (const std::string& variant : combinations(plan, entry_of(spec.name)->tried)) {
    auto other = make_plan(variant);
    const bool known = std::any_of(made.begin(), made.end(), [&](const auto& plan_made) {
      return plan_made->spec() == other->spec();
    });
    if (!known) made.push_back(std::move(other));
  }
  variants.clear();
  if (made.size() > 1) made = different(problem, std::move(made));
  for (const auto& one : made) variants.push_back(one->spec());
  return variants;
}

}  // namespace bracket
