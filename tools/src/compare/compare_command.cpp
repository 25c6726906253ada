// SPDX-License-Identifier: MIT

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "bracket/model/loggp.hpp"
#include "bracket/model/plan.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/file.hpp"
#include "bracket/support/text.hpp"
#include "common/commands.hpp"
#include "common/launch.hpp"
#include "common/programs.hpp"
#include "compare/compare_options.hpp"
#include "compare/compare_plots.hpp"
#include "compare/compared_plans.hpp"
#include "compare/measured_rows.hpp"
#include "compare/simulated_rows.hpp"
#include "models/prediction.hpp"
#include "report/report.hpp"
#include "rows/correlations.hpp"
#include "rows/model_columns.hpp"
#include "rows/row_table.hpp"
#include "rows/scorecards.hpp"

namespace bracket::tools {

namespace {

using Json = nlohmann::ordered_json;

class Comparison {
 public:
  explicit Comparison(CompareOptions options)
      : options_(std::move(options)), report_(options_.report) {}

  void run() {
    settle_sizes();
    settle_asked();
    if (!options_.measured.empty()) {
      take_measured();
    } else if (!options_.predict) {
      measure();
    }
    if (options_.fit) fit_addition();
    report();
  }

 private:
  void settle_sizes() {
    options_.schedule.read_tuned();
    const auto& tuned = options_.schedule.tuned;
    if (options_.input.given()) {
      const Items items = options_.schedule.items;
      const Index elements =
          options_.input.open(items.adjacent(), items.count / items.adjacent())->elements() /
          items.count;
      if (options_.elements != 0 && options_.elements != elements) {
        throw Error(text("-N ", options_.elements, ", but the input has ", elements, " elements"));
      }
      options_.elements = elements;
    } else {
      if (options_.elements == 0 && tuned) {
        options_.elements = elements_of(*tuned, options_.schedule.plan_file);
      }
      if (options_.elements < 1) {
        throw Error("a file of elements, --synthetic N or -N must be given, with N >= 1");
      }
      options_.input.synthetic = options_.elements;
    }
    if (options_.ranks.empty() && tuned) options_.ranks.push_back(tuned->ranks);
    if (options_.ranks.empty()) {
      for (Rank p = 1; p <= cores(); p *= 2) options_.ranks.push_back(p);
    }
  }

  /// Makes and checks all plans and distributions before any measurement.
  void settle_asked() {
    asked_ = compared_plans(options_);
    for_each_row(
        [&](const RowKey& key, const ComparedPlans& asked, const Distribution& distribution) {
          const auto plan = make_plan(asked.modelled(key.plan));
          if (options_.predict || asked.operation) check_scheduled(*plan);
          check_fit(asked.schedule.problem(asked.order, distribution), *plan);
        });
    for (const ComparedPlans& asked : asked_) {
      static_cast<void>(options_.machine.computing(asked.operation));
    }
  }

  /// Measures on the numbers of ranks that the machine has cores for.
  void measure() {
    std::string program;
    try {
      program = locate(command_named("run")).string();
    } catch (const Error& missing) {
      say_once(missing.what());
      return;
    }
    const std::vector<Rank> ranks = measurable_ranks();
    for (ComparedPlans& asked : asked_) {
      asked.measured =
          measured_rows(options_, program, ranks, asked.arguments(), asked.setting(), progress_);
    }
  }

  std::vector<Rank> measurable_ranks() {
    std::vector<Rank> ranks = options_.ranks;
    if (std::all_of(ranks.begin(), ranks.end(), [](Rank p) { return p <= cores(); })) return ranks;
    if (options_.oversubscribe) {
      allow_oversubscription();
      return ranks;
    }
    std::erase_if(ranks, [&](Rank p) {
      if (p <= cores()) return false;
      say_once(
          fmt::format("p = {} is not measured: the machine has {}; give --oversubscribe to measure "
                      "it, or --predict to skip all measurements",
                      p, counted(cores(), "core")));
      return true;
    });
    return ranks;
  }

  void take_measured() {
    const std::string lines = support::read_file(options_.measured);
    Circumstances circumstances;
    for (auto asked = asked_.begin(); asked != asked_.end(); ++asked) {
      const RowSetting setting = asked->setting();
      const auto same = std::find_if(asked_.begin(), asked, [&](const ComparedPlans& earlier) {
        return earlier.setting() == setting;
      });
      asked->measured = same != asked ? same->measured
                                      : read_rows(lines, measured_duration, setting,
                                                  options_.measured, &circumstances);
    }
    circumstances.warn("");
    bool any = false;
    for_each_row([&](const RowKey& key, const ComparedPlans& asked, const Distribution&) {
      any |= asked.measured.contains(key);
    });
    if (!any) {
      throw Error(text(options_.measured, ": no row is for N = ", options_.elements,
                       " and the given order, ranks, plans and distributions"));
    }
  }

  /// Sets t_add from the fastest run: slower runs spent their extra time on other work.
  void fit_addition() {
    const RowKey* fastest = nullptr;
    double least = 0;
    for (const ComparedPlans& asked : asked_) {
      for (const auto& [key, row] : asked.measured) {
        if (key.elements != options_.elements || key.ranks != 1) continue;
        const double seconds = row.at("measured_seconds").get<double>();
        if (fastest != nullptr && seconds >= least) continue;
        fastest = &key;
        least = seconds;
      }
    }
    if (fastest == nullptr || options_.elements < 2) {
      throw Error(text("--fit needs a measured run of at least two elements on one rank, for N = ",
                       options_.elements, ": put 1 in -p"));
    }
    options_.machine.machine.forget_work();
    double& t_add = options_.machine.machine.seconds_per_addition;
    t_add = least / (static_cast<double>(options_.elements - 1) *
                     static_cast<double>(options_.schedule.items));
    if (options_.json) return;
    progress_.clear();
    fmt::print(stderr, "bracket: t_add = {:.4g} ns, from {} over {} on one rank\n", t_add * 1e9,
               fastest->plan, fastest->distribution);
  }

  /// Returns rows of `bracket simulate` for a model that this program does not link.
  Rows simulate(const ComparedPlans& asked, const CostModel& model, Rank p) {
    ScheduleOptions scheduled = asked.schedule;
    for (std::string& plan : scheduled.plans) plan = asked.modelled(plan);
    std::erase_if(scheduled.plans, [](const auto& plan) { return !make_plan(plan)->scheduled(); });
    if (scheduled.plans.empty()) return {};
    const std::string engine(model.name);
    progress_.say(fmt::format("{}: simulating {} ...", engine, counted(p, "rank")));
    try {
      model_of(Role::engine, engine);
      locate(command_named("simulate"));
    } catch (const Error& missing) {
      say_once(missing.what());
      return {};
    }
    return SimulatedRows{options_.elements,
                         options_.machine.machine,
                         options_.machine.threads,
                         options_.platform,
                         ComparedPlans(scheduled, options_.elements, asked.operation).arguments(),
                         asked.setting()}
        .by(engine, p);
  }

  /// Gets rows for all plans and all such models. Models that execute the code are slow, so they
  /// run only with `--smpi`.
  void simulate(ComparedPlans& asked, Rank p) {
    if (asked.simulated.contains(p)) return;
    auto& rows = asked.simulated[p];
    for (const CostModel& model : cost_models()) {
      const bool executes = model.knows.bits;
      if (!model.apart || (executes && (!options_.execute || asked.of_baseline()))) continue;
      rows[model.name] = simulate(asked, model, p);
    }
  }

  template <class Visit>
  void for_each_row(Visit visit) {
    for (const Rank p : options_.ranks) {
      for (ComparedPlans& asked : asked_) {
        const ScheduleOptions& schedule = asked.schedule;
        for (const auto& name : schedule.distributions) {
          const auto distribution = schedule.distribution(name, options_.elements, p);
          for (const auto& plan : schedule.plans) {
            visit(RowKey{options_.elements, p, name, schedule.rank_order_name(),
                         make_plan(plan)->spec()},
                  asked, distribution);
          }
        }
      }
    }
  }

  /// Returns whether all plans are direct, whose messages scores charge one after the other.
  [[nodiscard]] bool all_direct() const {
    return std::all_of(asked_.begin(), asked_.end(), [](const ComparedPlans& asked) {
      return asked.schedule.plans == std::vector<std::string>{"direct"};
    });
  }

  [[nodiscard]] std::vector<Column> columns() const {
    using Shown = Column::Shown;
    std::vector<Column> columns{{"ranks", "p"},
                                {"distribution", "distribution"},
                                {"rank_order", "rank order"},
                                {"plan", "plan"},
                                {"messages", "messages"}};
    for (const CostModel& model : cost_models()) {
      if (model.knows.paths || all_direct()) columns.push_back(seconds_column(model));
    }
    columns.insert(columns.end(), {{"measured_seconds", "measured [us]", Shown::microseconds},
                                   {"measured_low_seconds", "95 % from [us]", Shown::microseconds},
                                   {"measured_high_seconds", "to [us]", Shown::microseconds}});
    for (const CostModel& model : cost_models()) {
      if (model.knows.paths) columns.push_back(error_column(model));
    }
    columns.push_back({"result_bits", "bits"});
    if (asked_.front().operation) {
      columns.insert(columns.begin() + 1, {"algorithm", "algorithm"});
    } else if (asked_.size() > 1) {
      columns.insert(columns.begin() + 1, {"order", "order"});
    }
    return columns;
  }

  [[nodiscard]] std::string title() const {
    std::string lines = options_.machine.line();
    const auto& tuned = options_.schedule.tuned;
    if (tuned) lines += text("\n", options_.schedule.plan_file, ": tuned by ", tuned->objective);
    if (const auto& operation = asked_.front().operation) {
      lines += text("\n", name_of(operation->op), " of ", name_of(operation->type),
                    operation->widened ? ", widened" : "", operation->checked ? ", checked" : "");
    }
    return lines;
  }

  /// Predicts by the models that this program links. Scores use only the distribution.
  static void predict_here(Json& row, const Problem& problem, const std::string& plan,
                           const Conditions& conditions) {
    const auto predict_by = [&](bool paths, const Scenario& scenario) {
      for (const CostModel& model : cost_models()) {
        if (model.apart || model.knows.paths != paths) continue;
        row[model.seconds.key] = predict(model, scenario).makespan;
      }
    };
    if (const auto made = make_plan(plan); made->scheduled()) {
      const Scenario scenario(problem, *made, conditions);
      row["messages"] = scenario.schedule().messages();
      predict_by(true, scenario);
    }
    if (problem.order.fixed()) predict_by(false, Scenario(problem, conditions));
  }

  void report() {
    RowTable table(columns(), options_.json);
    if (report_.wanted()) table.keep_rows();
    table.title(title());
    Correlations correlations;
    Scorecards cards;
    for_each_row([&](const RowKey& key, ComparedPlans& asked, const Distribution& distribution) {
      const auto& [elements, p, name, _, plan] = key;
      const ScheduleOptions& options = asked.schedule;
      simulate(asked, p);
      progress_.say(fmt::format("modelling {} on {} ...", asked.choice(key), counted(p, "rank")));
      const Machine machine = options_.machine.computing(asked.operation);
      const double add_seconds = add_seconds_of(machine, elements, p, options.items);
      Json row{{"elements", elements},
               {"ranks", p},
               {"order", asked.order.spec()},
               {"distribution", name},
               {"plan", plan}};
      options.tell(row);
      asked.tell(row);
      options_.machine.tell(row);
      row["send_seconds"] = options_.send_seconds;
      row["seconds_per_addition"] = add_seconds;  // fitted, or for this N and p
      predict_here(row, options.problem(asked.order, distribution), asked.modelled(plan),
                   {.machine = machine, .costs = {options_.send_seconds, add_seconds}});
      RowKey simulated = key;
      simulated.plan = asked.modelled(plan);
      for (const CostModel& model : cost_models()) {
        const auto rows = asked.simulated[p].find(model.name);
        if (rows == asked.simulated[p].end()) continue;
        take(row, rows->second, simulated, {"simulated_messages"});
        take_as(row, model.seconds.key, rows->second, simulated);
      }
      take(row, asked.measured, key,
           {"measured_seconds", "measured_low_seconds", "measured_high_seconds", "repetitions",
            "warm_up", "cold", "starts", "oversubscribed", "kernel", "result", "result_hex",
            "result_bits", "result_digest", "elements_digest", "environment"});
      if (row.contains("measured_seconds")) {
        const double truth = row["measured_seconds"].get<double>();
        for (const CostModel& model : cost_models()) {
          if (!row.contains(model.seconds.key)) continue;
          const double predicted = row[model.seconds.key].get<double>();
          row[model.error_key()] = predicted / truth - 1;
          correlations.add(p, model, predicted, truth);
          // A table has a verdict only on models that have a column in it.
          if (!options_.json && !model.knows.paths && !all_direct()) continue;
          const auto bound = [&](const char* end) { return row.value(end, truth); };
          cards.add(
              model, counted(p, "rank"), asked.choice(key),
              {predicted, truth, bound("measured_low_seconds"), bound("measured_high_seconds")});
        }
      }
      table.row(std::move(row));
    });
    progress_.clear();
    auto given = options_.machine.given;
    if (options_.fit) given.insert("--t-add");
    warn_of_defaults(options_.machine.source, options_.machine.figures(), given);
    for (const ComparedPlans& asked : asked_) {
      warn_of_flops(options_.machine.machine, asked.operation);
    }
    table.finish();
    if (options_.json) correlations.report();
    cards.report(options_.json);
    report_comparison(report_, table, cards, options_.machine.line());
  }

  /// Takes an engine's simulated seconds under the engine's own key.
  static void take_as(Json& row, const char* name, const Rows& from, const RowKey& key) {
    const auto found = from.find(key);
    if (found != from.end()) row[name] = found->second[simulated_duration.key];
  }

  void say_once(const std::string& what) {
    if (said_.insert(what).second) {
      progress_.clear();
      fmt::print(stderr, "bracket: {}\n", what);
    }
  }

  CompareOptions options_;
  Report report_;
  std::vector<ComparedPlans> asked_;
  std::set<std::string> said_;
  Progress progress_;
};

void add_compare(CLI::App* const command, int, char**) {
  const auto options = std::make_shared<CompareOptions>();
  options->add_to(*command);
  command->callback([options, command] {
    const Machine& machine = options->machine.machine;
    if (!options->machine.source.file.empty() && command->get_option("--t-send")->count() == 0) {
      options->send_seconds = machine.latency + 2 * machine.overhead;
    }
    options->report.check(*command);
    Comparison(*options).run();
  });
}

const PlainCommand compare_code("compare", add_compare);

}  // namespace

}  // namespace bracket::tools
