// SPDX-License-Identifier: MIT

#include "cost/cost_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "bracket/model/plan.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "common/arithmetic.hpp"
#include "cost/run_replay.hpp"

namespace bracket::tools {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* by_library = "library";
constexpr const char* cheapest_by_size = "cheapest";
constexpr int most_times_as_long = 10;

/// A plan with an algorithm, the replacements of each size by it, and the run with them.
struct Candidate {
  std::string plan;
  std::string algorithm;
  std::vector<std::vector<Replacement>> replacements{};
  ReplayedRun run{};

  [[nodiscard]] std::vector<const std::vector<Replacement>*> all() const {
    std::vector<const std::vector<Replacement>*> list;
    for (const auto& of_size : replacements) list.push_back(&of_size);
    return list;
  }
};

class CostOfRun {
 public:
  CostOfRun(const CostOptions& options, const RecordedRun& recorded,
            const Replacements& replacements, Rank ranks, Progress& progress)
      : options_(options),
        recorded_(recorded),
        replacements_(replacements),
        run_(on_more_ranks(recorded, ranks, options.scaling)),
        nodes_(nodes()),
        progress_(progress),
        notes_(recorded.notes) {}

  Json row() {
    library_.plan = by_library;
    Index without_file = 0;
    std::set<std::string> used_files;
    for (const ReductionSize& size : run_.sizes) {
      ByLibrary algorithm = replacements_.by_library(size);
      if (algorithm.file.empty()) ++without_file;
      used_files.insert(algorithm.file);
      library_.replacements.push_back({std::move(algorithm.replacement)});
      if (!replacements_.guesses(size)) continue;
      note(text("the machine has no times of ", name_of(size.op), " of ", name_of(size.type),
                ": they are those of the sum of float64 for each byte"));
    }
    if (!options_.library.empty() && without_file > 0) {
      note(text("no file of --library suits the reductions of ", counted(without_file, "size"),
                ": they have the messages of butterfly or binomial"));
    }
    for (const std::string& file : options_.library) {
      if (used_files.contains(file)) continue;
      note(text("--library ", file, ": suits no reduction that is replaced"));
    }
    library_.run = replayed(library_.plan, library_.all());
    const bool loops =
        std::any_of(run_.sizes.begin(), run_.sizes.end(),
                    [&](const ReductionSize& size) { return replacements_.sums_locally(size); });
    if (options_.sums.elements > 0 && !loops) {
      note("--elements changes nothing: no recorded reduction is a sum of single float64 numbers");
    }
    if (loops) tell_other_loops();
    add_candidates();
    Json row{{"ranks", run_.ranks()}};
    options_.machine.tell(row);
    if (options_.sums.elements > 0) {
      row["loop_elements"] = options_.sums.elements;
      row["terms"] = options_.terms;
      Operation loop;
      loop.baseline = options_.sums.loop;
      row["loop"] = loop.algorithm_spec();
    }
    row["recorded_seconds"] = run_.seconds;
    if (recorded_.recorder > 0) row["recorder_seconds"] = recorded_.recorder;
    row["reductions_seconds"] = run_.reductions;
    row["library_seconds"] = library_.run.seconds;
    row["plans"] = plans();
    row["sites"] = sites();
    row["sizes"] = sizes();
    explain_choices(row["plans"]);
    row["notes"] = notes_;
    return row;
  }

 private:
  /// Node of each rank: as recorded, or consecutive ranks on one node.
  [[nodiscard]] std::vector<std::uint32_t> nodes() const {
    std::map<std::string, std::uint32_t> known;
    std::map<std::string, Index> ranks_of;
    std::vector<std::uint32_t> all;
    Index most = 1;
    for (const std::string& host : recorded_.hosts) {
      all.push_back(known.emplace(host, known.size()).first->second);
      most = std::max(most, ++ranks_of[host]);
    }
    if (options_.cores == 0 && run_.ranks() == recorded_.ranks()) return all;
    const Index cores = options_.cores == 0 ? most : options_.cores;
    all.clear();
    for (Rank rank = 0; rank < run_.ranks(); ++rank) {
      all.push_back(static_cast<std::uint32_t>(rank / cores));
    }
    return all;
  }

  /// Notes the terms whose loops have other times than their own.
  void tell_other_loops() {
    for (const Terms terms : options_.local_sums().terms) {
      const Operation own{.terms = terms, .baseline = options_.sums.loop};
      const Operation taken = replacements_.loop_over(terms);
      if (taken.terms == terms) continue;
      note(text("the machine has no times of ", own.spec(), ": the loops have those of ",
                taken.spec()));
    }
  }

  void note(const std::string& sentence) {
    if (std::find(notes_.begin(), notes_.end(), sentence) == notes_.end()) {
      notes_.push_back(sentence);
    }
  }

  ReplayedRun replayed(const std::string& name,
                       const std::vector<const std::vector<Replacement>*>& by) {
    const auto say = [&](std::size_t calls) {
      progress_.say(fmt::format("{} on {}, {} of {} ...", name, counted(run_.ranks(), "rank"),
                                calls, counted(static_cast<Index>(run_.calls.size()), "call")));
    };
    say(0);
    return replay(run_, by, nodes_, say);
  }

  [[nodiscard]] std::vector<std::string> asked_plans() const {
    if (!options_.plans.empty()) return options_.plans;
    std::vector<std::string> usual{"butterfly", "aggregated",    "binomial",
                                   "ring",      "dissemination", "direct"};
    const bool vectors = std::any_of(run_.sizes.begin(), run_.sizes.end(),
                                     [](const ReductionSize& size) { return size.items > 1; });
    if (vectors) usual.insert(usual.begin() + 1, "butterfly:1");
    return usual;
  }

  /// Whether the plan suits reductions of this kind. Two ranks show it.
  [[nodiscard]] bool suits(ReductionSize size, const std::string& plan,
                           const std::string& algorithm) const {
    size.ranks = std::min(size.ranks, Rank{2});
    size.delivery.root = 0;
    std::string reason;
    return !replacements_.by_plan(size, plan, algorithm, reason).empty();
  }

  /// Whether a plan that nobody asked for surely takes the run so much longer that its row is not
  /// worth its replay, which can be far longer, too: a ring has p^2 messages. Every rank takes part
  /// in the reductions on all ranks, so they count.
  [[nodiscard]] bool is_hopeless(const std::string& plan, const std::string& algorithm) const {
    std::vector<double> calls(run_.sizes.size());
    for (const RecordedCall& call : run_.calls) ++calls[call.size];
    double least = 0;
    for (std::size_t k = 0; k < calls.size(); ++k) {
      const ReductionSize& size = run_.sizes[k];
      if (!suits(size, plan, algorithm)) return false;
      if (size.ranks != run_.ranks()) continue;
      least = std::max(least, calls[k] * replacements_.least_seconds(size, plan, algorithm));
    }
    return least > most_times_as_long * library_.run.seconds;
  }

  /// The replacements of all sizes; fewer, and the reason, if plan or algorithm do not suit one.
  std::vector<std::vector<Replacement>> replacements_by(const std::string& plan,
                                                        const std::string& algorithm,
                                                        std::string& reason) const {
    std::vector<std::vector<Replacement>> all;
    for (const ReductionSize& size : run_.sizes) {
      auto of_size = replacements_.by_plan(size, plan, algorithm, reason);
      if (of_size.empty()) break;
      all.push_back(std::move(of_size));
    }
    return all;
  }

  void add_candidate(const std::string& plan, const std::string& algorithm,
                     std::string& first_reason) {
    Candidate made{make_plan(plan)->spec(), algorithm};
    std::string reason;
    made.replacements = replacements_by(plan, algorithm, reason);
    if (made.replacements.size() < run_.sizes.size()) {
      reason = fmt::format("{} with {}: {}", made.plan, algorithm, reason);
      if (!options_.plans.empty()) note(reason);
      if (first_reason.empty()) first_reason = reason;
      return;
    }
    made.run = replayed(made.plan, made.all());
    if (made.run.short_gaps > 0) {
      note(
          "the loop of --elements takes longer than some recorded gaps: it has fewer elements, or "
          "is faster than on this machine; changes are then too high");
    }
    candidates_.push_back(std::move(made));
  }

  /// Adds the plans with an algorithm. If all were left out, or none suits, there is a row or a
  /// reason all the same.
  void add_candidates(const std::string& algorithm, std::string& first_reason) {
    std::vector<std::string> left_out;
    const std::size_t before = candidates_.size();
    std::string reason;
    for (const std::string& plan : asked_plans()) {
      if (options_.plans.empty() && is_hopeless(plan, algorithm)) {
        left_out.push_back(plan);
      } else {
        add_candidate(plan, algorithm, reason);
      }
    }
    if (candidates_.size() == before) {
      for (const std::string& plan : left_out) add_candidate(plan, algorithm, reason);
      left_out.clear();
    }
    for (const std::string& plan : left_out) {
      note(text(make_plan(plan)->spec(), " with ", algorithm,
                " is left out: it takes the run more than ", most_times_as_long,
                " times as long; --plan ", plan, " shows it"));
    }
    if (candidates_.size() > before || reason.empty()) return;
    note(text("no plan with ", algorithm, " suits: ", reason));
    if (first_reason.empty()) first_reason = reason;
  }

  void add_candidates() {
    std::string reason;
    for (const std::string& algorithm : options_.algorithms) add_candidates(algorithm, reason);
    if (candidates_.empty()) throw Error(text("no plan suits the reductions: ", reason));
  }

  /// The candidate of an algorithm with the least time in the calls of a size.
  [[nodiscard]] const Candidate& cheapest(std::size_t size, const std::string* algorithm) const {
    const Candidate* best = nullptr;
    for (const Candidate& one : candidates_) {
      if (algorithm != nullptr && one.algorithm != *algorithm) continue;
      if (best == nullptr || one.run.of_size[size] < best->run.of_size[size]) best = &one;
    }
    return *best;
  }

  [[nodiscard]] Json plan_row(const std::string& plan, const std::string& algorithm,
                              const ReplayedRun& run) const {
    Json row{{"plan", plan}};
    if (!algorithm.empty()) row["algorithm"] = algorithm;
    const double change = run.seconds - library_.run.seconds;
    const double whole = run_.ranks() == recorded_.ranks() ? recorded_.seconds - recorded_.recorder
                                                           : library_.run.seconds;
    row["predicted_seconds"] = run.seconds;
    row["change_seconds"] = change;
    row["change_percent"] = whole > 0 ? 100 * change / whole : 0;
    return row;
  }

  [[nodiscard]] Json plans() {
    Json list = Json::array();
    list.push_back(plan_row(by_library, "", library_.run));
    for (const Candidate& one : candidates_) {
      list.push_back(plan_row(one.plan, one.algorithm, one.run));
    }
    if (run_.sizes.size() < 2) return list;
    for (const std::string& algorithm : options_.algorithms) {
      const bool any =
          std::any_of(candidates_.begin(), candidates_.end(),
                      [&](const Candidate& candidate) { return candidate.algorithm == algorithm; });
      if (!any) continue;
      std::vector<const std::vector<Replacement>*> mixed;
      for (std::size_t size = 0; size < run_.sizes.size(); ++size) {
        mixed.push_back(&cheapest(size, &algorithm).replacements[size]);
      }
      list.push_back(plan_row(cheapest_by_size, algorithm, replayed(cheapest_by_size, mixed)));
    }
    return list;
  }

  /// Says why the plans of the last table are not those of the shortest run, if that is so.
  void explain_choices(const Json& plans) {
    if (run_.sizes.empty()) {
      note("no reduction of the run can be replaced, so no plan changes it");
      return;
    }
    const std::string single =
        run_.sizes.size() == 1 ? cheapest(0, nullptr).plan : std::string(cheapest_by_size);
    const Json* shortest = nullptr;
    double chosen = std::numeric_limits<double>::infinity();
    for (const Json& one : plans) {
      const double seconds = one.at("predicted_seconds");
      if (one.at("plan") == by_library) continue;
      if (one.at("plan") == single) chosen = std::min(chosen, seconds);
      if (shortest == nullptr || seconds < shortest->at("predicted_seconds")) shortest = &one;
    }
    constexpr double equal = 1e-9;
    if (chosen <= (1 + equal) * shortest->at("predicted_seconds").get<double>()) return;
    note(text("the run is shortest with ", shortest->at("plan").get<std::string>(), " and ",
              shortest->at("algorithm").get<std::string>(),
              ", although other plans have the shortest calls: a call takes until its last rank "
              "has the result, but in the run each rank goes on with its own"));
  }

  [[nodiscard]] Json sites() const {
    Json list = Json::array();
    for (const RecordedSite& site : recorded_.sites) {
      list.push_back({{"site", site.site},
                      {"operation", site.operation},
                      {"calls", site.calls},
                      {"input_bytes", site.bytes},
                      {"site_seconds", site.seconds},
                      {"share", recorded_.seconds > 0 ? site.seconds / recorded_.seconds : 0},
                      {"waiting_seconds", site.waiting},
                      {"transfer_seconds", site.transfer}});
    }
    return list;
  }

  [[nodiscard]] Json sizes() const {
    std::vector<Index> calls(run_.sizes.size());
    for (const RecordedCall& call : run_.calls) ++calls[call.size];
    Json list = Json::array();
    for (std::size_t k = 0; k < run_.sizes.size(); ++k) {
      const ReductionSize& size = run_.sizes[k];
      const Candidate& best = cheapest(k, nullptr);
      const auto count = static_cast<double>(calls[k]);
      Json row{{"ranks", size.ranks}};
      tell_delivery(row, size.delivery, size.items);
      row["op"] = name_of(size.op);
      row["type"] = name_of(size.type);
      row["calls"] = calls[k];
      row["library_call_seconds"] = library_.run.of_size[k] / count;
      row["plan"] = best.plan;
      row["algorithm"] = best.algorithm;
      row["call_seconds"] = best.run.of_size[k] / count;
      list.push_back(std::move(row));
    }
    return list;
  }

  const CostOptions& options_;
  const RecordedRun& recorded_;
  const Replacements& replacements_;
  RecordedRun run_;
  std::vector<std::uint32_t> nodes_;
  Progress& progress_;
  std::vector<std::string> notes_;
  Candidate library_;
  std::vector<Candidate> candidates_;
};

}  // namespace

Json cost_row(const CostOptions& options, const RecordedRun& recorded,
              const Replacements& replacements, Rank ranks, Progress& progress) {
  return CostOfRun(options, recorded, replacements, ranks, progress).row();
}

}  // namespace bracket::tools
