// SPDX-License-Identifier: MIT

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <set>

#include "bracket/model/machine_fit.hpp"
#include "bracket/model/machine_json.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/file.hpp"
#include "bracket/support/text.hpp"
#include "common/commands.hpp"
#include "common/files.hpp"
#include "common/help.hpp"
#include "common/options.hpp"
#include "models/cost_models.hpp"
#include "rows/measurements.hpp"
#include "rows/row_table.hpp"
#include "rows/scorecards.hpp"

namespace bracket::tools {

namespace {

using Json = nlohmann::ordered_json;

struct FitOptions {
  MeasuredRowsOptions rows;
  std::string output;
  std::string name;
  bool json = false;
};

#ifdef BRACKET_HAS_FIT

/// Throws `Error` unless `written`, a text for a machine's file, is UTF-8.
void check_text(const char* what, const std::string& written) {
  try {
    static_cast<void>(Json(written).dump());
  } catch (const Json::exception&) {
    throw Error(text(what, " is not UTF-8"));
  }
}

/// Count of numbers that the fullest rank folds, and size of the largest message in bytes.
struct Largest {
  double folded = 0;
  double message_bytes = 0;
};

Largest largest_of(const Schedule& schedule, Index value_bytes) {
  Largest largest;
  for (const RankPart& part : schedule.parts) {
    double folded = 0;
    for (const Step& step : part.steps()) {
      if (step.kind == StepKind::fold) {
        const Partial& partial = part.operands(step)[0];
        folded +=
            static_cast<double>(partial.range.size()) * static_cast<double>(partial.segment.size());
      } else if (step.kind == StepKind::send) {
        largest.message_bytes =
            std::max(largest.message_bytes,
                     static_cast<double>(part.values(step)) * static_cast<double>(value_bytes));
      }
    }
    largest.folded = std::max(largest.folded, folded);
  }
  return largest;
}

FitRow fit_row(const Measurement& measurement) {
  FitRow row;
  row.measured = measurement.measured;
  if (measurement.fastest) row.jitter = measurement.measured - *measurement.fastest;
  row.ranks = measurement.ranks;
  row.items = measurement.items;
  row.value_bytes = measurement.value_bytes;
  if (measurement.is_rounds) {
    row.schedule = false;
    Index most = 0;
    for (const Round& round : measurement.rounds) most = std::max(most, round.items);
    row.message_bytes = static_cast<double>(most * measurement.value_bytes);
    row.predict = [rounds = measurement.rounds, items = measurement.items,
                   ranks = measurement.ranks](const Machine& machine) {
      return seconds_of(rounds, items, ranks, machine);
    };
    return row;
  }
  // A fit predicts each row some thousand times.
  const PaperMakespan makespan(schedule_of(measurement));
  const Largest largest = largest_of(makespan.schedule(), measurement.value_bytes);
  row.folded = largest.folded;
  row.message_bytes = largest.message_bytes;
  row.predict = makespan;
  return row;
}

/// Returns columns of published tables whose values differ between the rows, although one machine
/// has one value.
std::vector<std::string> mixed(const std::vector<Measurement>& rows) {
  std::map<std::string, std::set<std::string>> values;
  for (const Measurement& row : rows) {
    const auto published = row.row.find("published");
    if (published == row.row.end()) continue;
    for (const auto& [key, value] : published->items())
      values[key].insert(value.get<std::string>());
    values["ranks"].insert(text(row.ranks));
  }
  std::vector<std::string> columns;
  constexpr std::size_t most = 5;
  for (const auto& [key, all] : values) {
    if (all.size() == 1) continue;
    std::vector<std::string> some(all.begin(), all.end());
    some.resize(std::min(most, some.size()));
    columns.push_back(
        fmt::format("{} ({}{})", key, fmt::join(some, ", "), all.size() > most ? ", ..." : ""));
  }
  return columns;
}

/// Implements `bracket fit`.
class Fit {
 public:
  explicit Fit(const FitOptions& options) : options_(options) {}

  void run() {
    auto measured = read_measurements(options_.rows.files, RowFilter(options_.rows.only));
    keep_operations(measured, [](const Operation& operation) { return operation == Operation{}; });
    if (const auto columns = mixed(measured.rows); !columns.empty()) {
      fmt::print(stderr,
                 "bracket: one machine is fitted to rows that differ in {}; --only KEY=VALUE "
                 "selects rows\n",
                 fmt::join(columns, ", "));
    }
    warn_of_rows(measured);
    Progress progress;
    std::vector<FitRow> rows;
    for (const Measurement& measurement : measured.rows) rows.push_back(fit_row(measurement));
    const std::string what =
        fmt::format("fitting a machine to {}", counted(static_cast<Index>(rows.size()), "row"));
    const MachineFit fit = fit_machine(rows, [&](Index evaluations) {
      constexpr Index between = 16;
      if (evaluations % between == 0)
        progress.say(fmt::format("{}, try {} ...", what, evaluations));
    });
    progress.clear();
    for (const std::string& sentence : fit.assumed) fmt::print(stderr, "bracket: {}\n", sentence);
    // The machine file is for float64.
    Json machine = to_json({name(), source(rows.size()), fit.machine.for_values(sizeof(double))});
    round_numbers(machine);
    const Machine written = machine_from_json(machine).machine;
    Scorecards cards;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const Measurement& row = measured.rows[i];
      cards.add(
          cost_model("loggp"), row.reduction, row.choice,
          {rows[i].predict(written.for_values(row.value_bytes)), row.measured, row.low, row.high});
    }
    if (options_.json) {
      std::cout << machine.dump() << '\n';
    } else {
      print(written, fit.combine_share);
    }
    cards.report(options_.json);
    if (!options_.output.empty()) support::write_file(options_.output, machine.dump(2) + '\n');
  }

 private:
  [[nodiscard]] std::string name() const {
    if (!options_.name.empty()) return options_.name;
    if (!options_.output.empty()) return std::filesystem::path(options_.output).stem().string();
    return "fitted";
  }

  [[nodiscard]] std::string source(std::size_t rows) const {
    std::vector<std::string> files;
    for (const std::string& file : options_.rows.files) {
      files.push_back(std::filesystem::path(file).filename().string());
    }
    std::string source =
        fmt::format("bracket fit to {} of {}", counted(static_cast<Index>(rows), "row"),
                    fmt::join(files, ", "));
    if (!options_.rows.only.empty()) {
      source += fmt::format(" with {}", fmt::join(options_.rows.only, ", "));
    }
    return source;
  }

  static void print(const Machine& machine, double combine_share) {
    if (!machine.messages.empty()) {
      RowTable messages({{"bytes", "bytes"},
                         {"way", "message's way [us]", Column::Shown::microseconds},
                         {"combine", "combining [us]", Column::Shown::microseconds}},
                        Form::table);
      for (const MessageTimes& times : machine.messages) {
        Json row{{"bytes", times.bytes}, {"way", times.round_trip / 2}};
        const Index values = times.bytes / machine.value_bytes;
        if (!machine.work->joins.empty() && values > 1) {
          row["combine"] = machine.work->join(static_cast<double>(values), values);
        }
        messages.row(std::move(row));
      }
      messages.finish();
    }
    if (machine.work->folds.back().seconds > 0) {
      RowTable folds(
          {{"elements", "elements"}, {"seconds", "fold [us]", Column::Shown::microseconds}},
          Form::table);
      for (const auto& [elements, seconds] : machine.work->folds) {
        folds.row({{"elements", elements}, {"seconds", seconds}});
      }
      std::cout << '\n';
      folds.finish();
    }
    const MeasuredWork& work = *machine.work;
    fmt::print("\nA run starts in {:.4g} us", work.start * 1e6);
    if (work.start_alone) fmt::print(", on one rank in {:.4g} us", *work.start_alone * 1e6);
    if (combine_share > 0) {
      fmt::print("; {:.0f} % of the time per byte of a round is charged to combining",
                 100 * combine_share);
    }
    fmt::print(".\n");
  }

  const FitOptions& options_;
};

#endif

void add_fit(CLI::App* const command, int, char**) {
  const auto options = std::make_shared<FitOptions>();
  add_measured_rows(*command, options->rows);
  const HelpGroup group(*command, "Output");
  command
      ->add_option("-o,--output", options->output,
                   "write the machine to this file, which other commands read with --machine; "
                   "without it, fit only prints the costs")
      ->type_name("FILE.json");
  command
      ->add_option(
          "--name", options->name,
          "name of the machine, which the file contains; default: the name of -o without .json, "
          "or fitted without -o")
      ->type_name("NAME");
  add_json(*command, options->json);
  add_footer(
      *command,
      "One row is enough for a machine file, but not for accurate costs: give rows for several "
      "numbers of elements, numbers of ranks and sizes of messages. The time of an addition "
      "depends on the number of elements on a rank. fit infers at most one such time for every "
      "three "
      "rows. A line on stderr names costs that the rows do not determine.");
  command->callback([options, command] {
#ifdef BRACKET_HAS_FIT
    check_outputs(*command, {"--output"}, {"rows"});
    check_text("--name", options->name);
    for (const std::string& file : options->rows.files) check_text("a file's name", file);
    Fit(*options).run();
#else
    static_cast<void>(command);
    throw Error("this build has no NLopt (Debian package libnlopt-dev), which `bracket fit` needs");
#endif
  });
}

const PlainCommand fit_code("fit", add_fit);

}  // namespace

}  // namespace bracket::tools
