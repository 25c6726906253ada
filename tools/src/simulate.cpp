#ifdef BRACKET_HAS_SIMGRID
#include "bracket/simulator/simulate.hpp"
#endif

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <sstream>

#include "bracket/model/error.hpp"
#include "bracket/model/file.hpp"
#include "bracket/model/json.hpp"
#include "bracket/model/plan.hpp"
#include "bracket/model/verify.hpp"
#include "bracket/simulator/goal.hpp"
#include "bracket/simulator/loggops.hpp"
#include "engines.hpp"
#include "options.hpp"
#include "program.hpp"
#include "programs.hpp"
#include "report.hpp"

namespace bracket::tools {

namespace {

struct Options {
  Index elements = 0;
  Rank ranks = 0;
  ScheduleOptions schedule;
  std::string schedule_file;
  MachineOptions machine;
  std::vector<std::string> engines{default_engine()};
  std::string platform;
  std::string goal;
  std::string chrome_trace;
  std::string paje;
  bool finish = false;
  bool json = false;

  [[nodiscard]] bool any_output() const {
    return !goal.empty() || !chrome_trace.empty() || !paje.empty();
  }
};

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

  const Schedule& schedule() {
    if (given_ == nullptr && !made_) made_ = make_schedule(*problem_, *plan_);
    return given_ ? *given_ : *made_;
  }
  [[nodiscard]] Workload workload(const Machine& machine) const {
    if (given_ != nullptr) return Workload(*given_, machine);
    return made_ ? Workload(*made_, machine) : Workload(*problem_, *plan_, machine);
  }

 private:
  const Schedule* given_ = nullptr;
  std::unique_ptr<Order> order_;
  std::unique_ptr<Plan> plan_;
  std::optional<Problem> problem_;
  std::optional<Schedule> made_;
};

class SimulateCommand {
 public:
  explicit SimulateCommand(const Options& options)
      : options_(options),
        report_({{"ranks", "p"},
                 {"distribution", "distribution"},
                 {"rank_order", "rank order"},
                 {"plan", "plan"},
                 {"engine", "engine"},
                 {"simulated_messages", "messages"},
                 {"simulated_seconds", "makespan [us]", Column::Shown::microseconds}},
                options.json) {}

  void run() {
    for (const auto& name : options_.engines) engines_.push_back(engine_of(name));
    check_outputs();
    check_platform();
    if (!options_.schedule_file.empty()) {
      const Schedule schedule = read_schedule(options_.schedule_file);
      const Verdict verdict = verify(schedule);
      if (!verdict.ok()) {
        throw Error(
            text(options_.schedule_file, ": ", describe(schedule, verdict.violations.front())));
      }
      simulate_one(Subject(schedule), options_.schedule_file);
    } else {
      if (options_.elements == 0 || options_.ranks == 0) {
        throw Error("either -N and -p with N, p >= 1 or --schedule must be given");
      }
      for (const auto& name : options_.schedule.distributions) {
        const auto distribution =
            options_.schedule.distribution(name, options_.elements, options_.ranks);
        for (const auto& plan : options_.schedule.plans) {
          simulate_one(Subject(options_.schedule, distribution, plan), name);
        }
      }
    }
    progress_.clear();
    report_.finish();
    if (options_.finish && !options_.json) print_finish();
  }

 private:
  void check_outputs() const {
    if (!options_.any_output()) return;
    if (engines_ != std::vector{Engine::loggops}) {
      throw Error("--goal, --chrome-trace and --paje are of --engine loggops alone");
    }
    if (options_.schedule_file.empty() &&
        options_.schedule.plans.size() * options_.schedule.distributions.size() != 1) {
      throw Error("--goal, --chrome-trace and --paje are of one plan and one distribution");
    }
  }

  void check_platform() const {
    if (options_.platform.empty()) return;
    if (std::find(engines_.begin(), engines_.end(), Engine::loggops) != engines_.end()) {
      throw Error("--platform is of --engine simgrid alone: loggops knows no links");
    }
  }

  void simulate_one(Subject subject, const std::string& distribution) {
    for (std::size_t i = 0; i < engines_.size(); ++i) {
      const std::string& engine = options_.engines[i];
      progress_.say(fmt::format("{}: simulating {} over {} on {} ...", engine, subject.plan(),
                                distribution, counted(subject.distribution().ranks(), "rank")));
      tell(subject, distribution, engine,
           engines_[i] == Engine::loggops ? by_loggops(subject) : by_simgrid(subject));
    }
  }

  [[nodiscard]] Simulation by_loggops(const Subject& subject) const {
    const Machine& machine = options_.machine.machine;
    const Workload workload = subject.workload(machine);
    Timeline timeline;
    const bool traced = !options_.chrome_trace.empty() || !options_.paje.empty();
    const Simulation simulation = replay_loggops(workload, machine, {}, traced ? &timeline : nullptr);
    const Rank ranks = workload.ranks();
    write(options_.goal, [&](std::ostream& out) { write_goal(out, workload, machine); });
    write(options_.chrome_trace,
          [&](std::ostream& out) { write_chrome_trace(out, timeline, ranks); });
    write(options_.paje, [&](std::ostream& out) { write_paje(out, timeline, ranks); });
    return simulation;
  }

  /// To a file, unless its name is empty.
  template <class Write>
  static void write(const std::string& file, Write&& write_to) {
    if (file.empty()) return;
    std::ostringstream out;
    write_to(out);
    write_file(file, out.view());
  }

  [[nodiscard]] Simulation by_simgrid([[maybe_unused]] Subject& subject) const {
#ifdef BRACKET_HAS_SIMGRID
    std::optional<std::filesystem::path> platform;
    if (!options_.platform.empty()) platform = options_.platform;
    return simulate(subject.schedule(), options_.machine.machine, platform);
#else
    throw Error("this build has no SimGrid");
#endif
  }

  void tell(const Subject& subject, const std::string& distribution, const std::string& engine,
            const Simulation& simulation) {
    nlohmann::ordered_json row{{"elements", subject.distribution().elements()},
                               {"ranks", subject.distribution().ranks()},
                               {"order", subject.order()},
                               {"distribution", distribution},
                               {"plan", subject.plan()},
                               {"engine", engine}};
    if (engine_of(engine) == Engine::simgrid) {
      row["platform"] = options_.platform.empty() ? "cluster" : options_.platform;
    }
    row["messages"] = simulation.messages;
    row["simulated_messages"] = simulation.messages;
    row["simulated_seconds"] = simulation.makespan;
    options_.schedule.tell(row);
    tell_delivery(row, subject.delivery(), subject.items());  // a file's, if it came from one
    if (options_.finish) {
      row["finish_seconds"] = simulation.finish;
      finishes_.emplace_back(fmt::format("{} over {}, {}", subject.plan(), distribution, engine),
                             simulation.finish);
    }
    if (options_.json) progress_.clear();
    report_.row(std::move(row));
  }

  void print_finish() const {
    for (const auto& [title, finish] : finishes_) {
      std::cout << fmt::format("\n{}: rank, finish [us]\n", title);
      for (std::size_t rank = 0; rank < finish.size(); ++rank) {
        std::cout << fmt::format("{:>8}  {:.3f}\n", rank, finish[rank] * 1e6);
      }
    }
  }

  const Options& options_;
  std::vector<Engine> engines_;
  Report report_;
  Progress progress_;
  std::vector<std::pair<std::string, std::vector<double>>> finishes_;
};

void add_simulate(CLI::App& app) {
  const auto options = std::make_shared<Options>();
  auto* const command = app.add_subcommand("simulate", helper_for("simulate")->description);
  auto* const schedule =
      command->add_option("--schedule", options->schedule_file, "a schedule as JSON, as it is")
          ->type_name("FILE.json");
  add_whole(*command, "-N,--elements", options->elements, "number of elements")
      ->type_name("N")
      ->excludes(schedule);
  add_whole(*command, "-p,--ranks", options->ranks, "number of ranks")
      ->type_name("P")
      ->excludes(schedule);
  options->schedule.add_to(*command, schedule);
  options->machine.add_to(*command);
  command->get_option("--gap")->description("LogGP's g, not used by SimGrid");
  options->machine.add_loggops_to(*command);
  command->add_option("--engine", options->engines, "what simulates; `bracket list` names them")
      ->delimiter(',')
      ->capture_default_str()
      ->type_name("NAME,...");
  command
      ->add_option("--platform", options->platform,
                   "SimGrid platform in place of the built-in cluster")
      ->type_name("FILE.xml");
  const auto add_output = [&](const char* name, std::string& file, const char* help,
                              const char* type) {
    command->add_option(name, file, help)->type_name(type);
  };
  add_output("--goal", options->goal, "write the schedule for LogGOPSim", "FILE.goal");
  add_output("--chrome-trace", options->chrome_trace,
             "write what happened for ui.perfetto.dev or Chrome", "FILE.json");
  add_output("--paje", options->paje, "write what happened for ViTE or pajeng", "FILE.paje");
  command->add_flag("--finish", options->finish, "also when each rank is done");
  add_json(*command, options->json);
  command->callback([options] { SimulateCommand(*options).run(); });
}

}  // namespace

}  // namespace bracket::tools

int main(int argc, char** argv) {
  using namespace bracket::tools;
  CLI::App app;
  set_up(app);
  add_simulate(app);
  return run_program(app, argc, argv, first_of_launch);
}
