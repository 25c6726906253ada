// SPDX-License-Identifier: MIT

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "common/commands.hpp"
#include "common/help.hpp"
#include "common/machine_options.hpp"
#include "models/prediction.hpp"
#include "report/model_tables.hpp"
#include "report/report.hpp"
#include "rows/measurements.hpp"
#include "rows/model_columns.hpp"
#include "rows/row_table.hpp"
#include "rows/scorecards.hpp"
#include "validate/validate_plots.hpp"

namespace bracket::tools {

namespace {

using Json = nlohmann::ordered_json;

struct ValidateOptions {
  MeasuredRowsOptions rows;
  MachineOptions machine;
  bool json = false;
  ReportOptions report;
};

/// Returns the models by which this program predicts measured rows.
std::vector<const CostModel*> judged_models() {
  std::vector<const CostModel*> judged;
  for (const CostModel& model : cost_models()) {
    if (model.knows.paths && !model.apart) judged.push_back(&model);
  }
  return judged;
}

std::vector<Column> validate_columns() {
  std::vector<Column> columns{{"elements", "N"},
                              {"ranks", "p"},
                              {"bytes", "bytes"},
                              {"order", "order"},
                              {"collective", "result"},
                              {"items", "items"},
                              {"fields", "fields"},
                              {"distribution", "distribution"},
                              {"rank_order", "rank order"},
                              {"plan", "plan"},
                              {"algorithm", "algorithm"},
                              {"op", "operator"},
                              {"type", "type"},
                              {"implementation", "implementation"}};
  const auto judged = judged_models();
  for (const CostModel* const model : judged) columns.push_back(seconds_column(*model));
  columns.push_back({"measured_seconds", "measured [us]", Column::Shown::microseconds});
  for (const CostModel* const model : judged) columns.push_back(error_column(*model));
  return columns;
}

/// Implements `bracket validate`: compares predictions with measured rows.
class Validation {
 public:
  explicit Validation(const ValidateOptions& options)
      : options_(options), table_(validate_columns(), options.json), report_(options.report) {
    if (report_.wanted()) table_.keep_rows();
  }

  void run() {
    auto measured = read_measurements(options_.rows.files, RowFilter(options_.rows.only));
    keep_operations(measured, [&](const Operation& operation) {
      return options_.machine.machine.computes(operation);
    });
    table_.title(options_.machine.line());
    for (const Measurement& measurement : measured.rows) judge(measurement);
    progress_.clear();
    warn_of_defaults(options_.machine.source, options_.machine.figures(), options_.machine.given);
    table_.finish();
    cards_.report(options_.json);
    warn_of_rows(measured);
    report();
  }

 private:
  void report() {
    if (!report_.wanted()) return;
    report_.fact("machine", options_.machine.line());
    report_.add({.title = "Predictions and measurements",
                 .columns = table_.columns(),
                 .rows = table_.rows(),
                 .plots = validate_plots(table_.rows())});
    if (auto cards = scorecard_table(cards_)) report_.add(std::move(*cards));
    report_.write();
  }

  void judge(const Measurement& measurement) {
    progress_.say(
        fmt::format("{} on {} ...", measurement.choice, counted(measurement.ranks, "rank")));
    const Machine& machine = options_.machine.machine;
    const Machine sending = measurement.shares_memory ? machine : machine.by_library();
    const Conditions conditions{
        .machine = measurement.is_rounds
                       ? sending.for_values(measurement.value_bytes)
                       : machine_for(sending, measurement.setting.operation, measurement.threads)};
    std::optional<Schedule> schedule;
    if (!measurement.is_rounds) schedule = schedule_of(measurement);
    const Scenario scenario =
        schedule ? Scenario(*schedule, conditions)
                 : Scenario(measurement.rounds, measurement.items, measurement.ranks, conditions);
    Json row = measurement.row;
    std::vector<std::pair<const CostModel*, double>> predicted;
    for (const CostModel* const model : judged_models()) {
      if (measurement.is_rounds && !model->knows.rounds) continue;
      predicted.emplace_back(model, predict(*model, scenario).makespan);
      row[model->seconds.key] = predicted.back().second;
    }
    options_.machine.tell(row);
    for (const auto& [model, seconds] : predicted) {
      row[model->error_key()] = seconds / measurement.measured - 1;
      cards_.add(*model, measurement.reduction, measurement.choice,
                 {seconds, measurement.measured, measurement.low, measurement.high});
    }
    table_.row(std::move(row));
  }

  const ValidateOptions& options_;
  RowTable table_;
  Report report_;
  Scorecards cards_;
  Progress progress_;
};

void add_validate(CLI::App* const command, int, char**) {
  const auto options = std::make_shared<ValidateOptions>();
  add_measured_rows(*command, options->rows);
  options->machine.add_to(*command);
  options->machine.add_loggops_to(*command);
  add_json(*command, options->json);
  options->report.add_to(*command);
  add_footer(
      *command,
      "validate takes the reduction from each row. With `bracket compare --measured FILE`, the "
      "options describe the reduction; compare also predicts by SimGrid.\n"
      "Give the machine of the rows with --machine: the default, thesis, suits only rows of that "
      "machine. A second table shows the errors of each model over all rows.");
  command->callback([options, command] {
    options->report.check(*command);
    Validation(*options).run();
  });
}

const PlainCommand validate_code("validate", add_validate);

}  // namespace

}  // namespace bracket::tools
