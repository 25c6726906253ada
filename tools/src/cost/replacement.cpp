// SPDX-License-Identifier: MIT

#include "cost/replacement.hpp"

#include <algorithm>

#include "bracket/model/json.hpp"
#include "bracket/model/order.hpp"
#include "bracket/model/plan.hpp"
#include "bracket/model/tune.hpp"
#include "bracket/model/verify.hpp"
#include "bracket/simulator/workload.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

namespace bracket::tools {

namespace {

constexpr const char* any_order = "associative";

Schedule schedule_of(const Distribution& distribution, const std::string& order,
                     const std::string& plan, const ReductionSize& size) {
  return make_schedule(make_order(order, distribution.elements()), distribution, *make_plan(plan),
                       size.delivery, size.items);
}

/// One element on each rank. Libraries number the ranks of a reduce from its root on.
Distribution ranks_of_library(const ReductionSize& size) {
  const Distribution held = upper_distribution(size.ranks, size.ranks);
  if (size.delivery.root == 0) return held;
  std::vector<Rank> ranks;
  for (Rank k = 0; k < size.ranks; ++k) ranks.push_back((size.delivery.root + k) % size.ranks);
  return held.with_rank_order(std::move(ranks));
}

/// The machine as one operation finds it in a program, without the times of other operations, which
/// each replay would check.
Machine in_program(Machine machine) {
  machine.operations.clear();
  if (machine.work) machine.work = machine.work->in_program();
  return machine;
}

Schedule read_library(const std::string& file) {
  Schedule schedule = read_schedule(file);
  const Verdict verdict = verify(schedule);
  if (!verdict.ok()) {
    throw Error(text(file, ": ", describe(schedule, verdict.violations.front())));
  }
  const Distribution& held = schedule.distribution;
  if (held.elements() != held.ranks() || held.largest_share() != 1) {
    throw Error(text("--library ", file, ": ", held.elements(), " elements on ", held.ranks(),
                     " ranks: a schedule of bracket reveal, with one on each, was expected"));
  }
  return schedule;
}

}  // namespace

Replacements::Replacements(Machine machine, LocalSums sums, const std::vector<std::string>& files)
    : machine_(std::move(machine)), sums_(std::move(sums)) {
  library_ = machine_.by_library();
  if (auto& work = library_.work) {
    work->start = work->start_library;
    work->start_alone = 0;
    work->seconds_per_receive = 0;
    work->start_reduce.reset();
    work->first_cache.reset();
  }
  for (const std::string& file : files) known_.emplace_back(file, read_library(file));
}

bool Replacements::guesses(const ReductionSize& size) const {
  return machine_.work && !machine_.computes({.op = size.op, .type = size.type});
}

Machine Replacements::machine_for(const Operation& operation) const {
  return in_program(costs_of(operation));
}

Machine Replacements::costs_of(const Operation& operation) const {
  if (operation.plain() && !operation.of_products() &&
      guesses({.op = operation.op, .type = operation.type})) {
    return machine_.for_values(operation.value_bytes());
  }
  return machine_.computing(operation);
}

ByLibrary Replacements::by_library(const ReductionSize& size) const {
  const Operation operation{.op = size.op, .type = size.type};
  Machine machine =
      guesses(size) ? library_.for_values(operation.value_bytes()) : library_.computing(operation);
  if (machine.work) machine.work->more_start = 0;
  for (const auto& [file, known] : known_) {
    if (known.ranks() == size.ranks && known.delivery == size.delivery &&
        known.items == size.items) {
      return {{known, machine}, file};
    }
  }
  const auto with_plan = [&](const std::string& plan) {
    return Replacement{schedule_of(ranks_of_library(size), any_order, plan, size), machine};
  };
  for (const auto& [file, known] : known_) {
    if (known.delivery.collective != size.delivery.collective || known.plan.empty()) continue;
    try {
      return {with_plan(known.plan), file};
    } catch (const Error&) {
      continue;  // the plan follows one bracketing
    }
  }
  const bool everywhere = size.delivery.collective == Collective::all_reduce;
  return {with_plan(everywhere ? "butterfly" : "binomial")};
}

bool Replacements::sums_locally(const ReductionSize& size) const {
  return sums_.elements > 0 && size.single_sum();
}

Distribution Replacements::held_by(const ReductionSize& size) const {
  return upper_distribution(sums_locally(size) ? sums_.elements : Index{size.ranks}, size.ranks);
}

double Replacements::least_seconds(const ReductionSize& size, const std::string& plan,
                                   const std::string& algorithm) const {
  Operation operation{.op = size.op, .type = size.type};
  try {
    operation.algorithm = make_algorithm(algorithm);
    operation.check();
    const Distribution held = held_by(size);
    const Order order = make_order(operation.algorithm.order, held.elements());
    const Problem problem{order, held, size.delivery, size.items};
    return busy_seconds(problem, *make_plan(plan), machine_for(operation));
  } catch (const Error&) {
    return 0;  // `by_plan` says why
  }
}

std::vector<Replacement> Replacements::by_plan(const ReductionSize& size, const std::string& plan,
                                               const std::string& algorithm,
                                               std::string& reason) const {
  const bool local = sums_locally(size);
  Operation operation{.op = size.op, .type = size.type};
  std::optional<Schedule> schedule;
  const Distribution held = held_by(size);
  try {
    operation.algorithm = make_algorithm(algorithm);
    operation.check();
    schedule = schedule_of(held, operation.algorithm.order, plan, size);
  } catch (const Error& failure) {
    reason = failure.what();
    return {};
  }
  if (!local) return {Replacement{std::move(*schedule), machine_for(operation)}};
  std::vector<Replacement> made;
  for (const Terms terms : sums_.terms) {
    operation.terms = terms;
    made.push_back({*schedule, machine_for(operation), loops(held, terms)});
  }
  return made;
}

Operation Replacements::loop_over(Terms terms) const {
  Operation loop{.terms = terms, .baseline = sums_.loop};
  if (!machine_.computes(loop)) loop.terms = Terms::elements;
  return loop;
}

/// A rank's computing before its first message is the loop over its elements.
std::vector<double> Replacements::loops(const Distribution& distribution, Terms terms) const {
  const Schedule schedule = make_schedule(make_order(any_order, distribution.elements()),
                                          distribution, *make_plan("aggregated"), Delivery::to(0));
  Machine machine = library_.computing(loop_over(terms));
  if (machine.work) machine.work->start = machine.work->more_start = 0;
  const Workload workload(schedule, machine);
  std::vector<double> seconds;
  for (Rank rank = 0; rank < distribution.ranks(); ++rank) {
    const auto steps = workload.operations(rank);
    const bool computes = !steps.empty() && steps.front().kind() == Workload::Kind::compute;
    seconds.push_back(computes ? seconds_of(Ticks{steps.front().amount}) : 0);
  }
  return seconds;
}

}  // namespace bracket::tools
