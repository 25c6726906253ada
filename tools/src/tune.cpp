#include "bracket/model/tune.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <memory>
#include <optional>
#include <set>

#include "bracket/model/error.hpp"
#include "bracket/model/file.hpp"
#include "bracket/model/json.hpp"
#include "bracket/model/makespan_bound.hpp"
#include "bracket/model/plan_file.hpp"
#include "files.hpp"
#include "interrupt.hpp"
#include "programs.hpp"
#include "report.hpp"
#include "simulator_commands.hpp"
#include "tune_options.hpp"

namespace bracket::tools {

namespace {

using Json = nlohmann::ordered_json;

// Of a plan's own messages: `count` and `compare` have the score of a distribution.
constexpr const char* score_key = "plan_score_seconds";
constexpr const char* score_title = "plan's score [us]";

/// What rows call the seconds of an objective.
std::string key_of(const std::string& objective) {
  return objective == "score" ? score_key : objective + "_seconds";
}

/// As a share of the other; what costs nothing is above nothing.
double above(double seconds, double other) { return other > 0 ? seconds / other - 1 : 0; }

std::string percent(double ratio) {
  const double hundredths = 100 * ratio;
  return hundredths < 10 ? fmt::format("{:.2g} %", hundredths)
                         : fmt::format("{:.0f} %", hundredths);
}

/// Says how far a tuning is, and whether it goes on: until the time given is over, or SIGINT comes.
class Tries {
 public:
  explicit Tries(std::optional<double> seconds = {}) {
    if (seconds)
      end_ = begin_ +
             std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(*seconds));
    progress_.say("tuning: setting up ...");
  }

  bool operator()(Index count, double best_seconds) {
    const auto now = Clock::now();
    if (count > 0 && now >= next_) {
      next_ = now + std::chrono::milliseconds(100);
      progress_.say(fmt::format("tuning: {} weighed, best {:.1f} us ...",
                                counted(count, "distribution"), best_seconds * 1e6));
    }
    return now < end_ && !Interrupt::came();
  }

  /// Why it did not go on.
  [[nodiscard]] std::string why_stopped() const {
    return Interrupt::came() ? "interrupted" : "the time is over";
  }

  void end() { progress_.clear(); }

 private:
  using Clock = std::chrono::steady_clock;
  Progress progress_;
  Clock::time_point begin_ = Clock::now();
  Clock::time_point end_ = Clock::time_point::max();
  Clock::time_point next_{};
};

/// What is the same in every plan file that the options ask for.
PlanFile plan_file_of(const TuneOptions& options) {
  PlanFile file;
  file.objective = options.objective;
  file.ranks = options.ranks;
  file.delivery = options.request.delivery;
  file.items = options.request.items;
  file.machine.machine = options.machine.machine;
  file.machine.name =
      options.machine.source.written.empty() ? "default" : options.machine.source.written;
  file.seed = options.seed;
  return file;
}

/// A candidate of a tuning as a plan file has it, for so many elements.
TunedPlan tuned_plan(const TuneOptions& options, const TuneTask& task, const TuneCandidate& chosen,
                     Index from, Index to) {
  const auto order = make_order(chosen.order, task.request.elements);
  const Problem problem{*order, chosen.held, task.request.delivery, task.request.items};
  TunedPlan plan;
  plan.from = from;
  plan.to = to;
  plan.order = chosen.order;
  plan.order_version = order->version();
  plan.plan = chosen.plan;
  if (from == to) {
    plan.held = chosen.held;
  } else {
    plan.distribution = chosen.distribution;
  }
  plan.predicted.emplace_back("score",
                              plan_score(problem, *make_plan(chosen.plan), task.request.costs));
  if (options.objective != "score") plan.predicted.emplace_back(options.objective, chosen.seconds);
  return plan;
}

class TuneCommand {
 public:
  explicit TuneCommand(const TuneOptions& options)
      : options_(options), task_(options.task(options.from)) {
    Tries tries(options.seconds);
    result_ = bracket::tune(task_.request, task_.objective, std::ref(tries));
    tries.end();
    if (!result_.stopped) return;
    fmt::print(stderr, "bracket: {}: the best of what was weighed so far, {}\n",
               tries.why_stopped(), counted(result_.evaluations, "distribution"));
  }

  void run() {
    // Before anything is said: it may not be possible.
    if (!options_.distribution_file.empty()) {
      write_file(options_.distribution_file, to_json(best().held).dump() + '\n');
    }
    if (!options_.plan_file.empty()) {
      PlanFile file = plan_file_of(options_);
      file.budget = task_.request.evaluations;
      file.plans.push_back(tuned_plan(options_, task_, best(), options_.from, options_.from));
      write_file(options_.plan_file, to_json(file).dump() + '\n');
    }
    print_candidates();
    if (options_.explain && !options_.json) print_bounds();
  }

 private:
  [[nodiscard]] const TuneCandidate& best() const { return result_.candidates.front(); }
  [[nodiscard]] bool by_score() const { return options_.objective == "score"; }

  void print_candidates() const {
    std::vector<Column> columns;
    if (request_.orders.size() > 1) columns.push_back({"order", "order"});
    const bool of_one_plan =
        std::all_of(result_.candidates.begin(), result_.candidates.end(),
                    [&](const TuneCandidate& other) { return other.plan == best().plan; });
    if (!of_one_plan || options_.explain) columns.push_back({"plan", "plan"});
    columns.insert(columns.end(), {{"distribution", "distribution"},
                                   {"largest_share", "largest share"},
                                   {"messages", "plan's messages"}});
    const std::string key = key_of(options_.objective);
    columns.push_back({key, by_score() ? score_title : options_.objective + " [us]",
                       Column::Shown::microseconds});
    if (options_.explain) columns.push_back({"above_best", "above best", Column::Shown::percent});
    columns.push_back({"derivation", "derivation"});
    Report report(columns, options_.json);
    options_.warn_of_defaults();
    report.title(options_.machine_line());
    for (const TuneCandidate* const shown : shown_candidates()) {
      const TuneCandidate& candidate = *shown;
      const auto order = make_order(candidate.order, request_.elements);
      const Problem problem{*order, candidate.held, request_.delivery, request_.items};
      const auto plan = make_plan(candidate.plan);
      Json row{{"elements", request_.elements},
               {"ranks", request_.ranks},
               {"order", candidate.order},
               {"plan", candidate.plan},
               {"distribution", candidate.distribution}};
      tell_delivery(row, request_.delivery, request_.items);
      options_.machine.tell(row);
      if (!candidate.derivation.empty()) row["derivation"] = candidate.derivation;
      row["largest_share"] = candidate.held.largest_share();
      row["messages"] = plan_messages(problem, *plan);
      row["send_seconds"] = request_.costs.send_seconds;
      row[score_key] = plan_score(problem, *plan, request_.costs);
      row["objective"] = options_.objective;
      row[key] = candidate.seconds;
      if (result_.stopped) row["stopped"] = true;
      if (options_.explain) {
        row["above_best"] = above(candidate.seconds, best().seconds);
        if (const double bound = bound_seconds(); bound > 0) row["bound_seconds"] = bound;
        if (by_score()) row["ideal_seconds"] = ideal_seconds();
        row["evaluations"] = result_.evaluations;
      }
      report.row(std::move(row));
    }
    report.finish();
  }

  /// All with `--explain`; otherwise some of the best, of each plan's variants over a distribution
  /// only the best.
  [[nodiscard]] std::vector<const TuneCandidate*> shown_candidates() const {
    std::vector<const TuneCandidate*> shown;
    std::set<std::array<std::string, 3>> seen;
    for (const TuneCandidate& candidate : result_.candidates) {
      constexpr std::size_t most = 10;
      const std::string name = candidate.plan.substr(0, candidate.plan.find(':'));
      if (options_.explain ||
          (shown.size() < most &&
           seen.insert({candidate.order, name, candidate.distribution}).second)) {
        shown.push_back(&candidate);
      }
    }
    return shown;
  }

  /// Below which nothing is by the objective, as far as that is known; 0 if not.
  [[nodiscard]] double bound_seconds() const {
    if (by_score()) return result_.bound_seconds;
    if (request_.held) return 0;
    if (options_.objective != "loggp" && options_.objective != "loggops") return 0;
    return makespan_bound({request_.elements, request_.ranks, request_.alpha, request_.moves},
                          request_.delivery, request_.items, request_.machine);
  }

  /// One message for each rank but one, and nobody with more than the fair share.
  [[nodiscard]] double ideal_seconds() const {
    const Index occupied = std::min<Index>(request_.ranks, request_.elements);
    const Index share = (request_.elements - 1) / request_.ranks + 1;
    return request_.costs.send_seconds * static_cast<double>(occupied - 1) +
           request_.costs.add_seconds * static_cast<double>(share);
  }

  void print_bounds() const {
    const auto us = [](double seconds) { return fmt::format("{:.1f} us", seconds * 1e6); };
    fmt::print("\nbest of {}: {} over {}, {} by {}\n",
               counted(static_cast<std::int64_t>(result_.candidates.size()), "candidate"),
               best().plan, best().distribution, us(best().seconds), options_.objective);
    for (const TuneCandidate& other : result_.candidates) {
      if (other.distribution != "upper" || best().distribution == "upper" ||
          other.plan != best().plan || other.order != best().order) {
        continue;
      }
      fmt::print("the same over upper: {}, {} more\n", us(other.seconds),
                 percent(above(other.seconds, best().seconds)));
    }
    if (!by_score() && !request_.held) {
      fmt::print("{} weighed, {} of them to balance and to search, with seed {}\n",
                 counted(result_.evaluations, "distribution"),
                 result_.evaluations - result_.first_searched, options_.seed);
    }
    if (const double bound = bound_seconds(); bound > 0) {
      const char* const down =
          request_.moves == Moves::downwards ? ", boundaries moved down only," : "";
      // Rounded down: below that there is none.
      const double shown = std::floor(bound * 1e9) / 1e3;
      if (by_score()) {
        fmt::print(
            "no distribution within {:g} shares{} scores below {:.3f} us with direct: proven\n",
            request_.alpha, down, shown);
      } else {
        fmt::print(
            "no plan over any distribution within {:g} shares{} takes less than {:.3f} us by {}: "
            "proven; the best is {} above\n",
            request_.alpha, down, shown, options_.objective,
            percent(std::max(0.0, above(best().seconds, bound))));
      }
    }
    if (!by_score()) return;
    // Where ranks may hold nothing, less may do.
    if (best().seconds < ideal_seconds()) return;
    fmt::print("one message for each other rank and the fair share: {}, the best is {} above\n",
               us(ideal_seconds()), percent(above(best().seconds, ideal_seconds())));
  }

  const TuneOptions& options_;
  TuneTask task_;
  const TuneRequest& request_ = task_.request;
  TuneResult result_;
};

void tune_range(const TuneOptions& options) {
  if (options.explain || options.front || !options.distribution_file.empty()) {
    throw Error("--explain, --front and --output are of one number of elements");
  }
  if (options.rank_order) throw Error("--rank-order is of one number of elements");
  if (options.seconds)
    throw Error("--seconds is of one number of elements: a range is tuned whole");
  const auto task = [&](Index elements) { return options.task(elements); };
  Tries tries;
  const auto parts = bracket::tune_range(options.from, options.to, task, std::ref(tries));
  tries.end();
  PlanFile file = plan_file_of(options);
  const std::string key = key_of(options.objective);
  Report report({{"from", "N from"},
                 {"to", "to"},
                 {"order", "order"},
                 {"plan", "plan"},
                 {"distribution", "distribution"},
                 {"elements", "at N"},
                 {key, options.objective + " [us]", Column::Shown::microseconds}},
                options.json);
  options.warn_of_defaults();
  report.title(options.machine_line());
  for (const TunedRange& part : parts) {
    if (!options.plan_file.empty()) {
      file.plans.push_back(
          tuned_plan(options, options.task(part.at), part.best, part.from, part.to));
    }
    Json row{{"from", part.from},      {"to", part.to},
             {"ranks", options.ranks}, {"order", part.best.order},
             {"plan", part.best.plan}, {"distribution", part.best.distribution}};
    tell_delivery(row, options.request.delivery, options.request.items);
    row["elements"] = part.at;
    row["objective"] = options.objective;
    row[key] = part.best.seconds;
    report.row(std::move(row));
  }
  if (!options.plan_file.empty()) write_file(options.plan_file, to_json(file).dump() + '\n');
  report.finish();
}

void print_front(const TuneOptions& options) {
  const TuneRequest request = options.task(options.from).request;
  if (request.orders.size() != 1) throw Error("--front is of one order");
  const auto& [root, collective] = request.delivery;
  const Rank first = request.rank_order.empty() ? 0 : request.rank_order.front();
  if (request.plans != std::vector<std::string>{"direct"} || collective != Collective::reduce ||
      root != first || options.objective != "score") {
    throw Error(text("--front is of the messages of the plan direct to rank ", first,
                     ", which holds the first elements: --plan, --all, --scatter, another --root "
                     "and --objective contradict it"));
  }
  const auto order = make_order(request.orders.front(), request.elements);
  Progress progress;
  const ParetoFront front =
      pareto_front(*order, {request.elements, request.ranks, request.alpha, request.moves},
                   default_state_budget, [&](Index points) {
                     progress.say(fmt::format("the front: {} ...", counted(points, "point")));
                   });
  progress.clear();
  Report report({{"largest_share", "largest share"},
                 {"messages", "plan's messages"},
                 {score_key, score_title, Column::Shown::microseconds}},
                options.json);
  options.warn_of_defaults();
  report.title(options.machine_line());
  for (const auto& [messages, share] : front.points) {
    report.row({{"elements", request.elements},
                {"ranks", request.ranks},
                {"order", order->spec()},
                {"largest_share", share},
                {"messages", messages},
                {score_key, request.costs.send_seconds * static_cast<double>(messages) +
                                request.costs.add_seconds * static_cast<double>(request.items) *
                                    static_cast<double>(share)},
                {"complete", front.complete}});
  }
  report.finish();
  if (!front.complete && !options.json) {
    fmt::print(stderr, "bracket: not all of the front: there are points between these\n");
  }
}

}  // namespace

void add_tune(CLI::App& app) {
  auto* const command = app.add_subcommand("tune", helper_for("tune")->description);
  const auto options = std::make_shared<TuneOptions>();
  options->add_to(*command);
  command->callback([options, command] {
    if (command->count("--distribution") > 0 && options->distribution.empty()) {
      throw Error("--distribution is empty: a name was expected");
    }
    if (options->front && command->count("--plan") == 0) options->request.plans = {"direct"};
    options->check(*command);
    check_outputs(*command, {"--output", "--plan-file"},
                  {"--machine", "--distribution", "--placement", "--platform"});
    if (options->from != options->to) {
      tune_range(*options);
    } else if (options->front) {
      print_front(*options);
    } else {
      const Interrupt interrupt;
      TuneCommand(*options).run();
      Interrupt::obey();
    }
  });
}

}  // namespace bracket::tools
