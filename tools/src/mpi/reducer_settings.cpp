// SPDX-License-Identifier: MIT

#include "mpi/reducer_settings.hpp"

#include "bracket/model/plan.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

namespace bracket::tools {

namespace {

constexpr const char* sums_only =
    " is for sums of float64 in an order: leave it out, or --algorithm, --op, --type, --widened "
    "and --checked";

/// The plans to be made; none for a given schedule.
std::vector<std::string> plans_of(const RunOptions& options) {
  if (options.given) return {};
  if (options.plan_given || !options.arithmetic.given()) return options.schedule.plans;
  // The default plan of `run` requires an order; this one carries frontiers.
  return {plan_without_order(options.schedule.delivery.collective)};
}

}  // namespace

void check_reducible(const RunOptions& options) {
  const ScheduleOptions& schedule = options.schedule;
  if (!options.schedule_file.empty() && !options.given) throw Error(text("--schedule", sums_only));
  if (schedule.delivery.collective == Collective::reduce_scatter) {
    throw Error(text("--scatter", sums_only));
  }
  if (schedule.items.adjacent() > 1) throw Error(text(option_of(schedule.items), sums_only));
}

ReducerRequest make_request(const RunOptions& options, Index elements) {
  ScheduleOptions schedule = options.schedule;
  if (options.given) schedule.order = options.given->order;
  const bool order_given = options.order_given || options.given;
  ReducerRequest asked;
  const Operation operation = options.arithmetic.operation(schedule, order_given, elements);
  asked.type = operation.type;
  asked.op = operation.op;
  asked.algorithm = operation.algorithm.spec();
  asked.settings.algorithm = asked.algorithm;
  for (const std::string& name : plans_of(options)) {
    const auto plan = make_plan(name);
    if (!plan->scheduled()) throw Error(text("the plan ", plan->spec(), sums_only));
    asked.plans.push_back(plan->spec());
  }
  asked.settings.widened = operation.widened;
  asked.settings = with_environment(asked.settings, asked.type, asked.op);
  asked.settings.checked = operation.checked;
  if (schedule.delivery.collective == Collective::reduce) {
    asked.settings.root = schedule.delivery.root;
  }
  asked.settings.threads = options.threads;
  asked.settings.kernel = options.kernel;
  return asked;
}

}  // namespace bracket::tools
