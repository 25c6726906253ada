#include "machine_options.hpp"

#include <algorithm>
#include <limits>

#include "bracket/model/error.hpp"
#include "bracket/model/machine_json.hpp"
#include "bracket/model/spec.hpp"
#include "help.hpp"
#include "machine_files.hpp"

namespace bracket::tools {

namespace {

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
  return as_seconds(command.add_option(name, seconds, help), name)->capture_default_str();
}

/// `--t-add`, in place of all that was measured of a machine's additions.
void add_addition(CLI::App& command, Machine& machine) {
  add_seconds(command, "--t-add", machine.seconds_per_addition, "one addition")
      ->each([&machine](const std::string&) { machine.work.reset(); });
}

/// `--machine`, or else the machine of the plan file, if one can be given: `schedule` keeps what is
/// in that. They are taken before the options that are added behind them.
void add_machine_file(CLI::App& command, ScheduleOptions* schedule,
                      const std::function<void(const Machine&, const MachineSource&)>& take) {
  if (schedule != nullptr) {
    command.get_option("--plan-file")->each([schedule, take](const std::string& file) {
      schedule->tuned = read_plan_file(file);
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
          "figures of a machine: a name, or a file; `bracket list` names machines; the options "
          "below replace single figures")
      ->type_name("NAME");
}

}  // namespace

void add_send_seconds(CLI::App& command, std::optional<double>& seconds) {
  const HelpGroup group(command, "Machine");
  as_seconds(command.add_option_function<double>(
                 "--t-send", [&seconds](double given) { seconds = given; },
                 "score: one message; a machine's o + L + o unless given"),
             "--t-send");
}

void add_send_seconds(CLI::App& command, double& seconds) {
  const HelpGroup group(command, "Machine");
  add_seconds(command, "--t-send", seconds, "score: one message");
}

double add_seconds_of(const Machine& machine, Index elements, Rank ranks, Index items) {
  constexpr Index most = std::numeric_limits<Index>::max();
  const Index share = std::max<Index>(1, elements / ranks);
  return machine.seconds_per_element(share > most / items ? most : share * items);
}

void ScoreOptions::add_to(CLI::App& command, ScheduleOptions& schedule) {
  const HelpGroup group(command, "Machine");
  add_machine_file(command, &schedule, [this](const Machine& given, const MachineSource&) {
    machine = given;
    send_seconds = machine.latency + 2 * machine.overhead;
  });
  add_send_seconds(command, send_seconds);
  add_addition(command, machine);
}

ScoreCosts ScoreOptions::costs(Index elements, Rank ranks, Index items) const {
  return {send_seconds, add_seconds_of(machine, elements, ranks, items)};
}

void MachineOptions::add_to(CLI::App& command, ScheduleOptions* schedule) {
  const HelpGroup group(command, "Machine");
  add_machine_file(command, schedule, [this](const Machine& given, const MachineSource& where) {
    machine = given;
    source = where;
  });
  add_seconds(command, "--latency", machine.latency, "LogGP's L");
  add_seconds(command, "--overhead", machine.overhead, "LogGP's o, at either end of a message");
  add_seconds(command, "--gap", machine.gap, "LogGP's g, between two messages of a rank");
  add_seconds(command, "--gap-per-byte", machine.gap_per_byte, "LogGP's G, 1 / bandwidth");
  add_addition(command, machine);
}

void MachineOptions::add_loggops_to(CLI::App& command) {
  const HelpGroup group(command, "Machine");
  add_seconds(command, "--overhead-per-byte", machine.overhead_per_byte,
              "LogGOPS's O, at either end of a message");
  command
      .add_option("--eager", machine.eager_bytes,
                  "LogGOPS's S, most bytes that are sent before they are received; not of simgrid")
      ->check([](const std::string& written) {
        if (written != "inf" && parse_number(written, "--eager") < 0) {
          throw Error(text("--eager must not be negative, not ", written));
        }
        return std::string();
      })
      ->capture_default_str()
      ->type_name("BYTES");
}

void MachineOptions::add_nodes_to(CLI::App& command) {
  const HelpGroup group(command, "Machine");
  const auto add = [&](const char* name, double MessageCosts::*figure, const char* help) {
    const auto set = [this, figure](double seconds) {
      if (!machine.inside_node) machine.inside_node = machine.between_nodes();
      (*machine.inside_node).*figure = seconds;
    };
    as_seconds(command.add_option_function<double>(name, set, help), name);
  };
  add("--node-latency", &MessageCosts::latency, "L between ranks of one node");
  add("--node-overhead", &MessageCosts::overhead, "o between ranks of one node");
  add("--node-gap", &MessageCosts::gap, "g between ranks of one node");
  add("--node-gap-per-byte", &MessageCosts::gap_per_byte, "G between ranks of one node");
}

}  // namespace bracket::tools
