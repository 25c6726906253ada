// SPDX-License-Identifier: MIT

#include "simulate/simulate_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "bracket/simulator/watts.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/file.hpp"
#include "bracket/support/fnv1a.hpp"
#include "bracket/support/text.hpp"
#include "common/help.hpp"
#include "common/swept_command.hpp"
#include "models/cost_models.hpp"
#include "simulate/simulate_plots.hpp"
#include "sweep/jobs_option.hpp"

namespace bracket::tools {

namespace {

using Shown = Column::Shown;

const std::vector<SettingColumn> all_setting_columns{
    {"elements", {"elements", "N"}},
    {"ranks", {"ranks", "p"}},
    {"order", {"order", "order"}},
    {"distribution", {"distribution", "distribution"}},
    {"rank-order", {"rank_order", "rank order"}},
    {"plan", {"plan", "plan"}},
    {"", {"collective", "collective"}},
    {"root", {"root", "root"}},
    {"items", {"items", "items"}},
    {"fields", {"fields", "fields"}},
    {"algorithm", {"algorithm", "algorithm"}},
    {"op", {"op", "operator"}},
    {"type", {"type", "type"}},
    {"widened", {"widened", "widened"}},
    {"checked", {"checked", "checked"}},
    {"threads", {"threads", "threads", Shown::plain, "1"}},
    {"engine", {"engine", "engine"}},
    {"platform", {"platform", "platform"}},
    {"machine", {"machine", "machine"}},
    {"latency", {"latency_seconds", "L [us]", Shown::microseconds}},
    {"overhead", {"overhead_seconds", "o [us]", Shown::microseconds}},
    {"gap", {"gap_seconds", "g [us]", Shown::microseconds}},
    {"gap-per-byte", {"gap_seconds_per_byte", "G [us]", Shown::microseconds}},
    {"overhead-per-byte", {"overhead_seconds_per_byte", "O [us]", Shown::microseconds}},
    {"eager", {"eager_bytes", "S", Shown::plain, "inf"}},
    {"t-add", {"seconds_per_addition", "t_add [us]", Shown::microseconds}},
    {"cores", {"cores", "cores", Shown::plain, "1"}},
    {"placement", {"placement", "placement", Shown::plain, "block"}},
    {"watts", {"watts", "watts"}},
    {"link-watts", {"link_watts", "link watts"}},
    {"node-latency", {"node_latency_seconds", "node's L [us]", Shown::microseconds}},
    {"node-overhead", {"node_overhead_seconds", "node's o [us]", Shown::microseconds}},
    {"node-gap", {"node_gap_seconds", "node's g [us]", Shown::microseconds}},
    {"node-gap-per-byte", {"node_gap_seconds_per_byte", "node's G [us]", Shown::microseconds}},
    {"seed", {"seed", "seed"}},
    {"late", {"late", "late", Shown::plain, "constant:0"}},
    {"slow", {"slow", "slow", Shown::plain, "constant:0"}},
    {"noise", {"noise", "noise", Shown::plain, "constant:0"}},
    {"", {"files", "files"}},
};

void add_random(CLI::App& command, const char* name, RandomQuantity& quantity, const char* help) {
  command
      .add_option_function<std::string>(
          name,
          [&quantity](const std::string& written) { quantity = RandomQuantity::parse(written); },
          help)
      ->type_name("QUANTITY");
}

/// Stores the option as it is written if `parse` accepts it.
template <class Watts>
CLI::Option* add_watts(CLI::App& command, const char* name, std::string& watts,
                       Watts (*parse)(const std::string&), const char* help) {
  return command.add_option_function<std::string>(
      name,
      [name, parse, &watts](const std::string& written) {
        try {
          parse(written);
        } catch (const Error& error) {
          throw Error(text(name, " ", error.what()));
        }
        watts = written;
      },
      help);
}

}  // namespace

std::span<const SettingColumn> setting_columns() { return all_setting_columns; }

SimulateOptions::SimulateOptions() : engines{default_engine()} {}

void SimulateOptions::add_to(CLI::App& command) {
  auto* const given =
      command
          .add_option("--schedule", schedule_file,
                      "simulate the schedule in this file of `bracket verify -o`; "
                      "not with -N, -p, --order, --plan, --distribution, "
                      "--rank-order, --all, --scatter, --root, --items, --fields and "
                      "--plan-file")
          ->type_name("FILE.json")
          ->group("Schedule");
  add_sizes(command, elements, ranks, given);
  schedule.add_to(command, given);
  arithmetic.takes_baselines = true;
  arithmetic.add_to(command);
  machine.add_to(command, &schedule);
  machine.add_threads_to(command);
  command.get_option("--gap")->description(
      "LogGP's g, which SimGrid does not use: least time between two messages of a rank");
  machine.add_loggops_to(command);
  auto* const eager = command.get_option("--eager");
  eager->description(eager->get_description() + "; requires the engine loggops or smpi, or --goal");
  machine.add_nodes_to(command);
  network.add_to(command);
  add_energy_to(command);
  add_disturbance_to(command);
  {
    const HelpGroup group(command, "Simulation");
    command
        .add_option("--engine", engines, "simulation engines; `bracket list engines` explains each")
        ->delimiter(',')
        ->capture_default_str()
        ->type_name("NAME,...");
    add_sweep(command, sweeps);
    add_jobs(
        command, jobs,
        "number of simulations of --sweep that run at the same time, each in a process of its own; "
        "if not given, as many as there are cores. Under mpiexec, each rank simulates a part of "
        "the values, JOBS at a time. Without --sweep, JOBS threads make the steps of the ranks");
  }
  add_output_to(command);
  // Files are read again for each point of a sweep, and for the digest in the rows of a file.
  const auto again = [this, &command] {
    return of_sweep || command.count("--sweep") > 0 || command.count("--output") > 0;
  };
  for (const char* name :
       {"--schedule", "--plan-file", "--distribution", "--machine", "--placement"}) {
    refuse_pipes(*command.get_option(name), again);
  }
  refuse_pipes(*command.get_option("--platform"), [this, again, &command] {
    return again() || command.count("--engine") > 1 || schedule.plans.size() > 1 ||
           schedule.distributions.size() > 1;
  });
}

void SimulateOptions::add_energy_to(CLI::App& command) {
  const HelpGroup group(command, "Network");
  add_watts(command, "--watts", watts, NodeWatts::parse,
            "power of a node in watts: IDLE while no core computes, otherwise from EPSILON to "
            "ALL_CORES in proportion to the cores that compute, such as 100:120:300; "
            "IDLE:ALL_CORES, such as 100:300, sets EPSILON to IDLE")
      ->type_name("IDLE:EPSILON:ALL_CORES");
  add_watts(command, "--link-watts", link_watts, LinkWatts::parse,
            "power of a link in watts, for each direction: IDLE without traffic, BUSY at full "
            "bandwidth, such as 1:5")
      ->type_name("IDLE:BUSY");
}

void SimulateOptions::add_disturbance_to(CLI::App& command) {
  const HelpGroup group(command, "Disturbances");
  add_random(
      command, "--late", disturbance.late,
      "skew: seconds by which a rank begins later, such as exponential:5e-6 (5 us on average); "
      "`bracket list random-quantities` explains each");
  add_random(
      command, "--slow", disturbance.slow,
      "slowdown: extra time of all computations of a rank, as a multiple of their time: 2 means "
      "three times as long; such as some:0.01:2 (one rank of a hundred is that slow)");
  add_random(command, "--noise", disturbance.noise,
             "jitter: extra time of each single computation, as a multiple of its time, such as "
             "pareto:0.01:2 (at least 1 %, 2 % on average)");
  add_whole(command, "--seed", seed, "seed of the random quantities", Index{0})
      ->capture_default_str()
      ->type_name("S");
}

void SimulateOptions::add_output_to(CLI::App& command) {
  const HelpGroup group(command, "Output");
  const auto add_file = [&](const char* name, std::string& file, const char* help,
                            const char* type) {
    command.add_option(name, file, help)->type_name(type);
  };
  add_file("--goal", goal, "write the schedule to a file for LogGOPSim", "FILE.goal");
  add_file("--chrome-trace", chrome_trace,
           "write the simulated timeline for ui.perfetto.dev or Chrome", "FILE.json");
  add_file("--paje", paje, "write the simulated timeline for ViTE or pajeng", "FILE.paje");
  auto* const finish_option = command.add_flag(
      "--finish", finish, "also print the end time of each rank; not with --csv or --output");
  add_json(command, json);
  auto* const json_option = command.get_option("--json");
  auto* const csv_option =
      command.add_flag("--csv", csv, "print comma-separated values; not with --json")
          ->excludes(json_option);
  command
      .add_option("-o,--output", output,
                  "append the rows to this file one by one instead of printing them; rows that the "
                  "file already has are not simulated again")
      ->type_name("FILE.csv|FILE.jsonl")
      ->excludes(json_option)
      ->excludes(csv_option)
      ->excludes(finish_option);
  csv_option->excludes(finish_option);
  report.add_to(command);
}

bool SimulateOptions::any_engine_knows(Fact fact) const {
  return std::any_of(engines.begin(), engines.end(), [&](const std::string& name) {
    return model_of(Role::engine, name).knows.*fact;
  });
}

void SimulateOptions::check(const CLI::App& command) const {
  const bool same_engines = !is_swept(sweeps, {"engine"});
  const auto is_given = [&](const char* option) { return command.count(option) > 0; };
  if (is_given("--eager") && same_engines && goal.empty() && !any_engine_knows(&Knowledge::eager)) {
    throw Error(
        text("--eager requires ", models_with(Role::engine, &Knowledge::eager),
             ", or --goal: ", lack_of(model_of(Role::engine, engines.front()), &Knowledge::eager)));
  }
  if (is_given("--seed") && !is_given("--late") && !is_given("--slow") && !is_given("--noise")) {
    throw Error("--seed requires --late, --slow or --noise: nothing else is random");
  }
}

int SimulateOptions::threads() const {
  return of_sweep ? 1 : static_cast<int>(jobs.value_or(usable_cores()));
}

void SimulateOptions::settle() {
  schedule.take_tuned_of(elements, ranks);
  if (schedule_file.empty()) {
    operation = arithmetic.settle(schedule, std::max<Index>(elements, 1));
  } else if (arithmetic.given()) {
    operation = arithmetic.operation(schedule, false, 1);
  }
}

std::string SimulateOptions::machine_line() const {
  return is_swept(sweeps, {"machine"}) ? "" : machine.line(swept_options(sweeps));
}

void SimulateOptions::warn_of_defaults() const {
  if (is_swept(sweeps, {"machine"})) return;
  const bool gaps = is_swept(sweeps, {"engine"}) || any_engine_knows(&Knowledge::gap);
  auto figures = machine.figures();
  if (!gaps) std::erase_if(figures, [](const Figure& figure) { return figure.option == "--gap"; });
  auto given = machine.given;
  const auto swept = swept_options(sweeps);
  for (const Figure& figure : machine.figures()) {
    if (swept.contains(figure.option)) given.insert(figure.option);
  }
  tools::warn_of_defaults(machine.source, figures, given);
  warn_of_flops(machine.machine, operation);
}

bool SimulateOptions::reports_timelines() const {
  return report.wanted() && sweeps.empty() && ranks <= most_timeline_ranks;
}

void SimulateOptions::tell(nlohmann::ordered_json& row) const {
  if (operation) tell_operation(row, *operation);
  machine.tell(row);
  if (network.cores > 1) row["cores"] = network.cores;
  if (network.cores > 1 || network.placement != "block") row["placement"] = network.placement;
  if (!disturbance.any()) return;
  row["seed"] = seed;
  const auto tell_random = [&](const char* key, const RandomQuantity& quantity) {
    if (!quantity.is_zero()) row[key] = quantity.str();
  };
  tell_random("late", disturbance.late);
  tell_random("slow", disturbance.slow);
  tell_random("noise", disturbance.noise);
}

std::string SimulateOptions::digest_of_files(const std::string& distribution) const {
  support::Fnv1a digest;
  bool any = false;
  for (const std::string& name :
       {distribution, machine.source.file, network.placement, network.platform}) {
    std::error_code none;
    if (!std::filesystem::is_regular_file(name, none)) continue;
    digest.string(support::read_file(name));
    any = true;
  }
  return any ? fmt::format("{:016x}", digest.value()) : "";
}

}  // namespace bracket::tools
