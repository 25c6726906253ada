#include "simulate/simulate_rows.hpp"

#ifdef BRACKET_HAS_SIMGRID
#include "bracket/simulator/simgrid.hpp"
#endif
#ifdef BRACKET_HAS_SMPI
#include "common/result.hpp"
#include "simulate/smpi.hpp"
#endif

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "bracket/model/json.hpp"
#include "bracket/model/plan.hpp"
#include "bracket/model/verify.hpp"
#include "bracket/simulator/goal.hpp"
#include "bracket/simulator/loggops.hpp"
#include "bracket/simulator/platforms.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/file.hpp"
#include "rows/report.hpp"

namespace bracket::tools {

using Json = nlohmann::ordered_json;

/// What is simulated: a schedule that is there, or one that a plan makes, whole or not.
class Subject {
 public:
  explicit Subject(const Schedule& schedule) : given_(&schedule) {}
  Subject(const ScheduleOptions& options, const Distribution& distribution, const std::string& plan)
      : order_(make_order(options.order, distribution.elements())),
        plan_(make_plan(plan)),
        problem_(options.problem(*order_, distribution)) {}

  [[nodiscard]] std::string plan() const { return given_ ? given_->plan : plan_->spec(); }
  [[nodiscard]] std::string order() const { return given_ ? given_->order : order_->spec(); }
  [[nodiscard]] const Distribution& distribution() const {
    return given_ ? given_->distribution : problem_->distribution;
  }
  [[nodiscard]] Delivery delivery() const { return given_ ? given_->delivery : problem_->delivery; }
  [[nodiscard]] Index items() const { return given_ ? given_->items : problem_->items; }

#ifdef BRACKET_HAS_SMPI
  [[nodiscard]] SmpiRun execute(const Workload& workload, const Machine& machine,
                                const Network& network) const {
    return given_ != nullptr ? execute_on_smpi(*given_, workload, machine, network)
                             : execute_on_smpi(*problem_, *plan_, workload, machine, network);
  }
#endif
  [[nodiscard]] Workload workload(const Machine& machine, const Disturbance& disturbance,
                                  std::span<const std::uint32_t> sites) const {
    if (given_ != nullptr) return {*given_, machine, disturbance, sites};
    return {*problem_, *plan_, machine, disturbance, sites};
  }

 private:
  const Schedule* given_ = nullptr;
  std::unique_ptr<Order> order_;
  std::unique_ptr<Plan> plan_;
  std::optional<Problem> problem_;
};

namespace {

#ifdef BRACKET_HAS_SIMGRID
Network network(const SimulateOptions& options) {
  Network network = options.network.network();
  if (!options.watts.empty()) network.watts = NodeWatts::parse(options.watts);
  if (!options.link_watts.empty()) network.link_watts = LinkWatts::parse(options.link_watts);
  return network;
}
#endif

/// To a file, unless its name is empty.
template <class Write>
void write(const std::string& file, Write&& write_to) {
  if (file.empty()) return;
  std::ostringstream out;
  write_to(out);
  write_file(file, out.view());
}

}  // namespace

SimulateRows::SimulateRows(const SimulateOptions& options, std::string where)
    : options_(options), where_(std::move(where)) {
  for (const auto& name : options.engines) engines_.push_back(engine_of(name));
  check_traces();
  check_platform();
  check_watts();
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

void SimulateRows::run(std::size_t distribution, std::size_t plan, const Uses& uses) {
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
    made_.reset();  // there may be room for one only
    made_.emplace(distribution,
                  options_.schedule.distribution(name, options_.elements, options_.ranks));
  }
  simulate_one(Subject(options_.schedule, made_->second, options_.schedule.plans[plan]), name,
               uses);
}

void SimulateRows::run(const Uses& uses) {
  for (std::size_t distribution = 0; distribution < distributions(); ++distribution) {
    for (std::size_t plan = 0; plan < plans(); ++plan) run(distribution, plan, uses);
  }
}

void SimulateRows::check_traces() const {
  if (!options_.any_trace()) return;
  if (options_.any_timeline() && (engines_.size() != 1 || engines_[0] == Engine::smpi)) {
    throw Error("--chrome-trace and --paje are of one engine, loggops or simgrid");
  }
  if (!options_.sweeps.empty() ||
      (options_.schedule_file.empty() &&
       options_.schedule.plans.size() * options_.schedule.distributions.size() != 1)) {
    throw Error("--goal, --chrome-trace and --paje are of one plan and one distribution");
  }
}

void SimulateRows::check_platform() const {
  static_cast<void>(options_.network.network());  // for what it refuses
  if (std::find(engines_.begin(), engines_.end(), Engine::loggops) != engines_.end()) {
    options_.network.check_without_links();
  }
}

void SimulateRows::check_watts() const {
  const auto check = [&](const char* option, const std::string& written) {
    if (written.empty()) return;
    if (PlatformSpec::parse(options_.network.platform).kind == PlatformSpec::Kind::file) {
      throw Error(
          text(option, " is of a platform by name: ", options_.network.platform, " says its own"));
    }
    if (std::find(engines_.begin(), engines_.end(), Engine::simgrid) == engines_.end()) {
      throw Error(text(option, " is of --engine simgrid: the others know no energy"));
    }
  };
  check("--watts", options_.watts);
  check("--link-watts", options_.link_watts);
}

void SimulateRows::simulate_one(const Subject& subject, const std::string& distribution,
                                const Uses& uses) const {
  const Machine& machine = options_.machine.machine;
  std::optional<Workload> workload;
  for (std::size_t i = 0; i < engines_.size(); ++i) {
    const std::string& engine = options_.engines[i];
    Json row = settings(subject, distribution, engine);
    if (uses.is_known(row)) continue;
    uses.say(fmt::format("{}{}: simulating {} over {} on {} ...", where_, engine, subject.plan(),
                         distribution, counted(subject.distribution().ranks(), "rank")));
    if (!workload) {
      workload = subject.workload(machine, options_.seeded_disturbance(),
                                  options_.network.sites(subject.distribution().ranks()));
    }
    Timeline timeline;
    Timeline* const seen = options_.any_timeline() ? &timeline : nullptr;
    const Simulation simulation = engines_[i] == Engine::loggops ? by_loggops(*workload, seen)
                                  : engines_[i] == Engine::simgrid
                                      ? by_simgrid(*workload, seen)
                                      : by_smpi(subject, *workload, row);
    write_traces(*workload, timeline);
    row["messages"] = simulation.messages;
    row["simulated_messages"] = simulation.messages;
    row["simulated_seconds"] = simulation.makespan;
    if (simulation.joules) row["joules"] = *simulation.joules;
    if (options_.finish) row["finish_seconds"] = simulation.finish;
    uses.take(std::move(row));
  }
}

Json SimulateRows::settings(const Subject& subject, const std::string& distribution,
                            const std::string& engine) const {
  Json row{{"elements", subject.distribution().elements()},
           {"ranks", subject.distribution().ranks()},
           {"order", subject.order()},
           {"distribution", distribution},
           {"plan", subject.plan()},
           {"engine", engine}};
  if (engine_of(engine) != Engine::loggops) {
    row["platform"] = options_.network.platform;
  }
  if (engine_of(engine) == Engine::simgrid) {
    if (!options_.watts.empty()) row["watts"] = options_.watts;
    if (!options_.link_watts.empty()) row["link_watts"] = options_.link_watts;
  }
  options_.schedule.tell(row);
  tell_delivery(row, subject.delivery(), subject.items());  // a file's, if it came from one
  options_.tell(row);
  if (const auto files = options_.digest_of_files(distribution); !files.empty()) {
    row["files"] = files;
  }
  return row;
}

Simulation SimulateRows::by_loggops(const Workload& workload, Timeline* timeline) const {
  const Machine& machine = options_.machine.machine;
  const auto nodes = options_.network.nodes(workload.ranks(), machine);
  return replay_loggops(workload, machine, nodes, timeline);
}

Simulation SimulateRows::by_simgrid([[maybe_unused]] const Workload& workload,
                                    [[maybe_unused]] Timeline* timeline) const {
#ifdef BRACKET_HAS_SIMGRID
  return replay_simgrid(workload, options_.machine.machine, network(options_), timeline);
#else
  throw Error("this build has no SimGrid");
#endif
}

Simulation SimulateRows::by_smpi([[maybe_unused]] const Subject& subject,
                                 [[maybe_unused]] const Workload& workload,
                                 [[maybe_unused]] Json& row) const {
#ifdef BRACKET_HAS_SMPI
  SmpiRun run = subject.execute(workload, options_.machine.machine, network(options_));
  tell_result(row, run.result);
  return std::move(run.simulation);
#else
  throw Error("this build has no SMPI");
#endif
}

void SimulateRows::write_traces(const Workload& workload, const Timeline& timeline) const {
  const Rank ranks = workload.ranks();
  write(options_.goal,
        [&](std::ostream& out) { write_goal(out, workload, options_.machine.machine); });
  write(options_.chrome_trace,
        [&](std::ostream& out) { write_chrome_trace(out, timeline, ranks); });
  write(options_.paje, [&](std::ostream& out) { write_paje(out, timeline, ranks); });
}

}  // namespace bracket::tools
