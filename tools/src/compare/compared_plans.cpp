// SPDX-License-Identifier: MIT

#include "compare/compared_plans.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "bracket/model/plan.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

namespace bracket::tools {

ComparedPlans::ComparedPlans(ScheduleOptions options, Index elements,
                             std::optional<Operation> computed)
    : schedule(std::move(options)),
      order(make_order(schedule.order, elements)),
      operation(std::move(computed)) {}

RowSetting ComparedPlans::setting() const {
  RowSetting setting{order.spec(), schedule.delivery, schedule.items};
  if (operation) {
    nlohmann::ordered_json row;
    tell_operation(row, *operation);
    setting.operation = operation_of(row);  // as it is in rows
  }
  return setting;
}

std::vector<std::string> ComparedPlans::arguments() const {
  const bool from_file = !schedule.plan_file.empty() && schedule.tuned->operation;
  std::vector<std::string> words = schedule.arguments(operation.has_value());
  if (operation && !from_file) {
    const auto more = arguments_of(*operation);
    words.insert(words.end(), more.begin(), more.end());
  }
  return words;
}

std::string ComparedPlans::modelled(const std::string& plan) const {
  if (!of_baseline()) return plan;
  return make_plan(plan_without_order(schedule.delivery.collective))->spec();
}

void ComparedPlans::tell(nlohmann::ordered_json& row) const {
  if (operation) tell_operation(row, *operation);
}

std::string ComparedPlans::choice(const RowKey& key) const {
  const std::string route = text(key.plan, " over ", key.distribution);
  return operation ? text(operation->algorithm_spec(), " by ", route) : route;
}

namespace {

/// Throws `Error` for options that other operations than the sum of float64 do not have.
void check_options_of_operation(const CompareOptions& options) {
  const bool measures = !options.predict && options.measured.empty();
  const Items items = options.schedule.items;
  const bool scatters = options.schedule.delivery.collective == Collective::reduce_scatter;
  if (measures && (items.adjacent() > 1 || scatters)) {
    throw Error(text(scatters ? "--scatter" : option_of(items),
                     ": only sums of float64 in an order can be measured: give --predict, or "
                     "leave out --algorithm, --op, --type, --widened and --checked"));
  }
  if (options.fit) {
    throw Error(
        "--fit derives the time of an addition of float64: leave it out, or --algorithm, --op, "
        "--type, --widened and --checked");
  }
}

}  // namespace

std::vector<ComparedPlans> compared_plans(CompareOptions& options) {
  for (const Rank p : options.ranks) options.schedule.take_tuned(options.elements, p);
  std::vector<ComparedPlans> all;
  ArithmeticOptions& arithmetic = options.arithmetic;
  arithmetic.predicts = options.predict;
  arithmetic.take_tuned(options.schedule);
  if (arithmetic.given()) check_options_of_operation(options);
  for (std::size_t which = 0; which < std::max<std::size_t>(1, arithmetic.algorithms.size());
       ++which) {
    ScheduleOptions schedule = options.schedule;
    const auto operation = arithmetic.settle(schedule, options.elements, which, true);
    if (operation && operation->algorithm.arithmetic == Arithmetic::pre_rounded &&
        !options.predict) {
      throw Error(text("--algorithm ", operation->algorithm.spec(),
                       " has two reductions, and predictions are those of the second: give "
                       "--predict, or measure it with bench"));
    }
    all.emplace_back(std::move(schedule), options.elements, operation);
  }
  if (options.schedule.tuned) {
    ScheduleOptions usual;
    usual.delivery = options.schedule.delivery;
    usual.items = options.schedule.items;
    const auto operation = all.front().operation;
    if (operation) {
      usual.order = options.schedule.order;
      usual.plans = {plan_without_order(usual.delivery.collective)};
    }
    all.emplace_back(usual, options.elements, operation);
  }
  return all;
}

}  // namespace bracket::tools
