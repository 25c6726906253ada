// SPDX-License-Identifier: MIT

#include "bench/bench_candidates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "common/options.hpp"
#include "common/schedule_options.hpp"

namespace bracket::tools {

namespace {

std::vector<std::string> known_candidates() {
  std::vector<std::string> names;
  for (const auto& sums : baselines()) names.emplace_back(sums.entry.name);
  for (const auto& plan : plans()) names.emplace_back(plan.entry.name);
  for (const auto& algorithm : arithmetics) names.emplace_back(algorithm.entry.name);
  return names;
}

BenchCandidate make_candidate(const std::string& name) {
  if (baseline_named(name) != Baseline::none) return {name};
  const auto first = name.substr(0, name.find(':'));
  const auto is_first = [&](const auto& known) { return known.entry.name == first; };
  if (std::any_of(std::begin(arithmetics), std::end(arithmetics), is_first)) {
    return {name, nullptr, make_algorithm(name)};
  }
  if (std::none_of(plans().begin(), plans().end(), is_first)) {
    throw Error(fmt::format("unknown candidate '{}'; known: {}", name,
                            fmt::join(known_candidates(), ", ")));
  }
  return {name, make_plan(name)};
}

}  // namespace

std::string BenchCandidate::spec() const {
  if (plan) return plan->spec();
  return algorithm ? algorithm->spec() : name;
}

std::vector<BenchCandidate> make_candidates(const std::vector<std::string>& names) {
  std::vector<BenchCandidate> candidates;
  candidates.push_back(make_candidate(std::string(baseline)));
  std::set<std::string> seen;
  for (const auto& name : names.empty() ? known_candidates() : names) {
    BenchCandidate candidate = make_candidate(name);
    if (!seen.insert(candidate.spec()).second) {
      throw Error(text("--candidates: ", candidate.spec(), " is given twice"));
    }
    if (name != baseline) candidates.push_back(std::move(candidate));
  }
  return candidates;
}

PlanFile read_plan_file_to_all(const std::string& file) {
  PlanFile plan_file = read_tuning(file);
  if (plan_file.delivery.collective != Collective::all_reduce) {
    throw Error(text(file, ": the plan is for ", name_of(plan_file.delivery.collective),
                     "; bench needs one that leaves the sum on every rank: tune with --all"));
  }
  if (plan_file.items != 1) {
    throw Error(text(file, ": the plan is for ", describe(plan_file.items),
                     "; bench needs one for single numbers: tune without --items and --fields"));
  }
  return plan_file;
}

}  // namespace bracket::tools
