#include <fmt/format.h>

#include <iostream>
#include <memory>
#include <optional>

#include "bracket/model/error.hpp"
#include "files.hpp"
#include "programs.hpp"
#include "row_file.hpp"
#include "simulate_rows.hpp"
#include "simulator_commands.hpp"
#include "swept_command.hpp"

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

Report make_report(const SimulateOptions& options) {
  if (!options.csv) return {table_columns(options), options.json};
  std::vector<Column> columns;
  for (const auto& [_, column] : setting_columns()) columns.push_back(column);
  for (const auto& key : result_keys) columns.push_back({key, key});
  return {columns, Form::csv};
}

class SimulateCommand {
 public:
  SimulateCommand(const SimulateOptions& options, SweptCommand command)
      : options_(options), command_(std::move(command)), report_(make_report(options)) {}

  void run() {
    if (options_.sweeps.empty()) {
      const SimulateRows rows(options_, progress_, "");
      start();
      simulate(rows);
    } else {
      sweep();
    }
    progress_.clear();
    options_.warn_of_defaults();
    if (options_.output.empty()) {
      report_.title(options_.machine_line());
      report_.finish();
    } else {
      fmt::print(stderr, "bracket: {}: {} added{}\n", options_.output, counted(added_, "row"),
                 known_ == 0 ? "" : fmt::format(", {} were there", known_));
    }
    if (options_.finish && !options_.json) print_finish();
  }

 private:
  void start() {
    if (!options_.output.empty()) file_.emplace(options_.output, setting_keys(), result_keys);
  }

  void sweep() {
    if (options_.finish) throw Error("--finish is of one simulation, not of a sweep");
    SimulateOptions options;
    options.of_sweep = true;
    CLI::App app;
    options.add_to(app);
    command_.check(app);
    // All of them, before time goes into the first.
    at_each_point([](const SimulateRows&) {});
    start();
    at_each_point([this](const SimulateRows& rows) { simulate(rows); });
  }

  template <class Use>
  void at_each_point(const Use& use) {
    command_.for_each_point(
        [&](std::size_t point, std::size_t points, std::vector<std::string> words) {
          SimulateOptions options;
          options.of_sweep = true;
          CLI::App app;
          options.add_to(app);
          app.parse(std::move(words));
          options.sweeps = options_.sweeps;
          options.check(app);
          options.schedule.take_tuned_of(options.elements, options.ranks);
          use(SimulateRows(options, progress_, fmt::format("point {} of {}, ", point, points)));
        });
  }

  void simulate(const SimulateRows& rows) {
    rows.run(
        [this](const Json& row) {
          const bool known = file_ && file_->has(row);
          if (known) ++known_;
          return known;
        },
        [this](Json row) { take(std::move(row)); });
  }

  void take(Json row) {
    if (file_) {
      file_->add(row);
      ++added_;
      return;
    }
    if (options_.finish) {
      finishes_.emplace_back(
          fmt::format("{} over {}, {}", row["plan"].get<std::string>(),
                      row["distribution"].get<std::string>(), row["engine"].get<std::string>()),
          row["finish_seconds"].get<std::vector<double>>());
    }
    if (options_.json || options_.csv) progress_.clear();
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

  const SimulateOptions& options_;
  SweptCommand command_;
  Report report_;
  Progress progress_;
  std::optional<RowFile> file_;
  std::int64_t added_ = 0;
  std::int64_t known_ = 0;
  std::vector<std::pair<std::string, std::vector<double>>> finishes_;
};

}  // namespace

void add_simulate(CLI::App& app, int argc, char** argv) {
  auto* const command = app.add_subcommand("simulate", helper_for("simulate")->description);
  const auto options = std::make_shared<SimulateOptions>();
  options->add_to(*command);
  command->callback([=] {
    check_outputs(
        *command, {"--output", "--goal", "--chrome-trace", "--paje"},
        {"--schedule", "--plan-file", "--distribution", "--machine", "--placement", "--platform"});
    // The points of a sweep do it by themselves.
    if (options->sweeps.empty()) {
      options->check(*command);
      options->schedule.take_tuned_of(options->elements, options->ranks);
    }
    SimulateCommand(*options,
                    SweptCommand("simulate", argc, argv,
                                 {"o", "output", "goal", "chrome-trace", "paje"}, options->sweeps))
        .run();
  });
}

}  // namespace bracket::tools
