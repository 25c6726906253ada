// SPDX-License-Identifier: MIT

#include "bracket/model/plan.hpp"

#include "bracket/model/fields.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

namespace bracket::model {

// Each is defined in the file of its plan.
std::unique_ptr<Plan> make_direct_plan(const Spec& spec);
std::unique_ptr<Plan> make_buffered_plan(const Spec& spec);
std::unique_ptr<Plan> make_aggregated_plan(const Spec& spec);
std::unique_ptr<Plan> make_binomial_plan(const Spec& spec);
std::unique_ptr<Plan> make_gather_plan(const Spec& spec);
std::unique_ptr<Plan> make_butterfly_plan(const Spec& spec);
std::unique_ptr<Plan> make_elimination_plan(const Spec& spec);
std::unique_ptr<Plan> make_overlapping_elimination_plan(const Spec& spec);
std::unique_ptr<Plan> make_ring_plan(const Spec& spec);
std::unique_ptr<Plan> make_dissemination_plan(const Spec& spec);
std::unique_ptr<Plan> make_composed_plan(const Spec& spec);
std::unique_ptr<Plan> make_native_plan(const Spec& spec);

}  // namespace bracket::model

namespace bracket {

namespace {

const PlanEntry plan_table[] = {
    {{"direct", "", "one message for each outbound subtree root, to the owner of its parent",
      "thesis, Algorithm 1"},
     model::make_direct_plan},
    {{"buffered", "[:capacity[:flush]]",
      "direct, up to capacity (4) partials in a message; flushed before subtrees above flush (64)",
      "thesis, section 3.1.1"},
     model::make_buffered_plan,
     {{2, 4, 8, 16, 64}, {0, 16, 64, 256}}},
    {{"aggregated", "[:m]", "frontiers up an m-ary (2) tree of ranks, one message each",
      "Bracket; frontiers join associatively"},
     model::make_aggregated_plan,
     {{2, 3, 4, 6, 8, 16, 32, 64}}},
    {{"binomial", "", "frontiers up a binomial tree of ranks", "Bracket; frontiers"},
     model::make_binomial_plan},
    {{"gather", "", "every element to the root, which folds them all", "thesis, section 1.3.1"},
     model::make_gather_plan},
    {{"butterfly", "[:b]", "recursive doubling with frontiers, halving above b (1024) items",
      "Rabenseifner and Traeff 2004, section 2"},
     model::make_butterfly_plan,
     {{64, 1024, 16384}}},
    {{"elimination", "[:b]",
      "butterfly, then one 3-2 and pairs of 2-1 eliminations for the odd factor",
      "Rabenseifner and Traeff 2004, section 3.3"},
     model::make_elimination_plan,
     {{64, 1024, 16384}}},
    {{"elimination-overlapping", "[:b]",
      "butterfly with a 3-2 elimination wherever the number of groups is odd",
      "Rabenseifner and Traeff 2004, section 3.2"},
     model::make_overlapping_elimination_plan,
     {{64, 1024, 16384}}},
    {{"ring", "[:b]",
      "every frontier once around all ranks; above b items, if enough, one share per rank",
      "Rabenseifner and Traeff 2004, section 3.4"},
     model::make_ring_plan,
     {{64, 1024, 16384}}},
    {{"composed", "[:largest-ring[:b]]",
      "butterfly, rings for odd factors up to largest-ring (3), then elimination",
      "Rabenseifner and Traeff 2004, section 3.6"},
     model::make_composed_plan,
     {{3, 5, 7}, {64, 1024, 16384}}},
    {{"dissemination", "", "frontiers collected cyclically: ceil(log2 p) rounds for any p",
      "Bracket; after Bar-Noy, Kipnis and Schieber 1993"},
     model::make_dissemination_plan},
    {{"native", "", "the MPI library's own MPI_Iallreduce, over frontiers; executed, not scheduled",
      "MPI 3.1, sections 5.9.5 and 5.9.6"},
     model::make_native_plan},
};

}  // namespace

std::span<const PlanEntry> plans() { return plan_table; }

std::unique_ptr<Plan> make_plan(std::string_view spec) {
  const Spec parsed = Spec::parse(spec);
  for (const auto& row : plan_table) {
    if (row.entry.name == parsed.name) return row.make(parsed);
  }
  throw Error(unknown_name("plan", parsed.name, plans()));
}

namespace {

/// The problem of vectors, or of one of several fields.
Problem without_fields(Problem problem) {
  if (problem.items.fields) problem.items = 1;
  return problem;
}

}  // namespace

void Plan::require(const Problem& problem) const {
  check_fields(problem.items, problem.delivery);
  if (problem.items.fields && !scheduled()) {
    throw Error(text("the plan ", spec(), " reduces one field, there are ", problem.items));
  }
  require_for(without_fields(problem));
}

RankPart Plan::part(const Problem& problem, Rank rank) const {
  RankPart single = make_part(without_fields(problem), rank);
  if (!problem.items.fields) return single;
  return merge_fields(std::vector(static_cast<std::size_t>(problem.items.count), single));
}

Index Plan::messages(const Problem& problem, Rank rank) const {
  return count_messages(without_fields(problem), rank);
}

void Plan::require_for(const Problem&) const {}

Index Plan::count_messages(const Problem& problem, Rank rank) const {
  return make_part(problem, rank).messages();
}

void check_scheduled(const Plan& plan) {
  if (plan.scheduled()) return;
  throw Error(text("the plan ", plan.spec(),
                   " has no schedule: the MPI library chooses who sends what to whom; bracket run "
                   "can execute it, with --all"));
}

void check_fit(const Problem& problem, const Plan& plan) {
  const auto& [order, distribution, delivery, items, participants] = problem;
  if (order.elements() != distribution.elements()) {
    throw Error(text("the order is over ", order.elements(), " elements, the distribution over ",
                     distribution.elements()));
  }
  check_items(order.elements(), items);
  if (delivery.root < 0 || delivery.root >= distribution.ranks()) {
    throw Error(
        text("root ", delivery.root, " is no rank: they are 0 to ", distribution.ranks() - 1));
  }
  plan.require(problem);
}

ScheduleHeader header_of(const Problem& problem, const Plan& plan) {
  return {problem.order.spec(), problem.order.version(), plan.spec(),
          problem.distribution, problem.delivery,        problem.items};
}

Schedule make_schedule(const Problem& problem, const Plan& plan) {
  check_scheduled(plan);
  check_fit(problem, plan);
  Schedule schedule{header_of(problem, plan), {}};
  schedule.parts.reserve(static_cast<std::size_t>(schedule.ranks()));
  for (Rank rank = 0; rank < schedule.ranks(); ++rank) {
    schedule.parts.push_back(plan.part(problem, rank));
  }
  return schedule;
}

Schedule make_schedule(const Order& order, const Distribution& distribution, const Plan& plan,
                       Delivery delivery, Items items) {
  return make_schedule({order, distribution, delivery, items}, plan);
}

Index count_messages(const Problem& problem, const Plan& plan) {
  check_scheduled(plan);
  check_fit(problem, plan);
  Index count = 0;
  for (Rank rank = 0; rank < problem.distribution.ranks(); ++rank) {
    count += plan.messages(problem, rank);
  }
  return count;
}

}  // namespace bracket
