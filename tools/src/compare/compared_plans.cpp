#include "compare/compared_plans.hpp"

#include <nlohmann/json.hpp>

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

Machine ComparedPlans::computing(const Machine& machine) const {
  return operation ? machine.computing(*operation) : machine;
}

void ComparedPlans::tell(nlohmann::ordered_json& row) const {
  if (operation) tell_operation(row, *operation);
}

std::string ComparedPlans::choice(const RowKey& key) const {
  const std::string route = text(key.plan, " over ", key.distribution);
  return operation ? text(operation->algorithm.spec(), " by ", route) : route;
}

}  // namespace bracket::tools
