#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <memory>
#include <sstream>

#include "bracket/model/error.hpp"
#include "bracket/model/file.hpp"
#include "bracket/model/json.hpp"
#include "bracket/model/loggp.hpp"
#include "bracket/model/plan.hpp"
#include "bracket/simulator/loggops.hpp"
#include "commands.hpp"
#include "correlations.hpp"
#include "help.hpp"
#include "machine_options.hpp"
#include "report.hpp"
#include "rows.hpp"
#include "scorecards.hpp"

namespace bracket::tools {

namespace {

using Json = nlohmann::ordered_json;

struct ValidateOptions {
  std::vector<std::string> files;
  std::vector<std::string> only;  // KEY=VALUE
  MachineOptions machine;
  bool json = false;
};

/// A schedule takes some hundred bytes for each rank: a mistyped number must not take all memory.
constexpr Rank most_ranks = 1 << 23;

std::string as_written(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

/// The delivery and the rest that a row says; what it does not say is what `run` does by default.
RowSetting setting_of(const Json& row) {
  const auto collective = row.value("collective", std::string("reduce"));
  Delivery delivery = Delivery::to(row.value("root", Rank{0}));
  for (const Delivery other : {Delivery::to_all(), Delivery::scattered()}) {
    if (collective == name_of(other.collective)) delivery = other;
  }
  if (collective != name_of(delivery.collective)) {
    throw Error(text("unknown collective '", excerpt(collective), "'"));
  }
  return {row.value("order", std::string("tree")), delivery, row.value("items", Index{1})};
}

/// `bracket validate`: how far predictions are off what was measured.
class Validation {
 public:
  explicit Validation(const ValidateOptions& options)
      : options_(options),
        report_({{"elements", "N"},
                 {"ranks", "p"},
                 {"order", "order"},
                 {"collective", "result"},
                 {"items", "items"},
                 {"distribution", "distribution"},
                 {"rank_order", "rank order"},
                 {"plan", "plan"},
                 {"loggp_seconds", "LogGP [us]", Column::Shown::microseconds},
                 {"loggops_seconds", "LogGOPS [us]", Column::Shown::microseconds},
                 {"measured_seconds", "measured [us]", Column::Shown::microseconds},
                 {"loggp_error", "LogGP error", Column::Shown::percent},
                 {"loggops_error", "LogGOPS error", Column::Shown::percent}},
                options.json) {
    for (const std::string& one : options.only) {
      const auto equals = one.find('=');
      if (equals == std::string::npos || equals == 0) {
        throw Error(text("--only '", excerpt(one), "': KEY=VALUE was expected"));
      }
      only_.emplace_back(one.substr(0, equals), one.substr(equals + 1));
    }
  }

  void run() {
    for (const std::string& file : options_.files) read(file);
    if (measured_.empty()) {
      throw Error(text(fmt::format("{}", fmt::join(options_.files, ", ")),
                       ": no row of a plan that can be predicted",
                       only_.empty() ? "" : " and that --only chooses"));
    }
    report_.title(options_.machine.line());
    for (const auto& [place, lines] : measured_) {
      const RowSetting& setting = settings_.at(place.second);
      for (const auto& [key, row] : read_rows(lines, measured_duration, setting, place.first)) {
        predict(key, setting, row, place.first);
      }
    }
    progress_.clear();
    warn_of_defaults(options_.machine.source, options_.machine.figures(), options_.machine.given);
    report_.finish();
    cards_.report(options_.json);
    if (left_out_ > 0) {
      fmt::print(stderr,
                 "bracket: left out {}: by native or an algorithm, which no model predicts\n",
                 counted(left_out_, "row"));
    }
  }

 private:
  /// Which of the rows are asked for and can be predicted, by what they are of. Lines keep their
  /// numbers.
  void read(const std::string& file) {
    std::istringstream in(read_file(file));
    Index number = 0;
    for (std::string line; std::getline(in, line);) {
      ++number;
      if (line.empty()) continue;
      const std::string here = text(file, ", line ", number);
      const Json row = parse_json(line, here);
      if (!row.is_object()) throw Error(text(here, ": a JSON object was expected"));
      if (!row.contains("measured_seconds") || !is_chosen(row)) continue;
      try {
        if (row.contains("algorithm") ||
            !make_plan(row.value("plan", std::string()))->scheduled()) {
          ++left_out_;
          continue;
        }
        const RowSetting setting = setting_of(row);
        const std::string name = text(setting.order, ' ', name_of(setting.delivery.collective), ' ',
                                      setting.delivery.root, ' ', setting.items);
        settings_.emplace(name, setting);
        std::string& lines = measured_[{file, name}];
        Index& before = line_counts_[{file, name}];
        lines.append(static_cast<std::size_t>(number - 1 - before), '\n');
        lines += line + '\n';
        before = number;
      } catch (const Json::exception&) {
        throw Error(text(here, ": a member is of another kind than `bracket run --json` writes"));
      } catch (const Error& failure) {
        throw Error(text(here, ": ", failure.what()));
      }
    }
  }

  [[nodiscard]] bool is_chosen(const Json& row) const {
    return std::all_of(only_.begin(), only_.end(), [&](const auto& one) {
      const auto found = row.find(one.first);
      return found != row.end() && as_written(*found) == one.second;
    });
  }

  void predict(const RowKey& key, const RowSetting& setting, const Json& measured,
               const std::string& file) {
    const Machine& machine = options_.machine.machine;
    ScheduleOptions asked;
    asked.order = setting.order;
    asked.delivery = setting.delivery;
    asked.items = setting.items;
    if (!key.rank_order.empty()) asked.rank_order = key.rank_order;
    progress_.say(fmt::format("{} on {} ...", key.plan, counted(key.ranks, "rank")));
    Json row{{"elements", key.elements},
             {"ranks", key.ranks},
             {"order", setting.order},
             {"distribution", key.distribution},
             {"plan", key.plan}};
    try {
      if (key.ranks > most_ranks) {
        throw Error(text("a schedule of more than ", most_ranks, " ranks takes too much memory"));
      }
      const Schedule schedule =
          asked.schedule(asked.distribution(key.distribution, key.elements, key.ranks), key.plan);
      asked.tell(row);
      options_.machine.tell(row);
      row["loggp_seconds"] = paper_cost(schedule, machine).makespan;
      row["loggops_seconds"] = replay_loggops(Workload(schedule, machine), machine).makespan;
    } catch (const Error& failure) {
      throw Error(text(file, ": ", key.plan, " over ", key.distribution, " on ",
                       counted(key.ranks, "rank"), ": ", failure.what()));
    }
    for (const char* name : {"measured_seconds", "measured_low_seconds", "measured_high_seconds",
                             "starts", "kernel", "environment"}) {
      if (measured.contains(name)) row[name] = measured[name];
    }
    const double truth = row["measured_seconds"].get<double>();
    const auto bound = [&](const char* name) { return measured.value(name, truth); };
    for (const PredictionModel& model : prediction_models()) {
      if (!row.contains(model.seconds)) continue;
      const double predicted = row[model.seconds].get<double>();
      row[model.error] = predicted / truth - 1;
      cards_.add(model,
                 text(counted(key.elements, "element"),
                      setting.items > 1 ? text(" of ", setting.items, " items") : "", " on ",
                      counted(key.ranks, "rank"), ", ", setting.order, ", ",
                      name_of(setting.delivery.collective)),
                 text(key.plan, " over ", key.distribution),
                 {predicted, truth, bound("measured_low_seconds"), bound("measured_high_seconds")});
    }
    report_.row(std::move(row));
  }

  const ValidateOptions& options_;
  std::vector<std::pair<std::string, std::string>> only_;
  std::map<std::pair<std::string, std::string>, std::string> measured_;  // by file and setting
  std::map<std::pair<std::string, std::string>, Index> line_counts_;     // likewise
  std::map<std::string, RowSetting> settings_;
  Index left_out_ = 0;
  Report report_;
  Scorecards cards_;
  Progress progress_;
};

}  // namespace

void add_validate(CLI::App& app) {
  auto* const command =
      app.add_subcommand("validate", "how far predictions are off rows that were measured");
  const auto options = std::make_shared<ValidateOptions>();
  command
      ->add_option("rows", options->files,
                   "rows that `bracket run --json` or `compare --json` wrote")
      ->required()
      ->type_name("FILE");
  command
      ->add_option("--only", options->only,
                   "only rows that have this value, such as ranks=2 or plan=direct; several must "
                   "all hold")
      ->allow_extra_args(false)
      ->type_name("KEY=VALUE");
  options->machine.add_to(*command);
  options->machine.add_loggops_to(*command);
  add_json(*command, options->json);
  command->callback([options] { Validation(*options).run(); });
}

}  // namespace bracket::tools
