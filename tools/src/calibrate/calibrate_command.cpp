// SPDX-License-Identifier: MIT

#include "bracket/runtime/calibrate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <optional>
#include <string>

#include "bracket/model/machine_json.hpp"
#include "bracket/model/operation.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/file.hpp"
#include "bracket/support/text.hpp"
#include "calibrate/calibrate_tables.hpp"
#include "common/help.hpp"
#include "common/options.hpp"
#include "common/programs.hpp"
#include "mpi/mpi_command.hpp"
#include "mpi/unordered_sums.hpp"
#include "report/report.hpp"
#include "rows/row_table.hpp"

namespace bracket::tools {

namespace {

using Json = nlohmann::ordered_json;

struct CalibrateOptions {
  std::string output;
  std::string name = "calibrated";
  std::string kernel;
  bool quick = false;
  std::vector<std::string> operations{"float32", "binned", "double-double", "irreproducible",
                                      "accumulate"};
  bool json = false;
  ReportOptions report;
};

/// Returns the operations by name, each once and without the sum of float64, which is always
/// measured. Throws `Error` for an unknown name.
std::vector<Operation> operations_named(const std::vector<std::string>& names) {
  std::vector<Operation> operations;
  if (names == std::vector<std::string>{"none"}) return operations;
  for (const std::string& name : names) {
    Operation operation;
    try {
      operation = make_operation(name);
    } catch (const Error& failure) {
      throw Error(text("--operations: ", failure.what()));
    }
    if (operation == Operation{}) continue;
    if (std::find(operations.begin(), operations.end(), operation) == operations.end()) {
      operations.push_back(operation);
    }
  }
  return operations;
}

class CalibrateCommand {
 public:
  CalibrateCommand(const CalibrateOptions& options, const CLI::App& command,
                   const Communicator& world)
      : options_(options), command_(command), world_(world), speaks_(world.rank() == 0) {}

  void run() {
    const runtime::Kernel* kernel = nullptr;
    std::vector<Operation> operations;
    together(world_, [&] {
      operations = operations_named(options_.operations);
      if (world_.size() < 2) {
        throw Error("calibrate needs two ranks: mpiexec -n 2 bracket calibrate");
      }
      kernel = &runtime::select_kernel(options_.kernel);
      if (!speaks_) return;
      if (!options_.output.empty()) support::check_writable(options_.output);
      options_.report.check(command_);
      report_.emplace(options_.report, world_.size());
    });
    const runtime::Environment where = runtime::environment(world_);
    if (speaks_) warn_of_oversubscription(where, 1);
    const auto progress = [&](std::string_view part) {
      if (speaks_) progress_.say(fmt::format("measuring {} ...", part));
    };
    const runtime::Calibration found = runtime::calibrate(world_, {.kernel = kernel,
                                                                   .quick = options_.quick,
                                                                   .operations = operations,
                                                                   .baseline = sum_of,
                                                                   .baseline_of_products = dot_of,
                                                                   .before = progress});
    progress_.clear();
    if (speaks_ && !found.quiet()) {
      fmt::print(
          stderr,
          "bracket: this machine was not quiet: folds took {:.0f} % longer in one of {} rounds "
          "than in another; the file has the median of all rounds\n",
          found.rounds_apart * 100, found.rounds);
    }
    constexpr double much_apart = 0.5;
    if (speaks_ && found.messages_apart > much_apart) {
      fmt::print(stderr,
                 "bracket: this machine changed: a small all-reduce took {:.0f} % longer at one "
                 "moment than at another; if possible, the file has times of moments that agree\n",
                 found.messages_apart * 100);
    }
    together(world_, [&] {
      if (speaks_) tell(found, where, *kernel);
    });
  }

 private:
  void tell(const runtime::Calibration& found, const runtime::Environment& where,
            const runtime::Kernel& kernel) {
    const LogGPFit fit = fit_loggp(found.messages, found.eager_bytes);
    Json machine =
        to_json({options_.name,
                 fmt::format("bracket calibrate{} on {}, kernel {}: {}, {}",
                             options_.quick ? " --quick" : "", counted(world_.size(), "rank"),
                             kernel.name, where.processor, where.mpi_library),
                 found.machine()});
    machine["residuals"] = {{"overhead", fit.residuals.overhead},
                            {"round_trip", fit.residuals.round_trip},
                            {"gap", fit.residuals.gap}};
    machine["kernels"] = rows_of_kernels(found);
    machine["rounds"] = {{"all_reduce_seconds", found.all_reduce_seconds},
                         {"count", found.rounds},
                         {"apart", found.rounds_apart},
                         {"messages_apart", found.messages_apart}};
    tell_environment(machine["environment"], where);
    round_numbers(machine);
    if (options_.json) {
      std::cout << machine.dump() << '\n';
    } else {
      print(found, fit);
    }
    if (!options_.output.empty()) support::write_file(options_.output, machine.dump(2) + '\n');
    report_all(found, fit, machine);
  }

  static void tell_environment(Json& environment, const runtime::Environment& where) {
    Json row;
    tools::tell_environment(row, where, 1);
    environment = std::move(row["environment"]);
  }

  static Json rows_of_kernels(const runtime::Calibration& found) {
    Json rows = Json::array();
    for (const runtime::KernelRate& kernel : found.kernels) {
      rows.push_back({{"name", kernel.name},
                      {"in_cache_seconds_per_addition", kernel.in_cache},
                      {"out_of_cache_seconds_per_addition", kernel.out_of_cache}});
    }
    return rows;
  }

  static constexpr const char* cold_title =
      "the same messages, with data that have left the caches";

  static constexpr const char* library_title =
      "the same messages through MPI, as the MPI library's collectives send them";

  static std::string title_of_messages(const runtime::Calibration& found) {
    return fmt::format("messages between rank 0 and rank {}", found.partner);
  }

  void report_all(const runtime::Calibration& found, const LogGPFit& fit, const Json& machine) {
    if (!report_->wanted()) return;
    report_->fact("machine",
                  machine["name"].get<std::string>() + ": " + machine["source"].get<std::string>());
    report_->add(message_table(title_of_messages(found), found.messages, &fit));
    report_->add(message_table(cold_title, found.cold_messages));
    if (!found.library_messages.empty()) {
      report_->add(message_table(library_title, found.library_messages));
    }
    report_->add(fit_table(fit));
    report_->add(work_table(found.work));
    if (!found.operations.empty()) report_->add(operation_table(found));
    report_->add(kernel_table(found));
    report_->write();
  }

  static void print_table(const ReportTable& printed) {
    std::cout << printed.title << '\n';
    RowTable table(printed.columns, false);
    for (const Json& row : printed.rows) table.row(row);
    table.finish();
    std::cout << '\n';
  }

  static void print(const runtime::Calibration& found, const LogGPFit& fit) {
    print_table(message_table(title_of_messages(found), found.messages));
    print_table(message_table(cold_title, found.cold_messages));
    if (!found.library_messages.empty()) {
      print_table(message_table(library_title, found.library_messages));
    }
    const auto off = [](double residual) { return fmt::format("{:.0f} %", residual * 100); };
    std::cout << fmt::format(
        "L = {}, o = {}, g = {}, G = {} per byte, O = {} per byte, S = {} bytes\n"
        "off by (root mean square): overhead {}, round trip {}, gap {}\n\n",
        nanoseconds(fit.latency), nanoseconds(fit.overhead), nanoseconds(fit.gap),
        nanoseconds(fit.gap_per_byte), nanoseconds(fit.overhead_per_byte), found.eager_bytes,
        off(fit.residuals.overhead), off(fit.residuals.round_trip), off(fit.residuals.gap));
    if (const auto inside = found.machine().inside_node) {
      std::cout << fmt::format("inside a node: L = {}, o = {}, g = {}, G = {} per byte\n\n",
                               nanoseconds(inside->latency), nanoseconds(inside->overhead),
                               nanoseconds(inside->gap), nanoseconds(inside->gap_per_byte));
    }
    print_table(work_table(found.work));
    if (!found.operations.empty()) print_table(operation_table(found));
    print_table(kernel_table(found));
    std::cout << fmt::format(
        "one combination takes {}, the start of a run after a barrier {}, of a reduce {}, on one "
        "rank {}; in a program, the start of an all-reduce takes {}, of the library's {}; each "
        "receive of a run takes {} longer than one alone\n"
        "with elements that fill the first cache, on several ranks, the start takes {} longer\n",
        nanoseconds(found.work.seconds_per_join), nanoseconds(found.work.start),
        nanoseconds(found.work.start_reduce.value_or(0)),
        nanoseconds(found.work.start_alone.value_or(0)),
        nanoseconds(found.work.start_in_program.value_or(0)), nanoseconds(found.work.start_library),
        nanoseconds(found.work.seconds_per_receive),
        nanoseconds(found.work.first_cache ? found.work.first_cache->more_start : 0));
  }

  const CalibrateOptions& options_;
  const CLI::App& command_;
  const Communicator& world_;
  bool speaks_;
  std::optional<Report> report_;  // on rank 0
  Progress progress_;
};

void add_calibrate(CLI::App* const command, const Communicator& world) {
  const auto options = std::make_shared<CalibrateOptions>();
  {
    const HelpGroup group(*command, "Measurement");
    add_kernel(*command, options->kernel);
    command->add_flag("--quick", options->quick,
                      "measure only a few sizes and samples, for a first look");
  }
  {
    const HelpGroup group(*command, "Measurement");
    add_name_list(*command, "--operations", options->operations,
                  "operations to measure besides the sum of float64, or none. An operation has "
                  "names of an algorithm, an operator and a type, separated by slashes: binned:4, "
                  "minimum/float32, double-double/complex128, checked/int64; products/float64 is a "
                  "dot product of two arrays, squares/float64 of an array with itself")
        ->capture_default_str();
  }
  const HelpGroup group(*command, "Output");
  command
      ->add_option("-o,--output", options->output,
                   "write the machine to this file, which other commands read with --machine")
      ->type_name("FILE.json");
  command->add_option("--name", options->name, "name of the machine")
      ->capture_default_str()
      ->type_name("NAME");
  add_json(*command, options->json);
  options->report.add_to(*command);
  add_footer(
      *command,
      "calibrate needs at least 2 ranks: mpiexec -n 2 bracket calibrate -o FILE.json. It takes "
      "about half a minute, or ten seconds with --quick. Without -o, it prints the figures "
      "and writes no file.\n"
      "It measures messages of many sizes (for L, o, g, G, O and S), folds of many sizes, copies, "
      "and the start of a run. 2 ranks on one node measure messages inside a node, and 2 ranks on "
      "two nodes, messages between nodes. For both, start 2 ranks on the first node and 1 on "
      "another. To measure how ranks share the memory of a node, start as many ranks on it as it "
      "has cores: calibrate measures folds on 1, 2, 4, ... and all of its ranks at once.");
  refuse_rank_count(*command);
  on_ranks(*command, world,
           [options, command, &world] { CalibrateCommand(*options, *command, world).run(); });
}

const MpiCommand calibrate_code("calibrate", add_calibrate);

}  // namespace

}  // namespace bracket::tools
