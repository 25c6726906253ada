// SPDX-License-Identifier: MIT

#include "bracket/model/plan_file.hpp"

#include <algorithm>
#include <limits>

#include "bracket/model/json.hpp"
#include "bracket/model/order.hpp"
#include "bracket/model/plan.hpp"
#include "bracket/model/spec.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "files/json_fields.hpp"

namespace bracket {

using json_fields::about;
using json_fields::Json;

namespace {

constexpr const char* plan_file_format = "bracket-plan";

std::string place_of_plan(std::size_t number) { return text("\"plans\"[", number, ']'); }

/// Checks a choice for `elements`. A distribution by name is made only when it is used: for many
/// ranks it takes time and memory, and the file's number of ranks must not cause that.
void check_choice(const PlanFile& file, const TunedPlan& plan, Index elements) {
  const auto order = about("\"order\"", [&] { return make_order(plan.order, elements); });
  about("\"distribution\"", [&] {
    if (plan.held.has_value() != plan.distribution.empty()) {
      throw Error("either a name or counts were expected");
    }
    if (!plan.held) {
      if (Spec::parse(plan.distribution).name == "counts") {
        throw Error(text("a name or counts, as a bracket-distribution, were expected, not ",
                         plan.distribution));
      }
      make_distribution(plan.distribution, elements, 1);
    } else if (plan.held->elements() != elements || plan.held->ranks() != file.ranks) {
      throw Error(text("it is for N = ", plan.held->elements(), " and p = ", plan.held->ranks(),
                       ", not for N = ", elements, " and p = ", file.ranks));
    }
  });
  const auto chosen = about("\"plan\"", [&] {
    auto made = make_plan(plan.plan);
    check_scheduled(*made);
    return made;
  });
  check_fit({order, upper_distribution(elements, 1), {0, file.delivery.collective}, file.items},
            *chosen);
}

/// Checks that the operation can be computed in the order of the plan.
void check_operation(const Operation& operation, const TunedPlan& plan) {
  operation.in_order(plan.order).check();
  if (!operation.plain() && plan.order != operation.algorithm.order) {
    throw Error(text("\"order\" is ", plan.order, ", but the order of ", operation.spec(), " is ",
                     operation.algorithm.order));
  }
}

void check_plan(const PlanFile& file, const TunedPlan& plan) {
  if (plan.from < 1 || plan.from > plan.to) {
    throw Error(text("\"elements\": from ", plan.from, " to ", plan.to,
                     ": from 1 on and ascending was expected"));
  }
  for (const Index elements : {plan.from, plan.to}) check_choice(file, plan, elements);
  if (file.operation) check_operation(*file.operation, plan);
  std::vector<std::string> names;
  for (const auto& [name, seconds] : plan.predicted) {
    if (name.empty()) throw Error("\"predicted\": a name is empty");
    // The comparison also rejects NaN.
    if (!(seconds >= 0 && seconds <= std::numeric_limits<double>::max())) {
      throw Error(text("\"predicted\": \"", name, "\" is ", seconds, ": seconds were expected"));
    }
    if (std::find(names.begin(), names.end(), name) != names.end()) {
      throw Error(text("\"predicted\": \"", name, "\" is there twice"));
    }
    names.push_back(name);
  }
  if (std::find(names.begin(), names.end(), file.objective) == names.end()) {
    throw Error(
        text("\"predicted\": \"", excerpt(file.objective), "\", which was minimised, is missing"));
  }
}

/// Sizes as text, such as "10 to 20, 30".
std::string sizes(const std::vector<TunedPlan>& plans) {
  std::string words;
  for (const TunedPlan& plan : plans) {
    words += words.empty() ? "" : ", ";
    words += plan.from == plan.to ? text(plan.from) : text(plan.from, " to ", plan.to);
  }
  return words;
}

Json plan_json(const TunedPlan& plan) {
  Json predicted = Json::object();
  for (const auto& [name, seconds] : plan.predicted) predicted[name] = seconds;
  return {{"elements", {plan.from, plan.to}},
          {"order", plan.order},
          {"order_version", plan.order_version},
          {"plan", plan.plan},
          {"distribution", plan.held ? to_json(*plan.held) : Json(plan.distribution)},
          {"predicted", std::move(predicted)}};
}

TunedPlan plan_from(const Json& json) {
  const auto field = [&](const char* key) -> const Json& {
    return json_fields::member(json, key, "a plan");
  };
  const auto word = [&](const char* key) {
    return json_fields::string(field(key), text('"', key, '"'));
  };
  const Json& elements = json_fields::array(field("elements"), "\"elements\"");
  if (elements.size() != 2) throw Error("\"elements\": [from, to] was expected");
  TunedPlan plan;
  plan.from = json_fields::integer(elements[0], "\"elements\"", 1);
  plan.to = json_fields::integer(elements[1], "\"elements\"", 1);
  plan.order = word("order");
  plan.order_version = static_cast<int>(json_fields::integer(
      field("order_version"), "\"order_version\"", 1, std::numeric_limits<int>::max()));
  plan.plan = word("plan");
  if (const Json& held = field("distribution"); held.is_object()) {
    plan.held = about("\"distribution\"", [&] { return distribution_from_json(held); });
  } else {
    plan.distribution = word("distribution");
  }
  const Json& predicted = field("predicted");
  if (!predicted.is_object()) throw Error("\"predicted\": an object was expected");
  for (const auto& [name, seconds] : predicted.items()) {
    plan.predicted.emplace_back(name,
                                json_fields::number(seconds, text("\"predicted\": \"", name, '"')));
  }
  json_fields::check_keys(
      json, {"elements", "order", "order_version", "plan", "distribution", "predicted"}, "a plan");
  return plan;
}

}  // namespace

std::string library_and_version() { return "bracket " BRACKET_VERSION; }

void PlanFile::check() const {
  if (objective.empty()) throw Error("\"objective\" is empty: a name was expected");
  if (ranks < 1) throw Error(text("\"ranks\" is ", ranks, ": at least 1 was expected"));
  if (delivery.root < 0 || delivery.root >= ranks) {
    throw Error(
        text("\"root\" is ", delivery.root, ": a rank from 0 to ", ranks - 1, " was expected"));
  }
  if (budget < 0) throw Error(text("\"budget\" is ", budget, ": at least 0 was expected"));
  if (seed < 0) throw Error(text("\"seed\" is ", seed, ": at least 0 was expected"));
  if (operation) {
    // Each plan has an order; here, any fixed order will do.
    about("\"operation\"", [&] { operation->in_order("tree").check(); });
  }
  about("\"machine\"", [&] { machine.machine.check(); });
  if (plans.empty()) throw Error("\"plans\": there is none");
  for (std::size_t i = 0; i < plans.size(); ++i) {
    about(place_of_plan(i), [&] {
      check_plan(*this, plans[i]);
      if (i > 0 && plans[i].from <= plans[i - 1].to) {
        throw Error(text("\"elements\": from ", plans[i].from,
                         ", but the plan before is for up to ", plans[i - 1].to));
      }
    });
  }
}

std::optional<Index> PlanFile::only_elements() const {
  if (plans.size() != 1 || plans[0].from != plans[0].to) return std::nullopt;
  return plans[0].from;
}

const TunedPlan& PlanFile::plan_for(Index elements, Rank on) const {
  if (on != ranks) throw Error(text("the plan is for p = ", ranks, ", not for p = ", on));
  const auto found = std::find_if(plans.begin(), plans.end(), [&](const TunedPlan& plan) {
    return plan.from <= elements && elements <= plan.to;
  });
  if (found == plans.end()) {
    throw Error(text("the plan is for N = ", sizes(plans), ", not for N = ", elements));
  }
  const int version = make_order(found->order, elements).version();
  if (version != found->order_version) {
    throw Error(text("the plan is for version ", found->order_version, " of the order ",
                     found->order, ", this is version ", version,
                     ", which gives other bits: tune again"));
  }
  return *found;
}

Operation PlanFile::operation_for(Index elements, Rank on) const {
  return operation.value_or(Operation{}).in_order(plan_for(elements, on).order);
}

ScheduleHeader PlanFile::reduction(Index elements, Rank on) const {
  const TunedPlan& plan = plan_for(elements, on);
  return {plan.order, plan.order_version,
          plan.plan,  plan.held ? *plan.held : make_distribution(plan.distribution, elements, on),
          delivery,   items};
}

nlohmann::ordered_json to_json(const PlanFile& file) {
  file.check();
  Json plans = Json::array();
  for (const TunedPlan& plan : file.plans) plans.push_back(plan_json(plan));
  Json json{{"format", plan_file_format}, {"version", json_fields::format_version},
            {"made_by", file.made_by},    {"objective", file.objective},
            {"ranks", file.ranks},        {"collective", name_of(file.delivery.collective)},
            {"root", file.delivery.root}, {json_fields::items_key(file.items), file.items.count}};
  if (file.operation) json["operation"] = file.operation->spec();
  json.update({{"machine", to_json(file.machine)},
               {"budget", file.budget},
               {"seed", file.seed},
               {"plans", std::move(plans)}});
  return json;
}

PlanFile plan_file_from_json(const nlohmann::ordered_json& json) {
  json_fields::check_header(json, plan_file_format);
  json_fields::check_keys(
      json,
      {"format", "version", "made_by", "objective", "ranks", "collective", "root", "items",
       "fields", "operation", "machine", "budget", "seed", "plans"},
      plan_file_format);
  const auto field = [&](const char* key) -> const Json& {
    return json_fields::member(json, key, plan_file_format);
  };
  PlanFile file;
  file.made_by = json_fields::string(field("made_by"), "\"made_by\"");
  file.objective = json_fields::string(field("objective"), "\"objective\"");
  file.ranks = json_fields::rank_number(field("ranks"), "\"ranks\"");
  file.delivery = {json_fields::rank_number(field("root"), "\"root\""),
                   json_fields::collective(field("collective"))};
  file.items = json_fields::items(json, plan_file_format);
  if (json.contains("operation")) {
    file.operation = about("\"operation\"", [&] {
      auto operation = make_operation(json_fields::string(json["operation"], "the operation"));
      if (operation.baseline != Baseline::none) {
        throw Error(text(operation.spec(), " has no plan"));
      }
      return operation;
    });
  }
  file.machine = about("\"machine\"", [&] { return machine_from_json(field("machine")); });
  file.budget = json_fields::integer(field("budget"), "\"budget\"", 0);
  file.seed = json_fields::integer(field("seed"), "\"seed\"", 0);
  for (const Json& plan : json_fields::array(field("plans"), "\"plans\"")) {
    file.plans.push_back(about(place_of_plan(file.plans.size()), [&] { return plan_from(plan); }));
  }
  file.check();
  return file;
}

PlanFile read_plan_file(const std::filesystem::path& path) {
  const auto json = read_json(path);
  return about(path.string(), [&] { return plan_file_from_json(json); });
}

ScheduleHeader read_planned_reduction(const std::filesystem::path& path, Index elements,
                                      Rank ranks) {
  const PlanFile file = read_plan_file(path);
  return about(path.string(), [&] { return file.reduction(elements, ranks); });
}

}  // namespace bracket
