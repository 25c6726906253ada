#include "bracket/model/plan.hpp"
#include "commands.hpp"
#include "help.hpp"
#include "machine_options.hpp"
#include "options.hpp"
#include "report.hpp"

namespace bracket::tools {

namespace {

struct CountOptions {
  Index elements = 0;
  Rank ranks = 0;
  ScheduleOptions schedule;
  ScoreOptions score;
  bool json = false;
};

void count(CountOptions& options) {
  options.schedule.take_tuned_of(options.elements, options.ranks);
  const bool any_plan = !options.schedule.plans.empty();
  // The score is of direct's messages.
  const std::string counted_key = any_plan ? "direct_messages" : "messages";
  std::vector<Column> columns{{"distribution", "distribution"},
                              {"rank_order", "rank order"},
                              {"largest_share", "largest share"},
                              {counted_key, any_plan ? "direct's messages" : "messages"},
                              {"score_seconds", "score [us]", Column::Shown::microseconds}};
  if (any_plan) columns.insert(columns.end(), {{"plan", "plan"}, {"messages", "messages"}});
  Report report(std::move(columns), options.json);
  report.title(options.score.line());
  for (const auto& name : options.schedule.distributions) {
    const auto distribution = options.schedule.distribution(name, options.elements, options.ranks);
    const auto order = make_order(options.schedule.order, distribution.elements());
    nlohmann::ordered_json row{{"elements", distribution.elements()},
                               {"ranks", distribution.ranks()},
                               {"distribution", name},
                               {"largest_share", distribution.largest_share()}};
    const auto rank_order = options.schedule.rank_order_name();
    if (!rank_order.empty()) row["rank_order"] = rank_order;
    row["order"] = order->spec();
    if (order->fixed()) {
      const Index messages = message_count(*order, distribution);
      row[counted_key] = messages;
      row["score_seconds"] =
          score(distribution, messages,
                options.schedule.of_elements(options.score.costs(
                    distribution.elements(), distribution.ranks(), options.schedule.items)));
    }
    if (!any_plan) report.row(row);
    for (const auto& plan_name : options.schedule.plans) {
      const auto plan = make_plan(plan_name);
      row["plan"] = plan->spec();
      options.schedule.tell(row);
      row["messages"] = count_messages(options.schedule.problem(*order, distribution), *plan);
      report.row(row);
    }
  }
  warn_of_defaults(options.score.source, options.score.figures(), options.score.given);
  report.finish();
}

}  // namespace

void add_count(CLI::App& app) {
  auto* const command = app.add_subcommand(
      "count", "messages and score of distributions, and the messages left by plans");
  const auto options = std::make_shared<CountOptions>();
  options->schedule.plans.clear();
  add_sizes(*command, options->elements, options->ranks);
  options->schedule.add_to(*command);
  options->score.add_to(*command, options->schedule);
  add_json(*command, options->json);
  auto* const plan = command->get_option("--plan");
  for (const auto* name : {"--root", "--all", "--scatter", "--items"}) {
    need_in_words(*command, name, plan);
  }
  command->footer(
      "The score counts the PE-intersecting nodes of the distribution and charges their messages\n"
      "one after the other, whatever the plan.");
  command->callback([options, command] {
    for (const char* size : {"--elements", "--ranks"}) require_unless_planned(*command, size);
    count(*options);
  });
}

}  // namespace bracket::tools
