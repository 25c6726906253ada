#include <algorithm>
#include <memory>
#include <span>

#include "bracket/model/error.hpp"
#include "bracket/model/tune.hpp"

namespace bracket {

namespace {

const PlanEntry* entry_of(const std::string& name) {
  for (const PlanEntry& row : plans()) {
    if (row.entry.name == name) return &row;
  }
  return nullptr;
}

/// `name` with every choice of one of the values for each parameter.
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

/// As far as the parts of so many ranks say as have together a million steps.
bool same_parts(const Problem& problem, const Plan& one, const Plan& other) {
  constexpr std::size_t most = 1'000'000;
  std::size_t steps = 0;
  for (Rank rank = 0; rank < problem.distribution.ranks() && steps < most; ++rank) {
    const RankPart part = one.part(problem, rank);
    if (part != other.part(problem, rank)) return false;
    steps += part.steps().size() + 1;
  }
  return true;
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

std::vector<std::string> plan_variants(const std::string& plan, const Problem& problem) {
  if (plan == "all") {
    std::vector<std::string> variants;
    for (const PlanEntry& row : plans()) {
      const std::string name(row.entry.name);
      if (!suits(*make_plan(name), problem)) continue;
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
      return plan_made->spec() == other->spec() || same_parts(problem, *plan_made, *other);
    });
    if (known) continue;
    variants.push_back(other->spec());
    made.push_back(std::move(other));
  }
  return variants;
}

}  // namespace bracket
