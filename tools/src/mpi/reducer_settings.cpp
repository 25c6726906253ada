#include "mpi/reducer_settings.hpp"

#include "bracket/model/algorithm.hpp"
#include "bracket/model/order.hpp"
#include "bracket/model/plan.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

namespace bracket::tools {

namespace {

/// Throws `Error` if the order is not that of the algorithm. `said` is the option with its order.
void check_order(const Order& order, const std::string& said, const Algorithm& algorithm) {
  const Order own = make_order(algorithm.order, order.elements());
  if (order.fixed() ? own.fixed() && own.chunk_size() == order.chunk_size() : !own.fixed()) return;
  throw Error(text(said, " contradicts --algorithm ", algorithm.spec(),
                   own.fixed() ? ", which has an order of its own" : ", which needs no order",
                   ": leave one of them out"));
}

/// Returns the algorithm that the options choose.
Algorithm chosen_algorithm(const RunOptions& options, Index elements, const ReducerRequest& asked) {
  const auto order = make_order(options.schedule.order, elements);
  const std::string said = text(options.schedule.order_said(), " ", order.spec());
  if (options.arithmetic.algorithm) {
    Algorithm algorithm = make_algorithm(*options.arithmetic.algorithm);
    if (options.order_given) check_order(order, said, algorithm);
    return algorithm;
  }
  if (!options.order_given) return {asked.of_integers() ? "associative" : "tree"};
  const bool rounds = !asked.of_integers() && (asked.op == Op::sum || asked.op == Op::product);
  if (!order.fixed() && rounds) {
    throw Error(text(said, ": the bits depend on the bracketing: choose ", fixed_orders(),
                     ", or --algorithm binned, whose bits do not"));
  }
  return {order.spec()};
}

constexpr const char* executors_only =
    " is for sums of float64 in an order: leave it out, or --algorithm, --op, --type, --widened "
    "and --checked";

}  // namespace

Type asked_type(const ArithmeticOptions& options) { return type_named(options.type); }

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
  asked.type = asked_type(options.arithmetic);
  asked.op = op_named(options.arithmetic.op);
  asked.algorithm = chosen_algorithm(options, elements, asked).spec();
  asked.settings.algorithm = asked.algorithm;
  // The default plan of `run` requires an order; these plans carry frontiers.
  const bool to_all = schedule.delivery.collective == Collective::all_reduce;
  const std::vector<std::string> fitting{to_all ? "butterfly" : "aggregated"};
  for (const std::string& name : options.plan_given ? schedule.plans : fitting) {
    const auto plan = make_plan(name);
    if (!plan->scheduled()) throw Error(text("the plan ", plan->spec(), executors_only));
    asked.plans.push_back(plan->spec());
  }
  asked.settings.widened = options.arithmetic.widened;
  asked.settings = with_environment(asked.settings, asked.type, asked.op);
  asked.settings.checked = options.arithmetic.checked;
  if (schedule.delivery.collective == Collective::reduce) {
    asked.settings.root = schedule.delivery.root;
  }
  asked.settings.threads = options.threads;
  asked.settings.kernel = options.kernel;
  return asked;
}

}  // namespace bracket::tools
