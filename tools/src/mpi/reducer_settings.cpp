#include "mpi/reducer_settings.hpp"

#include "bracket/model/order.hpp"
#include "bracket/model/plan.hpp"
#include "bracket/runtime/binned.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

namespace bracket::tools {

namespace {

/// Returns the `Name` whose `name_of` is `written`. Throws `Error` if there is none.
template <class Name>
Name named(std::string_view kind, std::string_view written, std::span<const ArithmeticRow> table) {
  for (std::size_t i = 0; i < table.size(); ++i) {
    const auto name = static_cast<Name>(i);
    if (name_of(name) == written) return name;
  }
  throw Error(unknown_name(kind, written, table));
}

/// Sets the algorithm that `order` stands for. `said` is the option with its order, for errors.
void take_order(const Order& order, const std::string& said, bool integers, Settings& settings) {
  if (!order.fixed()) {
    if (!integers) {
      throw Error(text(said,
                       ": the bits depend on the bracketing: choose tree, chunked-tree:K or "
                       "sequential, or --algorithm binned, whose bits do not"));
    }
    settings.algorithm = Algorithm::integer;
  } else if (order.chunk_size() == 1) {
    settings.algorithm = Algorithm::tree;
  } else {
    settings.algorithm = Algorithm::chunked_tree;
    settings.chunk = order.chunk_size();
  }
}

/// Throws `Error` if the order contradicts the algorithm.
void check_order(const Order& order, const std::string& said, const Settings& settings) {
  const Algorithm algorithm = settings.algorithm;
  const bool needs_none = algorithm == Algorithm::binned || algorithm == Algorithm::integer;
  const Index chunk = algorithm == Algorithm::chunked_tree ? settings.chunk : 1;
  if (needs_none ? !order.fixed() : order.fixed() && order.chunk_size() == chunk) return;
  throw Error(text(said, " contradicts --algorithm ", algorithm_of(settings),
                   needs_none ? ", which needs no order" : ", which has an order of its own",
                   ": leave one of them out"));
}

void set_algorithm(const RunOptions& options, Index elements, ReducerRequest& asked) {
  const auto& algorithm = options.arithmetic.algorithm;
  const auto order = make_order(options.schedule.order, elements);
  const std::string said = text(options.schedule.order_said(), " ", order.spec());
  if (algorithm) {
    read_algorithm(*algorithm, asked.settings);
    if (options.order_given) check_order(order, said, asked.settings);
  } else if (options.order_given) {
    take_order(order, said, asked.of_integers(), asked.settings);
  } else if (asked.of_integers()) {
    asked.settings.algorithm = Algorithm::integer;
  }
  asked.algorithm = algorithm_of(asked.settings);
}

constexpr const char* executors_only =
    " is for sums of float64 in an order: leave it out, or --algorithm, --op, --type, --widened "
    "and --checked";

}  // namespace

void read_algorithm(const std::string& written, Settings& settings) {
  const Spec spec = Spec::parse(written);
  settings.algorithm = named<Algorithm>("algorithm", spec.name, algorithms());
  if (settings.algorithm == Algorithm::chunked_tree) {
    spec.expect_at_most(1);
    if (spec.parameters.empty()) {
      throw Error("'chunked-tree' needs the chunk size, as in chunked-tree:64");
    }
    settings.chunk = spec.integer(0, "chunk size K", 1, 1);
  } else if (settings.algorithm == Algorithm::binned) {
    spec.expect_at_most(1);
    const Index bins = spec.integer(0, "number of bins K", settings.bins, 1);
    if (bins > Bins::most) {
      throw Error(text("'", excerpt(written), "': there are at most ", int{Bins::most}, " bins"));
    }
    settings.bins = static_cast<int>(bins);
  } else {
    spec.expect_at_most(0);
  }
}

std::string algorithm_of(const Settings& settings) {
  const std::string_view name = name_of(settings.algorithm);
  if (settings.algorithm == Algorithm::chunked_tree) return text(name, ":", settings.chunk);
  if (settings.algorithm == Algorithm::binned) return text(name, ":", settings.bins);
  return std::string(name);
}

Type asked_type(const ArithmeticOptions& options) {
  return named<Type>("type", options.type, types());
}

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
  asked.op = named<Op>("operator", options.arithmetic.op, operators());
  set_algorithm(options, elements, asked);
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
