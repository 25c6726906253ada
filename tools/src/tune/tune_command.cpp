// SPDX-License-Identifier: MIT

#include "bracket/model/tune.hpp"

#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <optional>

#include "bracket/model/json.hpp"
#include "bracket/model/plan_file.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/file.hpp"
#include "bracket/support/text.hpp"
#include "common/commands.hpp"
#include "common/files.hpp"
#include "common/interrupt.hpp"
#include "report/report.hpp"
#include "rows/row_table.hpp"
#include "sweep/jobs_option.hpp"
#include "tune/rule_command.hpp"
#include "tune/tune_jobs.hpp"
#include "tune/tune_options.hpp"
#include "tune/tune_plots.hpp"
#include "tune/tune_report.hpp"

namespace bracket::tools {

namespace {

using Json = nlohmann::ordered_json;

int jobs_of(const TuneOptions& options) {
  return static_cast<int>(options.jobs.value_or(usable_cores()));
}

/// Shows the progress of a tuning and decides whether it goes on. It stops when its time is over,
/// or at SIGINT.
class Tries {
 public:
  explicit Tries(std::optional<double> seconds = {}) {
    if (seconds)
      end_ = begin_ +
             std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(*seconds));
    progress_.say("tuning: setting up ...");
  }

  bool operator()(const TuneStatus& status) {
    const auto now = Clock::now();
    if (status.evaluations > 0 && now >= next_) {
      next_ = now + std::chrono::milliseconds(100);
      progress_.say(fmt::format("tuning: {} weighed, best {:.1f} us{}{}, {} ...",
                                counted(status.evaluations, "distribution"),
                                status.best_seconds * 1e6, status.best.empty() ? "" : " by ",
                                status.best, status.doing));
    }
    return now < end_ && !Interrupt::came();
  }

  /// Returns why the tuning stopped.
  [[nodiscard]] std::string why_stopped() const {
    return Interrupt::came() ? "interrupted" : "the time is over";
  }

  void end() { progress_.clear(); }

 private:
  using Clock = std::chrono::steady_clock;
  Progress progress_{std::chrono::seconds(10), std::chrono::seconds(1)};
  Clock::time_point begin_ = Clock::now();
  Clock::time_point end_ = Clock::time_point::max();
  Clock::time_point next_{};
};

/// Returns the plan file of the options, without plans.
PlanFile plan_file_of(const TuneOptions& options) {
  PlanFile file;
  file.objective = options.objective;
  file.ranks = options.ranks;
  file.delivery = options.request.delivery;
  file.items = options.request.items;
  file.operation = options.operation;
  file.machine.machine = options.machine.machine;
  file.machine.name =
      options.machine.source.written.empty() ? "default" : options.machine.source.written;
  file.seed = options.seed;
  return file;
}

/// Converts a candidate to the form of a plan file, for `from` to `to` elements.
TunedPlan tuned_plan(const TuneOptions& options, const TuneTask& task, const TuneCandidate& chosen,
                     Index from, Index to) {
  const auto order = make_order(chosen.order, task.request.elements);
  const Problem problem{order, chosen.held, task.request.delivery, task.request.items};
  TunedPlan plan;
  plan.from = from;
  plan.to = to;
  plan.order = chosen.order;
  plan.order_version = order.version();
  plan.plan = chosen.plan;
  if (from == to) {
    plan.held = chosen.held;
  } else {
    plan.distribution = chosen.distribution;
  }
  plan.predicted.emplace_back(cost_model("score").name,
                              plan_score(problem, *make_plan(chosen.plan), task.request.costs));
  if (options.model().knows.paths) {
    plan.predicted.emplace_back(options.objective, chosen.seconds);
  }
  return plan;
}

class TuneCommand {
 public:
  TuneCommand(const TuneOptions& options, Report& report)
      : options_(options), report_(report), task_(options.task(options.from)) {
    Tries tries(options.seconds);
    TuneJobs jobs(options, jobs_of(options));
    result_ = bracket::tune(task_.request, jobs, std::ref(tries));
    tries.end();
    if (!result_.stopped) return;
    fmt::print(stderr, "bracket: {}: the best of what was weighed so far, {}\n",
               tries.why_stopped(), counted(result_.evaluations, "distribution"));
  }

  void run() {
    // Write the files before anything is printed: writing may fail.
    if (!options_.distribution_file.empty()) {
      support::write_file(options_.distribution_file, to_json(best().held).dump() + '\n');
    }
    if (!options_.plan_file.empty()) {
      PlanFile file = plan_file_of(options_);
      file.budget = task_.request.evaluations;
      file.plans.push_back(tuned_plan(options_, task_, best(), options_.from, options_.from));
      support::write_file(options_.plan_file, to_json(file).dump() + '\n');
    }
    print_tuning(options_, task_, result_, report_);
  }

 private:
  [[nodiscard]] const TuneCandidate& best() const { return result_.candidates.front(); }
  const TuneOptions& options_;
  Report& report_;
  TuneTask task_;
  TuneResult result_;
};

/// Writes the report of a table, if one is wanted.
void write_report(Report& report, const TuneOptions& options, const char* title,
                  const RowTable& table,
                  std::vector<viz::Plot> (*plots)(const PlottedRows&, const Measure&)) {
  if (!report.wanted()) return;
  report.fact("machine", options.machine_line());
  report.add({.title = title,
              .columns = table.columns(),
              .rows = table.rows(),
              .plots = plots(table.rows(), cost_measure(options))});
  report.write();
}

void tune_range(const TuneOptions& options, Report& report) {
  if (options.explain || options.front || !options.distribution_file.empty()) {
    throw Error(
        "--explain, --front and --output require one number of elements, not a range of -N");
  }
  if (options.rank_order)
    throw Error("--rank-order requires one number of elements, not a range of -N");
  if (options.seconds)
    throw Error(
        "--seconds requires one number of elements: a range of -N is always tuned as a whole");
  const auto request = [&](Index elements) { return options.task(elements).request; };
  Tries tries;
  TuneJobs jobs(options, jobs_of(options));
  const auto parts = bracket::tune_range(options.from, options.to, request, jobs, std::ref(tries));
  tries.end();
  PlanFile file = plan_file_of(options);
  const std::string key(options.model().tuned.key);
  RowTable table({{"from", "N from"},
                  {"to", "to"},
                  {"order", "order"},
                  {"plan", "plan"},
                  {"distribution", "distribution"},
                  {"elements", "at N"},
                  {key, options.model().knows.paths ? options.objective + " [us]" : score_title,
                   Column::Shown::microseconds}},
                 options.json);
  if (report.wanted()) table.keep_rows();
  options.warn_of_defaults();
  table.title(options.machine_line());
  for (const TunedRange& part : parts) {
    if (!options.plan_file.empty()) {
      file.plans.push_back(
          tuned_plan(options, options.task(part.at), part.best, part.from, part.to));
    }
    Json row{{"from", part.from},      {"to", part.to},
             {"ranks", options.ranks}, {"order", part.best.order},
             {"plan", part.best.plan}, {"distribution", part.best.distribution}};
    tell_delivery(row, options.request.delivery, options.request.items);
    if (options.operation) tell_operation(row, options.operation->in_order(part.best.order));
    row["elements"] = part.at;
    row["objective"] = options.objective;
    row[key] = part.best.seconds;
    table.row(std::move(row));
  }
  if (!options.plan_file.empty())
    support::write_file(options.plan_file, to_json(file).dump() + '\n');
  table.finish();
  write_report(report, options, "Choices for the parts of the range", table, range_plots);
}

void print_front(const TuneOptions& options, Report& report) {
  const TuneRequest request = options.task(options.from).request;
  if (request.orders.size() != 1) throw Error("--front requires one --order");
  if (!make_order(request.orders.front(), request.elements).fixed()) {
    throw Error(text("--front counts the messages of the plan direct, which requires ",
                     fixed_orders(), ": the order is ", request.orders.front()));
  }
  const auto& [root, collective] = request.delivery;
  const Rank first = request.rank_order.empty() ? 0 : request.rank_order.front();
  if (request.plans != std::vector<std::string>{"direct"} || collective != Collective::reduce ||
      root != first || options.model().knows.paths) {
    throw Error(text("--front counts the messages of the plan direct to rank ", first,
                     ", which holds the first elements: leave out --plan, --all, --scatter, "
                     "another --root and --objective"));
  }
  const auto order = make_order(request.orders.front(), request.elements);
  Progress progress;
  const ParetoFront front =
      pareto_front(order, {request.elements, request.ranks, request.alpha, request.moves},
                   default_state_budget, [&](Index points) {
                     progress.say(fmt::format("the front: {} ...", counted(points, "point")));
                   });
  progress.clear();
  const std::string score_key(options.model().tuned.key);
  RowTable table({{"largest_share", "largest share"},
                  {"messages", "plan's messages"},
                  {score_key, score_title, Column::Shown::microseconds}},
                 options.json);
  if (report.wanted()) table.keep_rows();
  options.warn_of_defaults();
  table.title(options.machine_line());
  for (const auto& [messages, share] : front.points) {
    table.row({{"elements", request.elements},
               {"ranks", request.ranks},
               {"order", order.spec()},
               {"largest_share", share},
               {"messages", messages},
               {score_key, request.costs.send_seconds * static_cast<double>(messages) +
                               request.costs.add_seconds * static_cast<double>(request.items) *
                                   static_cast<double>(share)},
               {"complete", front.complete}});
  }
  table.finish();
  if (!front.complete && !options.json) {
    fmt::print(stderr, "bracket: the front is incomplete: it has more points between these\n");
  }
  write_report(report, options, "Pareto front", table, front_plots);
}

void add_tune(CLI::App* const command, int argc, char** argv) {
  if (asks_for_rules(argc, argv)) return add_rules(*command);
  const auto options = std::make_shared<TuneOptions>();
  options->add_to(*command);
  command->callback([options, command] {
    if (command->count("--distribution") > 0 && options->distribution.empty()) {
      throw Error("--distribution is empty: a name was expected");
    }
    if (options->front && command->count("--plan") == 0) options->request.plans = {"direct"};
    options->settle(*command);
    options->check(*command);
    check_outputs(*command, {"--output", "--plan-file"},
                  {"--machine", "--distribution", "--placement", "--platform"});
    options->report.check(*command);
    Report report(options->report);
    if (options->from != options->to) {
      tune_range(*options, report);
    } else if (options->front) {
      print_front(*options, report);
    } else {
      const Interrupt interrupt;
      TuneCommand(*options, report).run();
      Interrupt::obey();
    }
  });
}

const PlainCommand tune_code("tune", add_tune);

}  // namespace

}  // namespace bracket::tools
