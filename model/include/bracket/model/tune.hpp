// SPDX-License-Identifier: MIT

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

/// A distribution with a name.
struct NamedDistribution {
  std::string name;
  bool named = false;  ///< `make_distribution` accepts the name
  Distribution distribution;
  std::string derivation{};  ///< how it was found, if `make_distribution` does not accept the name
};

/// A lower bound, in seconds, on the plan's makespan by LogGP, LogGOPS and SimGrid: the time for
/// which one of a few ranks is busy with its folds, its joins and the overheads of its messages. It
/// needs the parts of these ranks only, so it rejects plans with p messages for each rank quickly.
double busy_seconds(const Problem& problem, const Plan& plan, const Machine& machine);

/// A tuning: the reduction, the candidates and the limits.
struct TuneRequest {
  Index elements = 0;
  Rank ranks = 0;
  Delivery delivery{};
  Items items{};
  std::vector<std::string> orders{"tree"};  ///< different orders give different bits
  std::vector<std::string> plans{
      default_plan};                        ///< without parameters: with all of `plan_variants`
  std::optional<NamedDistribution> held{};  ///< if given, the only distribution, without limits
  std::vector<Rank> rank_order{};           ///< of all distributions; empty for the identity
  double alpha = 0.2;                       ///< furthest that a boundary may move, in shares
  Moves moves = Moves::both_ways;
  ScoreCosts costs{};        ///< of the score, which chooses the first boundaries
  Machine machine{};         ///< balancing shortens its longest paths
  Index evaluations = 1000;  ///< of the objective, for balancing and search; 0: neither
  std::uint64_t seed = 1;    ///< of the search
  bool skips_busy = false;   ///< the objective is never below `busy_seconds`: a candidate
                             ///< whose bound exceeds the best cost is not evaluated
};

/// Cost of a plan in seconds. Returns the same value for the same arguments.
using Objective = std::function<double(const Problem& problem, const Plan& plan)>;

/// Equation 3.7 with the plan's own messages: t_send · messages + t_add · largest share, where one
/// addition adds all items of two elements.
double plan_score(const Problem& problem, const Plan& plan, const ScoreCosts& costs);

/// Score of a plan that sends so many messages.
double plan_score(const Problem& problem, Index messages, const ScoreCosts& costs);

/// A candidate with its cost.
struct TuneCandidate {
  std::string order;         ///< with every parameter
  std::string plan;          ///< with every parameter
  std::string distribution;  ///< its name
  Distribution held;
  bool named = false;        ///< `make_distribution` accepts the name
  double seconds = 0;        ///< by the objective
  std::string derivation{};  ///< how it was found, if `make_distribution` does not accept the name
};

struct TuneResult {
  std::vector<TuneCandidate> candidates;  ///< the best first; equal ones as they were evaluated
  Index evaluations = 0;                  ///< of the objective
  double bound_seconds = 0;  ///< proven lower bound on the direct plan's score within the windows;
                             ///< 0 unless the result is wanted on the first position alone
  Index first_searched = 0;  ///< evaluations before balancing and search
  bool stopped = false;      ///< whether it ended before all evaluations
};

/// The state of a tuning.
struct TuneStatus {
  Index evaluations = 0;
  double best_seconds = 0;  ///< infinite before the first evaluation
  std::string best;         ///< its plan; empty before the first evaluation
  std::string doing;        ///< the current phase, in a word or two
};

/// Called after each evaluation, and about ten times a second in between. Returns whether to go on.
/// Once it returns false, the tuning ends with the candidates that it has, but not before there is
/// one.
using TuneProgress = std::function<bool(const TuneStatus&)>;

/// The names of the plans that suit the problem and make schedules.
std::vector<std::string> suitable_plans(const Problem& problem);

/// Variants of a plan. A plan that is written with parameters is its only variant. Otherwise there
/// is a variant for each of the values that the plan's row of `plans()` lists, unless it makes no
/// difference. `all` stands for all `suitable_plans`.
std::vector<std::string> plan_variants(const std::string& plan, const Problem& problem);

/// Finds the best candidates, in these steps:
///
/// 1. Evaluates every order and plan, those with far more messages last, over the upper
///    distribution, Algorithm 3's, and the distribution with the lowest score.
/// 2. Evaluates the best four over the other distributions by name, and over those with the lowest
///    score if messages cost less.
/// 3. Balances the shares of each of these plans: moves elements from the ranks on the longest
///    path, by LogGP, to ranks whose folds have slack, with all boundaries at multiples of one
///    power of two, as long as the cost falls.
/// 4. Searches the boundaries near the best, from there: moves one boundary to a multiple of a
///    power of two, or elements from one rank to another by all boundaries between them, and keeps
///    a move that does not raise the cost.
///
/// Neither step 3 nor step 4 raises the cost. Each boundary is within `alpha` of its fair place:
/// other distributions are not evaluated, nor are candidates that `skips_busy` excludes. If
/// the request has a distribution, every order and plan is evaluated over that one only. The result
/// is the same for the same request, however many candidates are evaluated at the same time. Throws
/// `Error` for impossible sizes, names and limits, and a `failure` of the weigher.
TuneResult tune(const TuneRequest& request, Weigher& weigher, const TuneProgress& progress = {});

/// Evaluates the candidates one after the other in this thread.
TuneResult tune(const TuneRequest& request, const Objective& objective,
                const TuneProgress& progress = {});

/// A tuning of one number of elements.
struct TuneTask {
  TuneRequest request;
  Objective objective;
};

/// The cost of a candidate by the task's objective, in seconds.
double cost_of(const TuneTask& task, const Weighable& what);

/// The candidate chosen for numbers of elements from `from` to `to`, both included, and its cost
/// for one of them.
struct TunedRange {
  Index from = 0;
  Index to = 0;
  Index at = 0;  ///< the number of elements that `best` was found for
  TuneCandidate best;
};

/// Tunes a range of numbers of elements. The range is split into parts whose end is at most twice
/// their beginning. The candidates of a part are those that are evaluated for its geometric middle,
/// without a search, over distributions that have a name and stay within the limits for all
/// numbers. The candidate with the smallest worst-case slowdown over nine numbers in geometric
/// steps is chosen. Neighbouring parts with the same choice are merged. `request` and `task` give
/// the tuning of a number of elements; the number of ranks is always the same. The return value of
/// `progress` is ignored. Throws `Error` as `tune` does, for `from` < 1, and for `to` < `from`.
std::vector<TunedRange> tune_range(Index from, Index to,
                                   const std::function<TuneRequest(Index elements)>& request,
                                   Weigher& weigher, const TuneProgress& progress = {});

/// Evaluates the candidates one after the other in this thread.
std::vector<TunedRange> tune_range(Index from, Index to,
                                   const std::function<TuneTask(Index elements)>& task,
                                   const TuneProgress& progress = {});

}  // namespace bracket
