// SPDX-License-Identifier: MIT

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>
#include <set>

#include "bracket/support/error.hpp"
#include "common/commands.hpp"
#include "common/files.hpp"
#include "common/help.hpp"
#include "common/launch.hpp"
#include "common/swept_command.hpp"
#include "report/report.hpp"
#include "rows/csv.hpp"
#include "rows/text_table.hpp"
#include "simulate/simulate_plots.hpp"
#include "simulate/simulate_rows.hpp"
#include "simulate/simulate_sweep.hpp"
#include "sweep/jobs_option.hpp"
#include "sweep/row_file.hpp"
#include "sweep/shared_launch.hpp"
#include "sweep/sweep_sharing.hpp"

namespace bracket::tools {

namespace {

using Json = nlohmann::ordered_json;

std::vector<Column> table_columns(const SimulateOptions& options) {
  std::vector<Column> columns;
  for (const auto& [option, column] : setting_columns()) {
    const std::string& key = column.key;
    if (key == "ranks" || key == "distribution" || key == "rank_order" || key == "plan" ||
        key == "engine" || is_swept(options.sweeps, {option}) ||
        (key == "elements" && is_swept(options.sweeps, {"N"}))) {
      columns.push_back(column);
    }
  }
  columns.push_back({"simulated_messages", "messages"});
  columns.push_back({"simulated_seconds", "makespan [us]", Column::Shown::microseconds});
  columns.push_back({"joules", "energy [J]", Column::Shown::rounded});
  return columns;
}

std::vector<std::string> setting_keys() {
  std::vector<std::string> keys;
  for (const auto& [_, column] : setting_columns()) keys.push_back(column.key);
  return keys;
}

const std::vector<std::string> result_keys{"messages", "simulated_seconds", "joules"};

RowTable make_table(const SimulateOptions& options) {
  if (!options.csv) return {table_columns(options), options.json};
  std::vector<Column> columns;
  for (const auto& [_, column] : setting_columns()) columns.push_back(column);
  for (const auto& key : result_keys) columns.push_back({key, key});
  return {columns, Form::csv};
}

class SimulateCommand {
 public:
  SimulateCommand(const SimulateOptions& options, SweptCommand command)
      : options_(options),
        sweep_(options, std::move(command)),
        launch_(SharedLaunch::of_this_process()),
        table_(make_table(options)),
        report_(first_of_launch() ? options.report : ReportOptions{}) {
    if (report_.wanted()) table_.keep_rows();
  }

  void run() {
    if (options_.sweeps.empty()) {
      SimulateRows rows(options_, "");
      start();
      rows.run(uses());
    } else {
      check_size_of_report();
      sweep_.check();
      if (!sweep()) return;
    }
    progress_.clear();
    options_.warn_of_defaults();
    if (options_.output.empty()) {
      table_.title(options_.machine_line());
      table_.finish();
    } else {
      fmt::print(stderr, "bracket: {}: {} added{}\n", options_.output, counted(added_, "row"),
                 known_ == 0 ? "" : fmt::format(", {} were there", known_));
    }
    if (options_.finish && !options_.json) print_finish();
    write_report();
  }

 private:
  /// Throws `Error` for a sweep with more rows than a report can have, before its points are
  /// checked, which may take long.
  void check_size_of_report() const {
    if (!report_.wanted()) return;
    std::size_t rows = options_.engines.size() * options_.schedule.plans.size() *
                       options_.schedule.distributions.size();
    for (const Sweep& sweep : options_.sweeps) {
      rows *= sweep.values.size();
      if (rows <= Report::most_rows) continue;
      throw Error(fmt::format("--report shows at most {} rows: leave it out, or sweep fewer values",
                              Report::most_rows));
    }
  }

  /// With `--output`, the report has all rows of this simulation that the file has, also those of
  /// earlier runs.
  void write_report() {
    if (!report_.wanted()) return;
    auto rows = file_ ? file_->rows(reported_) : table_.rows();
    auto columns = table_columns(options_);
    if (file_ && !rows.empty() && !rows.front().contains("simulated_messages")) {
      columns.push_back({"messages", "messages"});
    }
    auto plots = simulate_plots(rows, options_.sweeps);
    plots.insert(plots.end(), timelines_.begin(), timelines_.end());
    report_.fact("machine", options_.machine_line());
    report_.add({.title = options_.sweeps.empty() ? "Simulations" : "Sweep",
                 .columns = std::move(columns),
                 .rows = std::move(rows),
                 .plots = std::move(plots)});
    report_.write();
  }

  void show(const Json& row, const Timeline& timeline, Rank ranks) {
    constexpr std::size_t most_timelines = 4;
    if (timelines_.size() == most_timelines) return;
    auto plot = timeline_plot(
        timeline, ranks,
        fmt::format("{} over {} by {}", row["plan"].get<std::string>(),
                    row["distribution"].get<std::string>(), row["engine"].get<std::string>()));
    if (plot) timelines_.push_back(std::move(*plot));
  }

  void start() {
    if (!options_.output.empty()) file_.emplace(options_.output, setting_keys(), result_keys);
  }

  /// Simulates the pieces, in several processes if possible. Returns false on ranks that have no
  /// rows to report.
  bool sweep() {
    const auto pieces = static_cast<Index>(sweep_.pieces());
    const Index cores = launch_ ? launch_->cores() : usable_cores();
    const auto jobs = static_cast<int>(std::min(options_.jobs.value_or(cores), pieces));
    if (jobs == 1 && !launch_) {
      start();
      for (Index piece = 0; piece < pieces; ++piece) {
        sweep_.simulate(static_cast<std::uint64_t>(piece), uses());
      }
      return true;
    }
    // Start processes before the file is open: its lock lasts until the last process that
    // inherited it ends.
    SweepJobs processes(jobs, [this](Channel& channel) { work(channel); });
    if (launch_ && !launch_->first()) {
      launch_->serve(processes, jobs);
      return false;
    }
    start();
    SweepSharing(static_cast<std::uint64_t>(pieces), processes,
                 launch_ ? &launch_->channel() : nullptr, launch_ ? launch_->others() : 0,
                 {[this](const Json& row) { return is_known(row); },
                  [this](Json row) { take(std::move(row)); },
                  [this](const std::string& progress) { progress_.say(progress); },
                  [this](std::uint64_t piece) { return sweep_.where(piece); }})
        .run();
    return true;
  }

  /// Simulates in a job the pieces that arrive over `channel`.
  void work(Channel& channel) {
    SweepJob job(channel, !options_.output.empty());
    job.run([&](std::uint64_t piece) {
      sweep_.simulate(piece, {[&](const Json& row) { return job.is_known(row); },
                              [&](const Json& row) { job.take(row); },
                              [&](const std::string& progress) { job.say(progress); }});
    });
  }

  SimulateRows::RowUses uses() {
    return {[this](const Json& row) { return is_known(row); },
            [this](Json row) { take(std::move(row)); },
            [this](const std::string& progress) { progress_.say(progress); },
            [this](const Json& row, const Timeline& timeline, Rank ranks) {
              show(row, timeline, ranks);
            }};
  }

  bool is_known(const Json& row) {
    const bool known = file_ && file_->has(row);
    if (known) ++known_;
    if (known && report_.wanted()) reported_.insert(cells_of(row, setting_keys()));
    return known;
  }

  void take(Json row) {
    if (file_) {
      file_->add(row);
      ++added_;
      if (report_.wanted()) reported_.insert(cells_of(row, setting_keys()));
      return;
    }
    if (options_.finish) {
      finishes_.emplace_back(
          fmt::format("{} over {}, {}", row["plan"].get<std::string>(),
                      row["distribution"].get<std::string>(), row["engine"].get<std::string>()),
          row["finish_seconds"].get<std::vector<double>>());
    }
    if (options_.json || options_.csv) progress_.clear();
    table_.row(std::move(row));
  }

  void print_finish() const {
    for (const auto& [title, finish] : finishes_) {
      TextTable table({{TextTable::Side::right, 8}, {}});
      for (std::size_t rank = 0; rank < finish.size(); ++rank) {
        table.line({std::to_string(rank), fmt::format("{:.3f}", finish[rank] * 1e6)});
      }
      std::cout << fmt::format("\n{}: rank, finish [us]\n", title) << table.text();
    }
  }

  const SimulateOptions& options_;
  SimulateSweep sweep_;
  SharedLaunch* launch_;  // null if this process is alone
  RowTable table_;
  Report report_;
  std::vector<viz::Plot> timelines_;
  std::set<std::vector<std::string>> reported_;  // settings of rows in the file
  Progress progress_;
  std::optional<RowFile> file_;
  std::int64_t added_ = 0;
  std::int64_t known_ = 0;
  std::vector<std::pair<std::string, std::vector<double>>> finishes_;
};

void add_simulate(CLI::App* const command, int argc, char** argv) {
  const auto options = std::make_shared<SimulateOptions>();
  options->add_to(*command);
  add_footer(
      *command,
      "simulate has a row for each plan, distribution and engine, and options for networks, "
      "disturbances, energy, timelines and sweeps. `bracket compare --predict` shows the "
      "predictions of LogGP, LogGOPS and SimGrid for each plan and distribution in one row.\n"
      "The table has the number of messages and the makespan, the time until the last rank is "
      "done. With --watts, it also has the energy, which only the engine simgrid computes.");
  command->callback([=] {
    // Only the first of the ranks that share a sweep writes.
    if (first_of_launch()) {
      check_outputs(*command, {"--output", "--goal", "--chrome-trace", "--paje"},
                    {"--schedule", "--plan-file", "--distribution", "--machine", "--placement",
                     "--platform"});
      options->report.check(*command);
    }
    // A sweep checks each of its points.
    if (options->sweeps.empty()) {
      options->check(*command);
      options->settle();
    }
    SimulateCommand(*options, SweptCommand("simulate", argc, argv,
                                           {"o", "output", "goal", "chrome-trace", "paje", "jobs",
                                            "report", "report-sources"},
                                           options->sweeps))
        .run();
  });
}

const PlainCommand simulate_code("simulate", add_simulate);

}  // namespace

}  // namespace bracket::tools
