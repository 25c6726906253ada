#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <memory>
#include <optional>

#include "bracket/model/error.hpp"
#include "files.hpp"
#include "programs.hpp"
#include "row_file.hpp"
#include "simulate_rows.hpp"
#include "simulator_commands.hpp"

namespace bracket::tools {

namespace {

using Json = nlohmann::ordered_json;

std::vector<Column> table_columns(const SimulateOptions& options) {
  const auto is_swept = [&](const std::string& option) {
    return std::any_of(options.sweeps.begin(), options.sweeps.end(), [&](const Sweep& sweep) {
      return sweep.option == option || (sweep.option == "N" && option == "elements") ||
             (sweep.option == "p" && option == "ranks");
    });
  };
  std::vector<Column> columns;
  for (const auto& [option, column] : setting_columns()) {
    const std::string& key = column.key;
    if (key == "ranks" || key == "distribution" || key == "rank_order" || key == "plan" ||
        key == "engine" || is_swept(option)) {
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
  /// `words` are what was written after the subcommand.
  SimulateCommand(const SimulateOptions& options, std::vector<std::string> words)
      : options_(options), words_(std::move(words)), report_(make_report(options)) {}

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
      report_.title(options_.machine.line());
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
    check_swept();
    const std::vector<SweepPoint> points = points_of(options_.sweeps);
    // All of them, before time goes into the first.
    for (const SweepPoint& point : points) at(point, [](const SimulateRows&) {});
    start();
    for (std::size_t i = 0; i < points.size(); ++i) {
      where_ = fmt::format("point {} of {}, ", i + 1, points.size());
      at(points[i], [&](const SimulateRows& rows) { simulate(rows); });
    }
  }

  /// That what is swept are options, of one simulation and not given besides.
  void check_swept() const {
    SimulateOptions options;
    options.of_sweep = true;
    CLI::App app;
    options.add_to(app);
    app.parse(std::vector<std::string>(words_.rbegin(), words_.rend()));
    std::map<const CLI::Option*, std::string> swept;
    for (const Sweep& sweep : options_.sweeps) {
      const CLI::Option* const known = app.get_option_no_throw(dashed(sweep.option));
      if (known == nullptr || known->get_items_expected_max() == 0 || is_of_all(sweep.option)) {
        throw Error(text("--sweep ", sweep.option,
                         ": an option of `bracket simulate` that takes a value was expected"));
      }
      if (known->count() > 0) {
        throw Error(text("--sweep ", sweep.option, " gives the values of ", names_of(*known),
                         ", which is given, too: leave it out"));
      }
      const auto [first, is_new] = swept.emplace(known, sweep.option);
      if (!is_new && first->second != sweep.option) {
        throw Error(text("--sweep ", first->second, " and --sweep ", sweep.option,
                         " are of the same option: leave one out"));
      }
    }
  }

  /// What is asked for at a point: the words as they were, and the point's options.
  template <class Use>
  void at(const SweepPoint& point, const Use& use) {
    try {
      SimulateOptions options;
      options.of_sweep = true;
      CLI::App app;
      options.add_to(app);
      std::vector<std::string> words = words_;
      for (const auto& [option, value] : point) words.insert(words.end(), {dashed(option), value});
      std::reverse(words.begin(), words.end());
      app.parse(words);
      options.sweeps = options_.sweeps;
      options.check(app);
      options.schedule.take_tuned_of(options.elements, options.ranks);
      use(SimulateRows(options, progress_, where_));
    } catch (const std::exception& failure) {
      throw Error(text("--sweep ", describe(point), ": ", failure.what()));
    }
  }

  static std::string dashed(const std::string& option) {
    return (option.size() == 1 ? "-" : "--") + option;
  }

  /// `-N (--elements)`
  static std::string names_of(const CLI::Option& option) {
    std::string names = option.get_name(false, true);
    if (const auto comma = names.find(','); comma != std::string::npos) {
      names.replace(comma, 1, " (");
      names += ')';
    }
    return names;
  }

  /// Options that are of the whole sweep.
  static bool is_of_all(const std::string& option) {
    for (const char* name : {"sweep", "o", "output", "goal", "chrome-trace", "paje"}) {
      if (option == name) return true;
    }
    return false;
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
  std::vector<std::string> words_;
  Report report_;
  Progress progress_;
  std::string where_;  // in the sweep
  std::optional<RowFile> file_;
  std::int64_t added_ = 0;
  std::int64_t known_ = 0;
  std::vector<std::pair<std::string, std::vector<double>>> finishes_;
};

/// The words after the subcommand, without the sweeps.
std::vector<std::string> unswept(int argc, char** argv) {
  std::vector<std::string> words;
  for (int i = 2; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--sweep") {
      ++i;
    } else if (!word.starts_with("--sweep=")) {
      words.push_back(word);
    }
  }
  return words;
}

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
    SimulateCommand(*options, unswept(argc, argv)).run();
  });
}

}  // namespace bracket::tools
