#include "bracket/simulator/simulate.hpp"

#include <fmt/format.h>

#include <iostream>

#include "bracket/model/error.hpp"
#include "bracket/model/json.hpp"
#include "bracket/model/plan.hpp"
#include "bracket/model/verify.hpp"
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
  std::string platform;
  bool finish = false;
  bool json = false;
};

class SimulateCommand {
 public:
  explicit SimulateCommand(const Options& options)
      : options_(options),
        report_({{"ranks", "p"},
                 {"distribution", "distribution"},
                 {"rank_order", "rank order"},
                 {"plan", "plan"},
                 {"simulated_messages", "messages"},
                 {"simulated_seconds", "makespan [us]", Column::Shown::microseconds}},
                options.json) {}

  void run() {
    if (!options_.schedule_file.empty()) {
      const Schedule schedule = read_schedule(options_.schedule_file);
      const Verdict verdict = verify(schedule);
      if (!verdict.ok()) {
        throw Error(
            text(options_.schedule_file, ": ", describe(schedule, verdict.violations.front())));
      }
      simulate_one(schedule, options_.schedule_file);
    } else {
      if (options_.elements == 0 || options_.ranks == 0) {
        throw Error("either -N and -p with N, p >= 1 or --schedule must be given");
      }
      for (const auto& name : options_.schedule.distributions) {
        const auto distribution =
            options_.schedule.distribution(name, options_.elements, options_.ranks);
        for (const auto& plan : options_.schedule.plans) {
          simulate_one(options_.schedule.schedule(distribution, plan), name);
        }
      }
    }
    progress_.clear();
    report_.finish();
    if (options_.finish && !options_.json) print_finish();
  }

 private:
  void simulate_one(const Schedule& schedule, const std::string& distribution) {
    progress_.say(fmt::format("simulating {} over {} on {} ...", schedule.plan, distribution,
                              counted(schedule.ranks(), "rank")));
    std::optional<std::filesystem::path> platform;
    if (!options_.platform.empty()) platform = options_.platform;
    const Simulation simulation = simulate(schedule, options_.machine.machine, platform);
    nlohmann::ordered_json row{{"elements", schedule.elements()},
                               {"ranks", schedule.ranks()},
                               {"order", schedule.order},
                               {"distribution", distribution},
                               {"plan", schedule.plan},
                               {"platform", platform ? options_.platform : "cluster"},
                               {"messages", schedule.messages()},
                               {"simulated_messages", simulation.messages},
                               {"simulated_seconds", simulation.makespan}};
    options_.schedule.tell(row);
    tell_delivery(row, schedule.delivery, schedule.items);  // a file's, if it came from one
    if (options_.finish) {
      row["finish_seconds"] = simulation.finish;
      finishes_.emplace_back(fmt::format("{} over {}", schedule.plan, distribution),
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
  command
      ->add_option("--platform", options->platform,
                   "SimGrid platform in place of the built-in cluster")
      ->type_name("FILE.xml");
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
