// SPDX-License-Identifier: MIT

#include "common/machine_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>

#include "bracket/model/machine_json.hpp"
#include "bracket/model/spec.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "common/help.hpp"
#include "common/machine_files.hpp"

namespace bracket::tools {

namespace {

/// The default of a single figure, for help.
constexpr const char* of_machine = "the value of --machine";

CLI::Option* as_seconds(CLI::Option* option, const std::string& name) {
  return option
      ->check([name](const std::string& written) {
        if (parse_number(written, name) < 0) {
          throw Error(text(name, " must not be negative, not ", written));
        }
        return std::string();
      })
      ->type_name("SECONDS");
}

CLI::Option* add_seconds(CLI::App& command, const std::string& name, double& seconds,
                         const std::string& help) {
  return as_seconds(command.add_option(name, seconds, help), name)->default_str(of_machine);
}

/// Adds `--t-add`, which replaces all measurements of a machine's additions.
CLI::Option* add_addition(CLI::App& command, Machine& machine) {
  return add_seconds(command, "--t-add", machine.seconds_per_addition, "time of one addition")
      ->each([&machine](const std::string&) { machine.forget_work(); });
}

/// Adds the option's name to `given` when the option is parsed.
void note(CLI::Option* option, std::set<std::string>& given) {
  option->each([&given, name = option->get_name()](const std::string&) { given.insert(name); });
}

std::string shown(double seconds) {
  const double size = std::abs(seconds);
  if (size >= 1) return fmt::format("{:.4g} s", seconds);
  if (size >= 1e-3) return fmt::format("{:.4g} ms", seconds * 1e3);
  if (size >= 1e-6) return fmt::format("{:.4g} us", seconds * 1e6);
  return fmt::format("{:.4g} ns", seconds * 1e9);
}

std::string shown(const Figure& figure) {
  const bool of_bytes = figure.symbol == "G" || figure.symbol == "O";
  return fmt::format("{} {}{}", figure.symbol, shown(figure.seconds), of_bytes ? "/byte" : "");
}

std::string shown(const std::vector<Figure>& figures) {
  std::vector<std::string> all;
  for (const Figure& figure : figures) all.push_back(shown(figure));
  return fmt::format("{}", fmt::join(all, ", "));
}

Figure addition_of(const Machine& machine) {
  return {"--t-add", "t_add", machine.seconds_per_addition};
}

/// Describes a machine in one line, without the figures of the options `without`.
std::string with_additions(const MachineSource& source, std::vector<Figure> figures,
                           const Machine& machine, const std::set<std::string>& without) {
  const bool measured = machine.work && !without.contains("--t-add");
  if (!measured) figures.push_back(addition_of(machine));
  std::erase_if(figures, [&](const Figure& figure) { return without.contains(figure.option); });
  std::vector<std::string> all;
  if (!figures.empty()) all.push_back(shown(figures));
  if (measured) all.emplace_back("additions as measured");
  // All of the default machine's figures are replaced.
  if (all.empty() && source.written.empty()) return "";
  return fmt::format("{}{}{}", source.title(), all.empty() ? "" : ": ", fmt::join(all, ", "));
}

/// Adds `--machine`, and reads the machine of the plan file if the command has `--plan-file`, whose
/// content `schedule` then keeps. Calls `take` for either before options that are added later are
/// parsed.
void add_machine_file(CLI::App& command, ScheduleOptions* schedule,
                      const std::function<void(const Machine&, const MachineSource&)>& take) {
  if (schedule != nullptr) {
    command.get_option("--plan-file")->each([schedule, take](const std::string& file) {
      schedule->tuned = read_tuning(file);
      take(schedule->tuned->machine.machine, {file, file});
    });
  }
  command
      .add_option_function<std::string>(
          "--machine",
          [take](const std::string& written) {
            const auto file = machine_file(written);
            take(read_machine(file).machine, {written, file.string()});
          },
          "machine that provides the costs: a name or a file; `bracket list machines` explains "
          "each; the options below override individual costs")
      ->default_str(schedule == nullptr ? "thesis" : "that of --plan-file, otherwise thesis")
      ->type_name("NAME");
}

}  // namespace

std::string MachineSource::title() const {
  return written.empty() ? "machine thesis, the default" : "machine " + written;
}

void warn_of_defaults(const MachineSource& source, const std::vector<Figure>& figures,
                      const std::set<std::string>& given) {
  if (!source.written.empty() || given.empty()) return;
  std::vector<std::string> defaults;
  for (const Figure& figure : figures) {
    if (given.contains(figure.option)) continue;
    defaults.push_back(figure.option + ' ' + shown(figure.seconds));
  }
  if (defaults.empty()) return;
  fmt::print(stderr, "bracket: {} {} given, the rest is the default machine's: {}\n",
             fmt::join(given, ", "), given.size() == 1 ? "is" : "are", fmt::join(defaults, ", "));
}

void warn_of_flops(const Machine& machine, const std::optional<Operation>& operation) {
  if (machine.work || !operation || operation->flops() == 1) return;
  fmt::print(stderr,
             "bracket: the machine has no measured times: {} takes t_add for each of its {} "
             "floating-point operations; bracket calibrate --operations {} measures its times\n",
             operation->spec(), operation->flops(), operation->spec());
}

std::string score_line(const MachineSource& source, const Machine& machine, double send_seconds,
                       const std::set<std::string>& without) {
  return with_additions(source, {{"--t-send", "t_send", send_seconds}}, machine, without);
}

namespace {
constexpr const char* send_of_machine = "o + L + o of --machine";
}  // namespace

void add_send_seconds(CLI::App& command, std::optional<double>& seconds) {
  const HelpGroup group(command, "Machine");
  as_seconds(command.add_option_function<double>(
                 "--t-send", [&seconds](double given) { seconds = given; },
                 "time of one message in the score"),
             "--t-send")
      ->default_str(send_of_machine);
}

void add_send_seconds(CLI::App& command, double& seconds) {
  const HelpGroup group(command, "Machine");
  add_seconds(command, "--t-send", seconds, "time of one message in the score")
      ->default_str(send_of_machine);
}

double add_seconds_of(const Machine& machine, Index elements, Rank ranks, Index items) {
  constexpr Index most = std::numeric_limits<Index>::max();
  const Index share = std::max<Index>(1, elements / ranks);
  return machine.seconds_per_element(share > most / items ? most : share * items);
}

void ScoreOptions::add_to(CLI::App& command, ScheduleOptions& schedule) {
  const HelpGroup group(command, "Machine");
  add_machine_file(command, &schedule, [this](const Machine& read, const MachineSource& where) {
    machine = read;
    source = where;
    send_seconds = machine.latency + 2 * machine.overhead;
  });
  add_send_seconds(command, send_seconds);
  note(command.get_option("--t-send"), given);
  note(add_addition(command, machine), given);
  add_threads(command, threads);
}

std::vector<Figure> ScoreOptions::figures() const {
  return {{"--t-send", "t_send", send_seconds}, addition_of(machine)};
}

std::string ScoreOptions::line(const std::set<std::string>& without) const {
  std::string line = score_line(source, machine, send_seconds, without);
  if (threads > 1) line += text(", ", threads, " threads on each rank");
  return line;
}

void ScoreOptions::tell(nlohmann::ordered_json& row, const ScoreCosts& costs) const {
  if (!source.written.empty()) row["machine"] = source.written;
  row["send_seconds"] = costs.send_seconds;
  row["seconds_per_addition"] = costs.add_seconds;
  if (threads > 1) row["threads"] = threads;
}

ScoreCosts ScoreOptions::costs(Index elements, Rank ranks, Index items,
                               const std::optional<Operation>& operation) const {
  return {send_seconds,
          add_seconds_of(machine_for(machine, operation, threads), elements, ranks, items)};
}

Machine machine_for(const Machine& machine, const std::optional<Operation>& operation,
                    int threads) {
  return (operation ? machine.computing(*operation) : machine).on_threads(threads);
}

void MachineOptions::add_to(CLI::App& command, ScheduleOptions* schedule) {
  const HelpGroup group(command, "Machine");
  add_machine_file(command, schedule, [this](const Machine& read, const MachineSource& where) {
    machine = read;
    source = where;
  });
  // Later than --machine, so that it is parsed later, too.
  command
      .add_option_function<std::string>(
          "--messages", [this](const std::string& written) { take_messages(written); },
          "how short messages travel inside a node: shared, through memory, as those of reducers; "
          "or mpi, as those of the MPI library's own collectives and of a schedule of "
          "`bracket reveal`. Only `bracket calibrate` makes machines that know both times")
      ->envname("BRACKET_MESSAGES")
      ->default_str("what BRACKET_MESSAGES says, otherwise shared")
      ->type_name("NAME");
  const auto add = [&](const char* name, double& seconds, const char* help) {
    CLI::Option* const option = add_seconds(command, name, seconds, help);
    note(option, given);
    // A given figure applies to all message sizes.
    option->each([this](const std::string&) { machine.drop_tables(); });
  };
  add("--latency", machine.latency, "LogGP's L: latency of a message");
  add("--overhead", machine.overhead, "LogGP's o: processor time at each end of a message");
  add("--gap", machine.gap, "LogGP's g: least time between two messages of a rank");
  add("--gap-per-byte", machine.gap_per_byte, "LogGP's G: time per byte, 1 / bandwidth");
  note(add_addition(command, machine), given);
}

void MachineOptions::take_messages(const std::string& written) {
  if (written != "shared" && written != "mpi") {
    throw Error(
        text("--messages or BRACKET_MESSAGES is '", excerpt(written), "'; known: mpi or shared"));
  }
  through_mpi = written == "mpi";
  if (through_mpi) machine = machine.by_library();
}

std::vector<Figure> MachineOptions::figures() const {
  return {{"--latency", "L", machine.latency},
          {"--overhead", "o", machine.overhead},
          {"--gap", "g", machine.gap},
          {"--gap-per-byte", "G", machine.gap_per_byte},
          addition_of(machine)};
}

std::vector<Figure> MachineOptions::figures(const std::vector<std::string>& options) const {
  std::vector<Figure> chosen = figures();
  std::erase_if(chosen, [&](const Figure& figure) {
    return std::find(options.begin(), options.end(), figure.option) == options.end();
  });
  return chosen;
}

std::string MachineOptions::line(const std::set<std::string>& without) const {
  std::vector<Figure> all = figures();
  all.pop_back();
  if (machine.overhead_per_byte > 0) {
    all.push_back({"--overhead-per-byte", "O", machine.overhead_per_byte});
  }
  // A swept figure replaces what was measured.
  const bool measured = std::none_of(all.begin(), all.end(), [&](const Figure& figure) {
    return without.contains(figure.option);
  });
  std::string line = with_additions(source, std::move(all), machine, without);
  if (std::isfinite(machine.eager_bytes))
    line += fmt::format(", S {:g} bytes", machine.eager_bytes);
  if (!machine.messages.empty() && measured) line += ", messages as measured";
  if (through_mpi) line += ", through MPI";
  if (threads > 1) line += text(", ", threads, " threads on each rank");
  if (const auto& inside = machine.inside_node) {
    line += "; inside a node " + shown({{"", "L", inside->latency},
                                        {"", "o", inside->overhead},
                                        {"", "g", inside->gap},
                                        {"", "G", inside->gap_per_byte}});
  }
  return line;
}

void MachineOptions::tell(nlohmann::ordered_json& row) const {
  if (!source.written.empty()) row["machine"] = source.written;
  if (threads > 1) row["threads"] = threads;
  if (through_mpi) row["through_mpi"] = true;
  row["latency_seconds"] = machine.latency;
  row["overhead_seconds"] = machine.overhead;
  row["gap_seconds"] = machine.gap;
  row["gap_seconds_per_byte"] = machine.gap_per_byte;
  row["overhead_seconds_per_byte"] = machine.overhead_per_byte;
  if (std::isfinite(machine.eager_bytes)) row["eager_bytes"] = machine.eager_bytes;
  row["seconds_per_addition"] = machine.seconds_per_addition;
  if (machine.work) row["start_seconds"] = machine.work->start;  // of measured folds and joins
  if (const auto& inside = machine.inside_node) {
    row["node_latency_seconds"] = inside->latency;
    row["node_overhead_seconds"] = inside->overhead;
    row["node_gap_seconds"] = inside->gap;
    row["node_gap_seconds_per_byte"] = inside->gap_per_byte;
  }
}

void MachineOptions::add_threads_to(CLI::App& command) {
  const HelpGroup group(command, "Machine");
  add_threads(command, threads);
}

void MachineOptions::add_loggops_to(CLI::App& command) {
  const HelpGroup group(command, "Machine");
  add_seconds(command, "--overhead-per-byte", machine.overhead_per_byte,
              "LogGOPS's O: processor time per byte at each end of a message")
      ->each([this](const std::string&) {
        machine.drop_tables();
        if (machine.inside_node) machine.inside_node->drop_tables();
      });
  command
      .add_option("--eager", machine.eager_bytes,
                  "LogGOPS's S: largest message that is sent before the receiver is ready, such as "
                  "65536 or inf")
      ->check([](const std::string& written) {
        if (written != "inf" && parse_number(written, "--eager") < 0) {
          throw Error(text("--eager must not be negative, not ", written));
        }
        return std::string();
      })
      ->default_str(of_machine)
      ->type_name("BYTES");
}

void MachineOptions::add_nodes_to(CLI::App& command) {
  const HelpGroup group(command, "Machine");
  const auto add = [&](const char* name, double MessageCosts::*figure, const char* help) {
    const auto set = [this, figure](double seconds) {
      if (!machine.inside_node) machine.inside_node = machine.between_nodes();
      machine.inside_node->drop_tables();
      (*machine.inside_node).*figure = seconds;
    };
    as_seconds(command.add_option_function<double>(name, set, help), name)
        ->default_str("the value of --machine, otherwise as between nodes");
  };
  add("--node-latency", &MessageCosts::latency, "L between ranks of one node");
  add("--node-overhead", &MessageCosts::overhead, "o between ranks of one node");
  add("--node-gap", &MessageCosts::gap, "g between ranks of one node");
  add("--node-gap-per-byte", &MessageCosts::gap_per_byte, "G between ranks of one node");
}

}  // namespace bracket::tools
