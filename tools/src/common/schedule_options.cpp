// SPDX-License-Identifier: MIT

#include "common/schedule_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

#include "bracket/model/json.hpp"
#include "bracket/model/rank_order.hpp"
#include "bracket/model/ranked_order.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "bracket/support/whole_number.hpp"
#include "common/help.hpp"
#include "common/value_list.hpp"
#include "models/cost_models.hpp"

namespace bracket::tools {

CLI::Option* add_rank_order(CLI::App& command, std::optional<std::string>& rank_order) {
  auto* const option =
      command
          .add_option("--rank-order", rank_order,
                      "permutation of ranks: the k-th share of the elements goes to its k-th rank; "
                      "the elements keep their sequence, so this does not change the bits; "
                      "`bracket list rank-orders` explains each. A file.json of `bracket reveal` "
                      "has the rank of each operand")
          ->default_str("from the --distribution file, otherwise identity")
          ->type_name("NAME");
  read_orders(*option, [](const RankedOrder& read) { return ranks_in_words(read.ranks); });
  return option;
}

Distribution in_rank_order(const Distribution& distribution,
                           const std::optional<std::string>& rank_order) {
  if (!rank_order) return distribution;
  return distribution.with_rank_order(make_rank_order(*rank_order, distribution.ranks()));
}

namespace {

Index fields_in(const std::string& written) {
  const Index fields = support::parse_count(written, "--fields", Items::most_fields);
  if (fields < 1) throw Error(text("--fields must be at least 1, not ", written));
  return fields;
}

}  // namespace

std::vector<CLI::Option*> add_delivery(CLI::App& command, Delivery& delivery, Items& items) {
  const HelpGroup group(command, "Reduction");
  auto* const items_option =
      add_whole(
          command, "--items", items.count,
          "vector length: each of the N elements is M consecutive numbers, reduced component by "
          "component",
          Index{1})
          ->capture_default_str()
          ->type_name("M");
  auto* const fields_option =
      command
          .add_option_function<std::string>(
              "--fields",
              [&items](const std::string& written) {
                items = Items::of_fields(fields_in(written));
              },
              "reduce so many fields in the same messages: each is an array of N numbers; not with "
              "--items or --scatter")
          ->type_name("F")
          ->excludes(items_option);
  auto* const all = command.add_flag_callback(
      "--all", [&delivery] { delivery.collective = Collective::all_reduce; },
      "give the result to every rank (all-reduce)");
  auto* const scatter = command.add_flag_callback(
      "--scatter", [&delivery] { delivery.collective = Collective::reduce_scatter; },
      "with --items M: split the result vector into p blocks and give rank k the k-th "
      "(reduce-scatter); not with --all");
  scatter->excludes(all);
  scatter->excludes(fields_option);
  auto* const root = add_whole(command, "--root", delivery.root,
                               "rank that gets the result; not with --all or --scatter")
                         ->capture_default_str()
                         ->type_name("RANK")
                         ->excludes(all)
                         ->excludes(scatter);
  return {all, scatter, root, items_option, fields_option};
}

CLI::Option* add_plan_file(CLI::App& command, std::string& file, const std::string& what) {
  return command.add_option("--plan-file", file, what)
      ->type_name("FILE.json")
      ->each([](const std::string& given) {
        if (given.empty()) throw Error("--plan-file is empty: a file's name was expected");
      });
}

CLI::Option* ScheduleOptions::add_to(CLI::App& command, CLI::Option* instead) {
  std::vector<CLI::Option*> options = add_delivery(command, delivery, items);
  const HelpGroup group(command, "Schedule");
  auto* const order_option = add_order(command, order);
  const std::string several = takes_one ? "" : "; give several names for one row each";
  auto* const plan_list =
      add_name_list(
          command, "--plan", plans,
          "routes of partial results between ranks; `bracket list plans` explains each" + several)
          ->capture_default_str();
  auto* const distribution_list =
      add_name_list(command, "--distribution", distributions,
                    "assignment of elements to ranks: a name or a file.json; `bracket list "
                    "distributions` explains each" +
                        several)
          ->capture_default_str();
  if (takes_one) {
    for (auto* const option : {plan_list, distribution_list}) option->type_name("NAME");
  }
  auto* const rank_order_option = add_rank_order(command, rank_order);
  auto* const tuned_option =
      add_plan_file(command, plan_file,
                    "read the order, plan, distribution, vector length or fields and place of the "
                    "result from this file of `bracket tune --plan-file`, which must be for N and "
                    "p; not with --order, --plan, --distribution, --rank-order, --all, --scatter, "
                    "--root, --items and --fields");
  if (instead != nullptr) tuned_option->excludes(instead);
  options.insert(options.end(), {order_option, plan_list, distribution_list, rank_order_option});
  for (auto* const option : options) {
    option->excludes(tuned_option);
    if (instead != nullptr) option->excludes(instead);
  }
  return tuned_option;
}

PlanFile read_tuning(const std::string& file) {
  PlanFile tuning = read_plan_file(file);
  const auto check = [&](const std::string& name, const std::string& place) {
    for (const OfferedModel& known : objectives()) {
      if (known.entry.name == name) return;
    }
    throw Error(text(file, ": ", place, ": ", unknown_name("objective", name, objectives())));
  };
  check(tuning.objective, "\"objective\"");
  for (std::size_t number = 0; number < tuning.plans.size(); ++number) {
    for (const auto& [name, _] : tuning.plans[number].predicted) {
      check(name, text("\"plans\"[", number, "]: \"predicted\""));
    }
  }
  return tuning;
}

Index elements_of(const PlanFile& file, const std::string& name) {
  const auto only = file.only_elements();
  if (!only) throw Error(text(name, ": it has plans for several N: choose one with -N"));
  return *only;
}

void ScheduleOptions::read_tuned() {
  if (plan_file.empty()) return;
  if (!tuned) tuned = read_tuning(plan_file);
  delivery = tuned->delivery;
  items = tuned->items;
}

void ScheduleOptions::take_tuned(Index elements, Rank ranks) {
  if (!tuned) return;
  try {
    const TunedPlan& chosen = tuned->plan_for(elements, ranks);
    order = chosen.order;
    plans = {chosen.plan};
    distributions = {plan_file};
  } catch (const Error& failure) {
    throw Error(text(plan_file, ": ", failure.what()));
  }
}

void ScheduleOptions::take_tuned_of(Index& elements, Rank& ranks) {
  read_tuned();
  if (!tuned) return;
  if (ranks == 0) ranks = tuned->ranks;
  if (elements == 0) elements = elements_of(*tuned, plan_file);
  take_tuned(elements, ranks);
}

std::vector<std::string> ScheduleOptions::arguments(bool named) const {
  if (!plan_file.empty()) return {"--plan-file", plan_file};
  const auto joined = [](const std::vector<std::string>& names) {
    return fmt::format("{}", fmt::join(names, ","));
  };
  std::vector<std::string> words{"--plan", joined(plans), "--distribution", joined(distributions)};
  if (items > 1) words.insert(words.end(), {items.fields ? "--fields" : "--items", text(items)});
  if (!named) words.insert(words.end(), {"--order", order});
  if (rank_order) words.insert(words.end(), {"--rank-order", *rank_order});
  switch (delivery.collective) {
    case Collective::all_reduce:
      words.push_back("--all");
      break;
    case Collective::reduce_scatter:
      words.push_back("--scatter");
      break;
    default:
      words.insert(words.end(), {"--root", std::to_string(delivery.root)});
  }
  return words;
}

Distribution ScheduleOptions::distribution(const std::string& name, Index elements,
                                           Rank ranks) const {
  if (tuned) return tuned->reduction(elements, ranks).distribution;
  return in_rank_order(make_or_read_distribution(name, elements, ranks), rank_order);
}

std::string ScheduleOptions::rank_order_name() const {
  if (!rank_order || *rank_order == "identity") return "";
  const auto ranks = std::count(rank_order->begin(), rank_order->end(), ':');
  std::vector<Rank> identity(static_cast<std::size_t>(ranks));
  std::iota(identity.begin(), identity.end(), Rank{0});
  return *rank_order == ranks_in_words(identity) ? "" : *rank_order;
}

void ScheduleOptions::tell(nlohmann::ordered_json& row) const {
  tell_delivery(row, delivery, items);
  if (const auto name = rank_order_name(); !name.empty()) row["rank_order"] = name;
}

std::string option_of(Items items) { return text(items.fields ? "--fields " : "--items ", items); }

void tell_delivery(nlohmann::ordered_json& row, Delivery delivery, Items items) {
  row["collective"] = name_of(delivery.collective);
  if (delivery.collective == Collective::reduce) row["root"] = delivery.root;
  row["items"] = items.adjacent();
  if (items.fields) row["fields"] = items.count;
}

Schedule ScheduleOptions::schedule(const Distribution& distribution,
                                   const std::string& plan) const {
  const auto the_order = make_order(order, distribution.elements());
  return make_schedule(problem(the_order, distribution), *make_plan(plan));
}

}  // namespace bracket::tools
