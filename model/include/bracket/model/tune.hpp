#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bracket/model/loggp.hpp"
#include "bracket/model/optimal.hpp"
#include "bracket/model/plan.hpp"
#include "bracket/model/weigher.hpp"

namespace bracket {

/// A distribution and what it is called.
struct NamedDistribution {
  std::string name;
  bool named = false;  ///< whether `make_distribution` takes the name
  Distribution distribution;
  std::string derivation{};  ///< how it was found, where it does not
};

/// A lower bound, in seconds, on the plan's makespan by LogGP, LogGOPS and SimGrid: the overheads
/// of all messages of a few ranks. A plan with p messages for each rank is soon known to be too
/// slow.
double overheads(const Problem& problem, const Plan& plan, const Machine& machine);

/// What is tuned, and within which limits.
struct TuneRequest {
  Index elements = 0;
  Rank ranks = 0;
  Delivery delivery{};
  Index items = 1;
  std::vector<std::string> orders{"tree"};  ///< each other has other bits
  std::vector<std::string> plans{
      default_plan};                        ///< without parameters: with all of `plan_variants`
  std::optional<NamedDistribution> held{};  ///< the only one, with no limits, if it is given
  std::vector<Rank> rank_order{};           ///< of all distributions; empty for the identity
  double alpha = 0.2;                       ///< furthest that a boundary may move, in shares
  Moves moves = Moves::both_ways;
  ScoreCosts costs{};            ///< of the score, by which boundaries are chosen to begin with
  Machine machine{};             ///< by whose longest paths the shares are balanced after that
  Index evaluations = 1000;      ///< of the objective, for that and for the search; 0: neither
  std::uint64_t seed = 1;        ///< of the search
  bool takes_overheads = false;  ///< the objective is never below `overheads`: what is above the
                                 ///< best with these alone is not weighed
};

/// What may be made least, each a time in seconds.
struct ObjectiveEntry {
  CatalogueEntry entry;
};
std::span<const ObjectiveEntry> objectives();

/// What a plan costs, in seconds; the same whenever it is asked.
using Objective = std::function<double(const Problem& problem, const Plan& plan)>;

/// Equation 3.7 with the plan's own messages: t_send · messages + t_add · largest share, an
/// addition being one of all items.
double plan_score(const Problem& problem, const Plan& plan, const ScoreCosts& costs);

/// The score of a plan that sends so many messages.
double plan_score(const Problem& problem, Index messages, const ScoreCosts& costs);

/// A choice that was weighed.
struct TuneCandidate {
  std::string order;         ///< with every parameter
  std::string plan;          ///< with every parameter
  std::string distribution;  ///< its name
  Distribution held;
  bool named = false;        ///< whether `make_distribution` takes its name
  double seconds = 0;        ///< by the objective
  std::string derivation{};  ///< how it was found, where `make_distribution` does not take it
};

struct TuneResult {
  std::vector<TuneCandidate> candidates;  ///< the best first; the first of equals was weighed first
  Index evaluations = 0;                  ///< of the objective
  double bound_seconds = 0;  ///< proven: no score of the direct plan within the windows is lower; 0
                             ///< where the result is not wanted on the first position alone
  Index first_searched = 0;  ///< evaluations before anything was balanced or searched
  bool stopped = false;      ///< before all was weighed that was asked for
};

/// How far a tuning is.
struct TuneStatus {
  Index evaluations = 0;
  double best_seconds = 0;  ///< infinite as long as nothing was weighed
  std::string best;         ///< its plan; empty likewise
  std::string doing;        ///< what is done now, in a word or two
};

/// Is told whenever something was weighed, and ten times a second or so in between, and returns
/// whether to go on. Once it returns false, the tuning ends with the candidates that it has, but
/// not before there is one.
using TuneProgress = std::function<bool(const TuneStatus&)>;

/// The names of the plans that suit the problem and make schedules.
std::vector<std::string> suitable_plans(const Problem& problem);

/// The plan as written, or, if it was written without parameters, with each that its row of
/// `plans()` says to try and that makes a difference; those of all `suitable_plans` for `all`.
std::vector<std::string> plan_variants(const std::string& plan, const Problem& problem);

/// Weighs every order and plan, those of far more messages last, over the upper distribution, over
/// Algorithm 3's and over that of the lowest score, the best four of them over the other
/// distributions by name and over those of the lowest score where messages cost less; balances the
/// shares of each of these plans, and searches the boundaries near the best from there. No boundary
/// of any of them is further than `alpha` from its fair place: others are not weighed, nor what
/// `takes_overheads` excludes. Of a request that has a distribution every order and plan is weighed
/// over that one.
///
/// To balance is to move elements from the ranks on the longest path, by LogGP, to those whose
/// folds have slack, with all boundaries at multiples of one power of two, as long as that costs
/// less. The search moves one boundary to a multiple of a power of two, or elements from one rank
/// to another by all boundaries between them, and keeps what is not worse. So neither ends worse
/// than it began. It is the same for the same request, whatever is weighed at the same time. Throws
/// `Error` for sizes, names and limits that cannot be, and what a `failure` of the weigher says.
TuneResult tune(const TuneRequest& request, Weigher& weigher, const TuneProgress& progress = {});

/// The same, one after the other, in this thread.
TuneResult tune(const TuneRequest& request, const Objective& objective,
                const TuneProgress& progress = {});

/// A tuning of one number of elements.
struct TuneTask {
  TuneRequest request;
  Objective objective;
};

/// What one of its candidates costs by its objective.
double cost_of(const TuneTask& task, const Weighable& what);

/// What was chosen for numbers of elements from `from` to `to`, included, and what it costs for
/// one of them.
struct TunedRange {
  Index from = 0;
  Index to = 0;
  Index at = 0;  ///< the number of elements that `best` was found for
  TuneCandidate best;
};

/// The best for a range of numbers of elements, in parts whose end is at most twice their
/// beginning: of what is weighed for the geometric middle of a part, without a search and of those
/// distributions by name that are within the limits for all numbers, what is least far above the
/// best of it wherever in the part it is furthest, as far as nine numbers in geometric steps say.
/// Parts with the same are one. `task` gives the tuning of a number of elements, of one number of
/// ranks. What `progress` returns is ignored: less than the whole range is of no use. Throws
/// `Error` as `tune` does, for `from` < 1, and for `to` < `from`.
std::vector<TunedRange> tune_range(Index from, Index to,
                                   const std::function<TuneRequest(Index elements)>& request,
                                   Weigher& weigher, const TuneProgress& progress = {});

/// The same, one after the other, in this thread.
std::vector<TunedRange> tune_range(Index from, Index to,
                                   const std::function<TuneTask(Index elements)>& task,
                                   const TuneProgress& progress = {});

}  // namespace bracket
