// SPDX-License-Identifier: MIT

#include "simulate/simulate_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "bracket/model/json.hpp"
#include "bracket/model/plan.hpp"
#include "bracket/model/verify.hpp"
#include "bracket/simulator/goal.hpp"
#include "bracket/simulator/platforms.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/file.hpp"
#include "bracket/support/text.hpp"
#include "rows/row_table.hpp"

namespace bracket::tools {

namespace {

using Json = nlohmann::ordered_json;

}  // namespace

/// The simulated schedule: a given one, or one that a plan makes, whole or in part.
class Subject {
 public:
  explicit Subject(const Schedule& schedule) : given_(&schedule) {}
  Subject(const ScheduleOptions& options, const Distribution& distribution, const std::string& plan)
      : order_(make_order(options.order, distribution.elements())),
        plan_(make_plan(plan)),
        problem_(options.problem(*order_, distribution)) {}
  Subject(const Subject&) = delete;  // `problem_` refers to `order_`

  [[nodiscard]] std::string plan() const { return given_ ? given_->plan : plan_->spec(); }
  [[nodiscard]] std::string order() const { return given_ ? given_->order : order_->spec(); }
  [[nodiscard]] const Distribution& distribution() const {
    return given_ ? given_->distribution : problem_->distribution;
  }
  [[nodiscard]] Delivery delivery() const { return given_ ? given_->delivery : problem_->delivery; }
  [[nodiscard]] Items items() const { return given_ ? given_->items : problem_->items; }

  [[nodiscard]] Scenario scenario(const Conditions& conditions) const {
    if (given_ != nullptr) return {*given_, conditions};
    return {*problem_, *plan_, conditions};
  }

 private:
  const Schedule* given_ = nullptr;
  std::optional<Order> order_;
  std::unique_ptr<Plan> plan_;
  std::optional<Problem> problem_;
};

namespace {

Conditions conditions_of(const SimulateOptions& options) {
  Network network = options.network.network();
  if (!options.watts.empty()) network.watts = NodeWatts::parse(options.watts);
  if (!options.link_watts.empty()) network.link_watts = LinkWatts::parse(options.link_watts);
  return {.machine = options.machine.computing(options.operation),
          .network = std::move(network),
          .placed = options.network.any_placed(),
          .disturbance = options.seeded_disturbance(),
          .timeline = options.any_timeline() || options.reports_timelines(),
          .operation = options.operation.value_or(Operation{}),
          .threads = options.threads()};
}

/// Writes to a file, unless its name is empty.
template <class Write>
void write(const std::string& file, Write&& write_to) {
  if (file.empty()) return;
  std::ostringstream out;
  write_to(out);
  support::write_file(file, out.view());
}

}  // namespace

SimulateRows::SimulateRows(const SimulateOptions& options, std::string where)
    : options_(options), where_(std::move(where)) {
  for (const auto& name : options.engines) {
    engines_.push_back(&model_of(Role::engine, name));
  }
  check_traces();
  check_platform();
  check_watts();
  conditions_ = conditions_of(options);
  if (!options.schedule_file.empty()) return;
  if (options.elements == 0 || options.ranks == 0) {
    throw Error("either -N and -p with N, p >= 1, --plan-file or --schedule must be given");
  }
  make_order(options.schedule.order, options.elements);
  for (const auto& plan : options.schedule.plans) check_scheduled(*make_plan(plan));
}

std::size_t SimulateRows::distributions() const {
  return options_.schedule_file.empty() ? options_.schedule.distributions.size() : 1;
}

std::size_t SimulateRows::plans() const {
  return options_.schedule_file.empty() ? options_.schedule.plans.size() : 1;
}

void SimulateRows::run(std::size_t distribution, std::size_t plan, const RowUses& uses) {
  if (!options_.schedule_file.empty()) {
    const Schedule schedule = read_schedule(options_.schedule_file);
    const Verdict verdict = verify(schedule);
    if (!verdict.ok()) {
      throw Error(
          text(options_.schedule_file, ": ", describe(schedule, verdict.violations.front())));
    }
    simulate_one(Subject(schedule), options_.schedule_file, uses);
    return;
  }
  const std::string& name = options_.schedule.distributions[distribution];
  if (!made_ || made_->first != distribution) {
    made_.reset();  // memory may suffice for one only
    made_.emplace(distribution,
                  options_.schedule.distribution(name, options_.elements, options_.ranks));
  }
  simulate_one(Subject(options_.schedule, made_->second, options_.schedule.plans[plan]), name,
               uses);
}

void SimulateRows::run(const RowUses& uses) {
  for (std::size_t distribution = 0; distribution < distributions(); ++distribution) {
    for (std::size_t plan = 0; plan < plans(); ++plan) run(distribution, plan, uses);
  }
}

void SimulateRows::check_traces() const {
  if (!options_.any_trace()) return;
  for (const auto& [option, file] :
       {std::pair("--chrome-trace", &options_.chrome_trace), std::pair("--paje", &options_.paje)}) {
    if (file->empty()) continue;
    if (engines_.size() != 1) {
      throw Error(text(option, " requires one --engine, not ", engines_.size()));
    }
    require(*engines_.front(), Role::engine, &Knowledge::timelines, option);
  }
  if (!options_.sweeps.empty() ||
      (options_.schedule_file.empty() &&
       options_.schedule.plans.size() * options_.schedule.distributions.size() != 1)) {
    throw Error("--goal, --chrome-trace and --paje require one plan and one distribution");
  }
}

void SimulateRows::check_platform() const {
  static_cast<void>(options_.network.network());  // throws for bad options
  for (const CostModel* const engine : engines_) {
    options_.network.check_known_by(*engine, Role::engine);
  }
}

void SimulateRows::check_watts() const {
  const auto check = [&](const char* option, const std::string& written) {
    if (written.empty()) return;
    if (PlatformSpec::parse(options_.network.platform).kind == PlatformSpec::Kind::file) {
      throw Error(text(option, " requires a platform by name: ", options_.network.platform,
                       " defines its own"));
    }
    const bool any_energy =
        std::any_of(engines_.begin(), engines_.end(),
                    [](const CostModel* engine) { return engine->knows.energy; });
    if (!any_energy) require(*engines_.front(), Role::engine, &Knowledge::energy, option);
  };
  check("--watts", options_.watts);
  check("--link-watts", options_.link_watts);
}

void SimulateRows::simulate_one(const Subject& subject, const std::string& distribution,
                                const RowUses& uses) const {
  const Scenario scenario = subject.scenario(conditions_);
  for (const CostModel* const engine : engines_) {
    Json row = settings(subject, distribution, *engine);
    if (uses.is_known(row)) continue;
    uses.say(fmt::format("{}{}: simulating {} over {} on {} ...", where_, engine->name,
                         subject.plan(), distribution,
                         counted(subject.distribution().ranks(), "rank")));
    const Prediction prediction = predict(*engine, scenario);
    write_traces(scenario.workload(), prediction);
    row.update(prediction.result);
    row["messages"] = prediction.messages;
    row["simulated_messages"] = prediction.messages;
    row["simulated_seconds"] = prediction.makespan;
    if (prediction.joules) row["joules"] = *prediction.joules;
    if (options_.finish) row["finish_seconds"] = prediction.finish;
    if (uses.show && prediction.timeline) {
      uses.show(row, *prediction.timeline, subject.distribution().ranks());
    }
    uses.take(std::move(row));
  }
}

Json SimulateRows::settings(const Subject& subject, const std::string& distribution,
                            const CostModel& engine) const {
  Json row{{"elements", subject.distribution().elements()},
           {"ranks", subject.distribution().ranks()},
           {"order", subject.order()},
           {"distribution", distribution},
           {"plan", subject.plan()},
           {"engine", engine.name}};
  if (engine.knows.links) row["platform"] = options_.network.platform;
  if (engine.knows.energy) {
    if (!options_.watts.empty()) row["watts"] = options_.watts;
    if (!options_.link_watts.empty()) row["link_watts"] = options_.link_watts;
  }
  options_.schedule.tell(row);
  tell_delivery(row, subject.delivery(), subject.items());  // from the file, if there is one
  options_.tell(row);
  if (const auto files = options_.digest_of_files(distribution); !files.empty()) {
    row["files"] = files;
  }
  return row;
}

void SimulateRows::write_traces(const Workload& workload, const Prediction& prediction) const {
  const Rank ranks = workload.ranks();
  write(options_.goal, [&](std::ostream& out) { write_goal(out, workload, conditions_.machine); });
  if (!prediction.timeline) return;
  const Timeline& timeline = *prediction.timeline;
  write(options_.chrome_trace,
        [&](std::ostream& out) { write_chrome_trace(out, timeline, ranks); });
  write(options_.paje, [&](std::ostream& out) { write_paje(out, timeline, ranks); });
}

}  // namespace bracket::tools
