// SPDX-License-Identifier: MIT

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "bracket/model/plan.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "common/arithmetic.hpp"
#include "common/commands.hpp"
#include "common/exclusions.hpp"
#include "common/help.hpp"
#include "common/machine_options.hpp"
#include "common/options.hpp"
#include "common/schedule_options.hpp"
#include "common/swept_command.hpp"
#include "models/prediction.hpp"
#include "rows/model_columns.hpp"
#include "rows/row_table.hpp"

namespace bracket::tools {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* options_of_plans[] = {"--root", "--all", "--scatter", "--items", "--fields"};

struct CountOptions {
  std::vector<Index> elements;
  std::vector<Rank> ranks;
  ScheduleOptions schedule;
  ArithmeticOptions arithmetic;
  std::optional<Operation> operation{};  // unless it is the sum of float64
  ScoreOptions score;
  std::vector<Sweep> sweeps;
  bool of_sweep = false;  // options of one point of a sweep
  bool json = false;

  CountOptions() { schedule.plans.clear(); }
  CountOptions(const CountOptions&) = delete;  // CLI options refer to this object
  CountOptions& operator=(const CountOptions&) = delete;

  void add_to(CLI::App& command);

  /// Throws `Error` if an option that `command` needs is missing.
  void check(const CLI::App& command) const;

  /// Returns whether there are rows for plans.
  [[nodiscard]] bool of_plans() const {
    return !schedule.plans.empty() || is_swept(sweeps, {"plan"}) || !schedule.plan_file.empty() ||
           is_swept(sweeps, {"plan-file"});
  }
  [[nodiscard]] bool several_sizes() const { return elements.size() > 1 || ranks.size() > 1; }
  /// Prints on stderr which figures come from the default machine if others are given.
  void warn_of_defaults() const;
};

void CountOptions::add_to(CLI::App& command) {
  add_sizes(command, elements, ranks);
  schedule.add_to(command);
  arithmetic.takes_baselines = true;
  arithmetic.add_to(command);
  score.add_to(command, schedule);
  {
    const HelpGroup group(command, "Output");
    add_sweep(command, sweeps);
  }
  add_json(command, json);
  for (const char* name : options_of_plans) {
    auto* const option = command.get_option(name);
    option->description(option->get_description() + "; only with --plan");
  }
  auto* const plan = command.get_option("--plan");
  plan->description(plan->get_description() +
                    "; without --plan and --plan-file, the table has only the largest share, the "
                    "messages of the plan direct and the score of each distribution");
  const auto again = [=, this, &command] { return of_sweep || command.count("--sweep") > 0; };
  for (const char* name : {"--plan-file", "--machine"}) {
    refuse_pipes(*command.get_option(name), again);
  }
  refuse_pipes(*command.get_option("--distribution"),
               [=, this] { return again() || several_sizes(); });
}

void CountOptions::check(const CLI::App& command) const {
  for (const char* size : {"--elements", "--ranks"}) require_unless_planned(command, size);
  for (const char* name : options_of_plans) {
    if (command.count(name) > 0 && command.count("--plan") == 0) {
      throw Error(text(name, " requires --plan"));
    }
  }
}

void CountOptions::warn_of_defaults() const {
  if (is_swept(sweeps, {"machine", "plan-file"})) return;
  auto given = score.given;
  given.merge(swept_options(sweeps));
  std::erase_if(
      given, [](const std::string& option) { return option != "--t-send" && option != "--t-add"; });
  tools::warn_of_defaults(score.source, score.figures(), given);
  warn_of_flops(score.machine, operation);
}

std::vector<Column> columns_of(const CountOptions& options) {
  std::vector<Column> columns;
  const auto add_if = [&](bool needed, const Column& column) {
    if (needed) columns.push_back(column);
  };
  const auto swept = [&](const std::vector<std::string>& names) {
    return is_swept(options.sweeps, names);
  };
  using Shown = Column::Shown;
  const bool of_plans = options.of_plans();
  add_if(options.elements.size() > 1 || swept({"N", "elements"}), {"elements", "N"});
  add_if(options.ranks.size() > 1 || swept({"p", "ranks"}), {"ranks", "p"});
  add_if(swept({"order"}), {"order", "order"});
  add_if(options.arithmetic.given() || swept({"algorithm"}), {"algorithm", "algorithm"});
  add_if(swept({"op"}), {"op", "operator"});
  add_if(swept({"type"}), {"type", "type"});
  add_if(swept({"threads"}), {"threads", "threads"});
  add_if(swept({"root"}), {"root", "root"});
  add_if(swept({"items"}), {"items", "items"});
  add_if(swept({"fields"}), {"fields", "fields"});
  add_if(swept({"machine"}), {"machine", "machine"});
  add_if(swept({"t-send"}), {"send_seconds", "t_send [us]", Shown::microseconds});
  add_if(swept({"t-add"}), {"seconds_per_addition", "t_add [us]", Shown::microseconds});
  // The score uses the messages of direct.
  columns.insert(columns.end(), {{"distribution", "distribution"},
                                 {"rank_order", "rank order"},
                                 {"largest_share", "largest share"},
                                 {of_plans ? "direct_messages" : "messages",
                                  of_plans ? "direct's messages" : "messages"},
                                 seconds_column(cost_model("score"))});
  add_if(of_plans, {"plan", "plan"});
  add_if(of_plans, {"messages", "messages"});
  return columns;
}

class CountCommand {
 public:
  CountCommand(CountOptions& options, SweptCommand command)
      : options_(options),
        command_(std::move(command)),
        table_(columns_of(options), options.json) {}

  void run() {
    if (!is_swept(options_.sweeps, {"machine", "plan-file"})) {
      table_.title(options_.score.line(swept_options(options_.sweeps)));
    }
    // All distributions, orders and plans are made before any output, to find errors first.
    if (options_.sweeps.empty()) {
      if (options_.several_sizes()) make_all(options_);
      count(options_);
    } else {
      CountOptions options;
      CLI::App app;
      options.add_to(app);
      command_.check(app);
      at_each_point([this](CountOptions& at_point) { make_all(at_point); });
      at_each_point([this](CountOptions& at_point) { count(at_point); });
    }
    progress_.clear();
    options_.warn_of_defaults();
    table_.finish();
  }

 private:
  template <class Use>
  void at_each_point(const Use& use) {
    command_.for_each_point(
        [&](std::size_t point, std::size_t points, std::vector<std::string> words) {
          CountOptions options;
          options.of_sweep = true;
          CLI::App app;
          options.add_to(app);
          parse_words(app, std::move(words));
          options.check(app);
          progress_.say(fmt::format("point {} of {} ...", point, points));
          use(options);
        });
  }

  /// Calls `use(name, distribution)` for each distribution and size.
  template <class Use>
  void for_each_distribution(CountOptions& options, const Use& use) {
    // A plan file may give the sizes.
    if (options.elements.empty()) options.elements.push_back(0);
    if (options.ranks.empty()) options.ranks.push_back(0);
    for (Index elements : options.elements) {
      for (Rank ranks : options.ranks) {
        options.schedule.take_tuned_of(elements, ranks);
        options.operation =
            options.arithmetic.take_order(options.schedule, std::max<Index>(elements, 1));
        for (const auto& name : options.schedule.distributions) {
          progress_.say(fmt::format("{} on {} ...", name, counted(ranks, "rank")));
          use(name, options.schedule.distribution(name, elements, ranks));
        }
      }
    }
  }

  /// Throws `Error` if a distribution, an order or a plan cannot be made.
  void make_all(CountOptions& options) {
    for_each_distribution(options, [&](const std::string&, const Distribution& distribution) {
      const auto order = make_order(options.schedule.order, distribution.elements());
      static_cast<void>(options.schedule.problem(order, distribution));
    });
    for (const auto& plan : options.schedule.plans) make_plan(plan);
  }

  void count(CountOptions& options) {
    for (const auto& plan : options.schedule.plans) make_plan(plan);
    for_each_distribution(options, [&](const std::string& name, const Distribution& distribution) {
      count_one(options, name, distribution);
    });
  }

  void count_one(const CountOptions& options, const std::string& name,
                 const Distribution& distribution) {
    const auto order = make_order(options.schedule.order, distribution.elements());
    const ScoreCosts costs = options.score.costs(distribution.elements(), distribution.ranks(),
                                                 options.schedule.items, options.operation);
    Json row{{"elements", distribution.elements()},
             {"ranks", distribution.ranks()},
             {"distribution", name},
             {"largest_share", distribution.largest_share()}};
    const auto rank_order = options.schedule.rank_order_name();
    if (!rank_order.empty()) row["rank_order"] = rank_order;
    row["order"] = order.spec();
    if (options.operation) tell_operation(row, *options.operation);
    options.score.tell(row, costs);
    if (order.fixed()) {
      const CostModel& model = cost_model("score");
      const Conditions conditions{.costs = costs};
      const Prediction prediction =
          predict(model, Scenario(options.schedule.problem(order, distribution), conditions));
      row[options_.of_plans() ? "direct_messages" : "messages"] = prediction.messages;
      row[model.seconds.key] = prediction.makespan;
    }
    if (options.schedule.plans.empty()) take(row);
    for (const auto& plan_name : options.schedule.plans) {
      const auto plan = make_plan(plan_name);
      row["plan"] = plan->spec();
      options.schedule.tell(row);
      row["messages"] = count_messages(options.schedule.problem(order, distribution), *plan);
      take(row);
    }
  }

  void take(const Json& row) {
    if (options_.json) progress_.clear();
    table_.row(row);
  }

  CountOptions& options_;
  SweptCommand command_;
  RowTable table_;
  Progress progress_;
};

void add_count(CLI::App* const command, int argc, char** argv) {
  const auto options = std::make_shared<CountOptions>();
  options->add_to(*command);
  add_footer(*command, score_explanation);
  command->callback([=] {
    // Each point of a sweep checks its own options.
    if (options->sweeps.empty()) options->check(*command);
    CountCommand(*options, SweptCommand("count", argc, argv, {}, options->sweeps)).run();
  });
}

const PlainCommand count_code("count", add_count);

}  // namespace

}  // namespace bracket::tools
