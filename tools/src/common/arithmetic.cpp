// SPDX-License-Identifier: MIT

#include "common/arithmetic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "bracket/model/order.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "common/help.hpp"

namespace bracket::tools {

using Json = nlohmann::ordered_json;

namespace {

constexpr std::array arithmetic_options{"--algorithm", "--op", "--type", "--widened", "--checked"};

/// Throws `Error` if the order is not that of the algorithm. `said` is the option with its order.
void check_order(const Order& order, const std::string& said, const Algorithm& algorithm) {
  const Order own = make_order(algorithm.order, order.elements());
  if (order.fixed() ? own.fixed() && own.chunk_size() == order.chunk_size() : !own.fixed()) return;
  throw Error(text(said, " contradicts --algorithm ", algorithm.spec(),
                   own.fixed() ? ", which has an order of its own" : ", which needs no order",
                   ": leave one of them out"));
}

/// Prints, once, that messages and predictions are those of the second reduction.
void tell_first_reduction(const Operation& operation) {
  static bool told = false;
  if (operation.algorithm.arithmetic != Arithmetic::pre_rounded || std::exchange(told, true)) {
    return;
  }
  fmt::print(stderr,
             "bracket: {} has two reductions. Messages and predictions are those of the second; "
             "the first is like --op maximum --all\n",
             operation.algorithm.spec());
}

}  // namespace

void ArithmeticOptions::add_to(CLI::App& command) {
  command_ = &command;
  const HelpGroup group(command, "Arithmetic");
  const std::string help = text(
      other_arithmetics(),
      ", in place of adding in the order of --order. binned sums elements in any sequence to "
      "the same bits, but takes longer; it uses K bins, by default 3, and more bins are more "
      "accurate. double-double adds in tree order, with intermediate results of about twice "
      "the digits. pre-rounded rounds the elements to multiples that have no rounding errors, "
      "after a first reduction of the largest magnitude. stochastic adds three times with random "
      "rounding, in tree order, and takes the "
      "mean; `bracket digits` shows the digits that the three share. `bracket list algorithms` "
      "explains each. Do not also give --order; a name "
      "of --order means the same here",
      takes_baselines ? ". irreproducible and accumulate are sums without reproducibility, to "
                        "compare with: `bracket list baselines` explains them"
                      : "",
      takes_several ? "; give several names to compare them" : "");
  if (takes_several) {
    add_name_list(command, "--algorithm", algorithms, help);
  } else {
    command
        .add_option_function<std::string>(
            "--algorithm", [this](const std::string& name) { algorithms = {name}; }, help)
        ->type_name("NAME");
  }
  command
      .add_option("--op", op,
                  "operator that combines the elements; `bracket list operators` explains each")
      ->capture_default_str()
      ->type_name("NAME");
  command.add_option("--type", type, "type of the elements; `bracket list types` explains each")
      ->capture_default_str()
      ->type_name("NAME");
  command.add_flag("--widened", widened, "compute float32 in float64 and round once at the end");
  command.add_flag("--checked", checked,
                   "report an error if an integer does not fit; without it, integers wrap");
}

Operation ArithmeticOptions::operation(const ScheduleOptions& schedule, bool order_given,
                                       Index elements, std::size_t which) const {
  if (tuned_) return tuned_->in_order(schedule.order);
  Operation asked{
      .op = op_named(op), .type = type_named(type), .widened = widened, .checked = checked};
  const auto order = make_order(schedule.order, elements);
  const std::string said = text(schedule.order_said(), " ", order.spec());
  if (order_given && order.explicit_tree() != nullptr) {
    throw Error(text(schedule.order_said(),
                     ": an explicit order is for plain sums of float64 in one field: leave it out, "
                     "or --algorithm, --op, --type, --widened, --checked and --fields"));
  }
  const std::string algorithm = algorithms.empty() ? "" : algorithms.at(which);
  asked.baseline = baseline_named(algorithm);
  if (asked.baseline != Baseline::none) {
    if (!takes_baselines) {
      throw Error(text("--algorithm ", algorithm, ": ", command_->get_name(),
                       " takes no baselines; run, count, simulate and compare do"));
    }
    const auto refuse = [&](const std::string& given, const char* why) {
      throw Error(text(given, ": --algorithm ", algorithm, why, ": leave one of them out"));
    };
    if (order_given) refuse(said, " has no order");
    if (schedule.items > 1) refuse(option_of(schedule.items), " sums single numbers");
    if (schedule.delivery.collective == Collective::reduce_scatter) {
      refuse("--scatter", " sums single numbers");
    }
    asked.algorithm.order = "associative";
  } else if (!algorithms.empty()) {
    asked.algorithm = make_algorithm(algorithm);
    if (order_given) check_order(order, said, asked.algorithm);
  } else if (!order_given) {
    asked.algorithm.order = is_integer(asked.type) ? "associative" : "tree";
  } else {
    if (!order.fixed() && !asked.associative()) {
      throw Error(text(said, ": the bits depend on the bracketing: choose ", fixed_orders(),
                       ", or --algorithm binned, whose bits do not"));
    }
    asked.algorithm.order = order.spec();
  }
  const auto* const json = command_->get_option_no_throw("--json");
  const bool for_people = json == nullptr || json->count() == 0;
  if (predicts && for_people) tell_first_reduction(asked);
  return asked;
}

bool ArithmeticOptions::is_given(const ScheduleOptions& schedule, const char* option) const {
  return !schedule.plan_file.empty() || command_->get_option(option)->count() > 0;
}

std::optional<Operation> ArithmeticOptions::take_order(ScheduleOptions& schedule, Index elements,
                                                       std::size_t which) {
  take_tuned(schedule);
  if (!given()) return std::nullopt;
  const Operation asked = operation(schedule, is_given(schedule, "--order"), elements, which);
  asked.check();
  schedule.order = asked.algorithm.order;
  return asked;
}

std::optional<Operation> ArithmeticOptions::settle(ScheduleOptions& schedule, Index elements,
                                                   std::size_t which, bool measures) {
  const auto asked = take_order(schedule, elements, which);
  if (asked && asked->baseline != Baseline::none && measures) {
    schedule.plans = {"native"};
  } else if (asked && !is_given(schedule, "--plan")) {
    schedule.plans = {plan_without_order(schedule.delivery.collective)};
  }
  return asked;
}

void ArithmeticOptions::take_tuned(const ScheduleOptions& schedule) {
  if (!schedule.tuned || !schedule.tuned->operation) return;
  const Operation& operation = *schedule.tuned->operation;
  if (const char* const option = given_option()) {
    throw Error(
        text(option, ": ", schedule.plan_file, " is for ", operation.spec(), ": leave it out"));
  }
  if (operation.of_products()) {
    throw Error(text(schedule.plan_file, ": it is for ", operation.spec(),
                     ": this command has no products"));
  }
  tuned_ = operation;
}

const char* ArithmeticOptions::given_option() const {
  const auto* const found =
      std::find_if(arithmetic_options.begin(), arithmetic_options.end(),
                   [&](const char* name) { return command_->get_option(name)->count() > 0; });
  return found == arithmetic_options.end() ? nullptr : *found;
}

bool ArithmeticOptions::given() const { return tuned_ || given_option() != nullptr; }

bool ArithmeticOptions::baseline_given() const {
  return !algorithms.empty() && baseline_named(algorithms.front()) != Baseline::none;
}

Type ArithmeticOptions::element_type() const { return tuned_ ? tuned_->type : type_named(type); }

const char* plan_without_order(Collective collective) {
  return collective == Collective::all_reduce ? "butterfly" : "aggregated";
}

Operation operation_of(const Json& row) {
  Operation operation;
  const auto member = [&](const char* key, bool (Json::*is)() const noexcept) -> const Json& {
    const Json& value = row.at(key);
    if ((value.*is)()) return value;
    throw Error(text("\"", key, "\" has the wrong type"));
  };
  const auto word = [&](const char* key) {
    return member(key, &Json::is_string).get<std::string>();
  };
  if (row.contains("algorithm")) {
    const std::string algorithm = word("algorithm");
    operation.baseline = baseline_named(algorithm);
    if (operation.baseline == Baseline::none) operation.algorithm = make_algorithm(algorithm);
  }
  if (operation.algorithm.arithmetic == Arithmetic::plain) operation.algorithm.order = "tree";
  if (row.contains("op")) operation.op = op_named(word("op"));
  if (row.contains("type")) operation.type = type_named(word("type"));
  const auto flag = [&](const char* key) {
    return row.contains(key) && member(key, &Json::is_boolean).get<bool>();
  };
  operation.widened = flag("widened");
  operation.checked = flag("checked");
  if (flag("products")) operation.terms = Terms::products;
  return operation;
}

std::vector<std::string> arguments_of(const Operation& operation) {
  std::vector<std::string> words{"--algorithm", operation.algorithm_spec(),
                                 "--op",        std::string(name_of(operation.op)),
                                 "--type",      std::string(name_of(operation.type))};
  if (operation.widened) words.emplace_back("--widened");
  if (operation.checked) words.emplace_back("--checked");
  return words;
}

void tell_operation(Json& row, const Operation& operation) {
  row["algorithm"] = operation.algorithm_spec();
  row["op"] = name_of(operation.op);
  row["type"] = name_of(operation.type);
  if (operation.widened) row["widened"] = true;
  if (operation.checked) row["checked"] = true;
}

}  // namespace bracket::tools
