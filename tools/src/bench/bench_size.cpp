// SPDX-License-Identifier: MIT

#include "bench/bench_size.hpp"

#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "mpi/mpi_command.hpp"

namespace bracket::tools {

std::vector<Range> BenchSize::held(Rank rank) const {
  std::vector<Range> ranges;
  for (const Sharing& sharing : sharings) ranges.push_back(sharing.distribution.range(rank));
  return ranges;
}

void BenchSize::add(const std::vector<BenchCandidate>& candidates, Sharing sharing, bool all) {
  const std::size_t compared_with = entrants.size();
  const Sharing& held = sharings.emplace_back(std::move(sharing));
  for (const auto& candidate : candidates) {
    try {
      if (candidate.plan) check_fit(held.problem(), *candidate.plan);
      entrants.push_back({candidate.name, candidate.plan.get(),
                          candidate.algorithm ? &*candidate.algorithm : nullptr, &held,
                          compared_with});
    } catch (const Error& objection) {
      if (!all) throw;
      objections.emplace_back(objection.what());
    }
  }
}

void BenchSize::add_tuned(const PlanFile& plans, const std::string& file, Index elements,
                          Rank ranks) {
  try {
    auto chosen = plans.reduction(elements, ranks);
    sharings.push_back({make_sum_order(chosen.order, elements, "the order"),
                        std::move(chosen.distribution), file});
    tuned_plan = make_plan(chosen.plan);
  } catch (const Error& failure) {
    throw Error(text(file, ": ", failure.what()));
  }
  entrants.push_back({std::string(tuned), tuned_plan.get(), nullptr, &sharings.back(), 0});
}

}  // namespace bracket::tools
