#include <fmt/format.h>

#include <memory>

#include "bracket/model/loggp.hpp"
#include "bracket/simulator/loggops.hpp"
#include "common/commands.hpp"
#include "common/help.hpp"
#include "common/machine_options.hpp"
#include "rows/correlations.hpp"
#include "rows/measurements.hpp"
#include "rows/report.hpp"
#include "rows/scorecards.hpp"

namespace bracket::tools {

namespace {

using Json = nlohmann::ordered_json;

struct ValidateOptions {
  MeasuredRowsOptions rows;
  MachineOptions machine;
  bool json = false;
};

/// `bracket validate`: compares predictions with measured rows.
class Validation {
 public:
  explicit Validation(const ValidateOptions& options)
      : options_(options),
        report_({{"elements", "N"},
                 {"ranks", "p"},
                 {"bytes", "bytes"},
                 {"order", "order"},
                 {"collective", "result"},
                 {"items", "items"},
                 {"distribution", "distribution"},
                 {"rank_order", "rank order"},
                 {"plan", "plan"},
                 {"algorithm", "algorithm"},
                 {"implementation", "implementation"},
                 {"loggp_seconds", "LogGP [us]", Column::Shown::microseconds},
                 {"loggops_seconds", "LogGOPS [us]", Column::Shown::microseconds},
                 {"measured_seconds", "measured [us]", Column::Shown::microseconds},
                 {"loggp_error", "LogGP error", Column::Shown::percent},
                 {"loggops_error", "LogGOPS error", Column::Shown::percent}},
                options.json) {}

  void run() {
    const auto measured = read_measurements(options_.rows.files, RowFilter(options_.rows.only));
    report_.title(options_.machine.line());
    for (const Measurement& measurement : measured.rows) predict(measurement);
    progress_.clear();
    warn_of_defaults(options_.machine.source, options_.machine.figures(), options_.machine.given);
    report_.finish();
    cards_.report(options_.json);
    warn_of_left_out(measured);
  }

 private:
  void predict(const Measurement& measurement) {
    const Machine machine = options_.machine.machine.for_values(measurement.value_bytes);
    progress_.say(
        fmt::format("{} on {} ...", measurement.choice, counted(measurement.ranks, "rank")));
    Json row = measurement.row;
    if (measurement.is_rounds) {
      row["loggp_seconds"] =
          seconds_of(measurement.rounds, measurement.items, measurement.ranks, machine);
    } else {
      const Schedule schedule = schedule_of(measurement);
      row["loggp_seconds"] = paper_cost(schedule, machine).makespan;
      row["loggops_seconds"] = replay_loggops(Workload(schedule, machine), machine).makespan;
    }
    options_.machine.tell(row);
    for (const PredictionModel& model : prediction_models()) {
      if (!row.contains(model.seconds)) continue;
      const double predicted = row[model.seconds].get<double>();
      row[model.error] = predicted / measurement.measured - 1;
      cards_.add(model, measurement.reduction, measurement.choice,
                 {predicted, measurement.measured, measurement.low, measurement.high});
    }
    report_.row(std::move(row));
  }

  const ValidateOptions& options_;
  Report report_;
  Scorecards cards_;
  Progress progress_;
};

}  // namespace

void add_validate(CLI::App& app) {
  auto* const command = app.add_subcommand("validate", "Compare predictions with measured rows");
  const auto options = std::make_shared<ValidateOptions>();
  add_measured_rows(*command, options->rows);
  options->machine.add_to(*command);
  options->machine.add_loggops_to(*command);
  add_json(*command, options->json);
  command->callback([options] { Validation(*options).run(); });
}

}  // namespace bracket::tools
