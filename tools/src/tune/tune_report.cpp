// SPDX-License-Identifier: MIT

#include "tune/tune_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "bracket/model/makespan_bound.hpp"
#include "rows/row_table.hpp"
#include "tune/tune_plots.hpp"

namespace bracket::tools {

namespace {

using Json = nlohmann::ordered_json;

/// Returns `seconds / other - 1`, or 0 if `other` is 0.
double above(double seconds, double other) { return other > 0 ? seconds / other - 1 : 0; }

std::string percent(double ratio) {
  const double hundredths = 100 * ratio;
  return hundredths < 10 ? fmt::format("{:.2g} %", hundredths)
                         : fmt::format("{:.0f} %", hundredths);
}

class TuneReport {
 public:
  TuneReport(const TuneOptions& options, const TuneTask& task, const TuneResult& result)
      : options_(options), request_(task.request), result_(result) {}

  void print_candidates(Report& report) const {
    std::vector<Column> columns;
    if (request_.orders.size() > 1) columns.push_back({"order", "order"});
    const bool of_one_plan =
        std::all_of(result_.candidates.begin(), result_.candidates.end(),
                    [&](const TuneCandidate& other) { return other.plan == best().plan; });
    if (!of_one_plan || options_.explain) columns.push_back({"plan", "plan"});
    columns.insert(columns.end(), {{"distribution", "distribution"},
                                   {"largest_share", "largest share"},
                                   {"messages", "plan's messages"}});
    const std::string key(options_.model().tuned.key);
    const std::string score_key(cost_model("score").tuned.key);
    columns.push_back({key, by_score() ? score_title : options_.objective + " [us]",
                       Column::Shown::microseconds});
    if (options_.explain) columns.push_back({"above_best", "above best", Column::Shown::percent});
    columns.push_back({"derivation", "derivation"});
    RowTable table(columns, options_.json);
    if (report.wanted()) table.keep_rows();
    options_.warn_of_defaults();
    table.title(options_.machine_line());
    for (const TuneCandidate* const shown : shown_candidates()) {
      const TuneCandidate& candidate = *shown;
      const auto order = make_order(candidate.order, request_.elements);
      const Problem problem{order, candidate.held, request_.delivery, request_.items};
      const auto plan = make_plan(candidate.plan);
      Json row{{"elements", request_.elements},
               {"ranks", request_.ranks},
               {"order", candidate.order},
               {"plan", candidate.plan},
               {"distribution", candidate.distribution}};
      tell_delivery(row, request_.delivery, request_.items);
      if (options_.operation) tell_operation(row, options_.operation->in_order(candidate.order));
      options_.machine.tell(row);
      if (!candidate.derivation.empty()) row["derivation"] = candidate.derivation;
      row["largest_share"] = candidate.held.largest_share();
      const Index messages = count_messages(problem, *plan);
      row["messages"] = messages;
      row["send_seconds"] = request_.costs.send_seconds;
      row[score_key] = plan_score(problem, messages, request_.costs);
      row["objective"] = options_.objective;
      row[key] = candidate.seconds;
      if (result_.stopped) row["stopped"] = true;
      if (options_.explain) {
        row["above_best"] = above(candidate.seconds, best().seconds);
        if (const double bound = bound_seconds(); bound > 0) row["bound_seconds"] = bound;
        if (by_score()) row["ideal_seconds"] = ideal_seconds();
        row["evaluations"] = result_.evaluations;
      }
      table.row(std::move(row));
    }
    table.finish();
    if (!report.wanted()) return;
    report.fact("machine", options_.machine_line());
    report.add({.title = "Candidates, the best first",
                .columns = table.columns(),
                .rows = table.rows(),
                .plots = candidate_plots(table.rows(), cost_measure(options_))});
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
      // Rounded down, so that the printed number is still a lower bound.
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
    // Empty shares may allow a smaller score.
    if (best().seconds < ideal_seconds()) return;
    fmt::print("one message for each other rank and the fair share: {}, the best is {} above\n",
               us(ideal_seconds()), percent(above(best().seconds, ideal_seconds())));
  }

 private:
  [[nodiscard]] const TuneCandidate& best() const { return result_.candidates.front(); }
  [[nodiscard]] bool by_score() const { return !options_.model().knows.paths; }

  /// Returns all candidates with `--explain`, otherwise at most ten of the best. Of the variants of
  /// a plan over a distribution, only the best is among these.
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

  /// Lower bound on the objective, in seconds; 0 if none is known.
  [[nodiscard]] double bound_seconds() const {
    if (by_score()) return result_.bound_seconds;
    if (request_.held || !options_.model().bounded) return 0;
    return makespan_bound({request_.elements, request_.ranks, request_.alpha, request_.moves},
                          request_.delivery, request_.items, request_.machine);
  }

  /// Score with one message for each rank but one, and no rank above the fair share.
  [[nodiscard]] double ideal_seconds() const {
    const Index occupied = std::min<Index>(request_.ranks, request_.elements);
    const Index share = (request_.elements - 1) / request_.ranks + 1;
    return request_.costs.send_seconds * static_cast<double>(occupied - 1) +
           request_.costs.add_seconds * static_cast<double>(share);
  }

  const TuneOptions& options_;
  const TuneRequest& request_;
  const TuneResult& result_;
};

}  // namespace

void print_tuning(const TuneOptions& options, const TuneTask& task, const TuneResult& result,
                  Report& report) {
  const TuneReport tuning(options, task, result);
  tuning.print_candidates(report);
  if (!options.json && result.candidates.size() > 1) {
    fmt::print("the first row is the best{}\n",
               options.plan_file.empty() && options.distribution_file.empty()
                   ? "; --plan-file FILE.json keeps it for the other commands"
                   : " and is in the file");
  }
  if (options.explain && !options.json) tuning.print_bounds();
  report.write();
}

}  // namespace bracket::tools
