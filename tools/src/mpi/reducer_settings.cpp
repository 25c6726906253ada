#include "mpi/reducer_settings.hpp"

#include "bracket/model/plan.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

namespace bracket::tools {

namespace {

constexpr const char* executors_only =
    " is for sums of float64 in an order: leave it out, or --algorithm, --op, --type, --widened "
    "and --checked";

}  // namespace

void check_reducible(const RunOptions& options) {
  const ScheduleOptions& schedule = options.schedule;
  if (!options.schedule_file.empty()) throw Error(text("--schedule", executors_only));
  if (schedule.delivery.collective == Collective::reduce_scatter) {
    throw Error(text("--scatter", executors_only));
  }
  if (schedule.items > 1) throw Error(text("--items ", schedule.items, executors_only));
}

ReducerRequest make_request(const RunOptions& options, Index elements) {
  const ScheduleOptions& schedule = options.schedule;
  ReducerRequest asked;
  const Operation operation = options.arithmetic.operation(schedule, options.order_given, elements);
  asked.type = operation.type;
  asked.op = operation.op;
  asked.algorithm = operation.algorithm.spec();
  asked.settings.algorithm = asked.algorithm;
  // The default plan of `run` requires an order; these plans carry frontiers.
  const std::vector<std::string> fitting{plan_without_order(schedule.delivery.collective)};
  for (const std::string& name : options.plan_given ? schedule.plans : fitting) {
    const auto plan = make_plan(name);
    if (!plan->scheduled()) throw Error(text("the plan ", plan->spec(), executors_only));
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
