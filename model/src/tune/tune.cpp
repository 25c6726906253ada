// SPDX-License-Identifier: MIT

#include "bracket/model/tune.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "tune/candidate_distributions.hpp"
#include "tune/evaluations.hpp"
#include "tune/most_messages.hpp"
#include "tune/refinement.hpp"
#include "tune/serial_weigher.hpp"

namespace bracket {

namespace {

/// The steps of `tune`.
class Tuner {
 public:
  Tuner(const TuneRequest& request, Weigher& weigher, const TuneProgress& progress)
      : request_(request),
        evaluations_(request, weigher, progress),
        distributions_(request, evaluations_.windows()) {
    if (request.orders.empty() || request.plans.empty()) {
      throw Error("there is nothing to tune: at least one order and one plan are needed");
    }
    check_items(request.elements, request.items);
    if (!request.held) return;
    const Distribution& held = request.held->distribution;
    if (held.elements() != request.elements || held.ranks() != request.ranks) {
      throw Error(text("a distribution of ", held.elements(), " elements over ", held.ranks(),
                       " ranks, not of ", request.elements, " over ", request.ranks));
    }
  }

  TuneResult run() {
    evaluations_.begin_phase("weighing plans");
    weigh_plans();
    evaluations_.begin_phase("weighing distributions");
    if (!request_.held && !stopped()) weigh_distributions();
    evaluations_.begin_search();
    if (!request_.held && request_.evaluations > 0 && !stopped()) {
      evaluations_.begin_phase("balancing");
      for (const auto& choice : evaluations_.choices()) model::balance_shares(evaluations_, choice);
      evaluations_.begin_phase("searching");
      model::search_boundaries(evaluations_);
    }
    TuneResult result = evaluations_.take_result();
    result.bound_seconds = distributions_.bound_seconds();
    std::stable_sort(result.candidates.begin(), result.candidates.end(),
                     [](const auto& a, const auto& b) { return a.seconds < b.seconds; });
    return result;
  }

 private:
  using Choice = model::Evaluations::Choice;

  [[nodiscard]] bool stopped() const { return evaluations_.stopped(); }

  NamedDistribution of_lowest_score(const Order& order, int divisor) {
    return distributions_.of_lowest_score(order, divisor, [&] { evaluations_.tell(); });
  }

  /// Moves plans whose ranks have far more messages than those of others to the end. A good best
  /// cost may then exclude them before they take much time.
  static void defer_long(std::vector<std::string>& names, const Problem& asked) {
    constexpr Index far_more = 64;
    std::vector<std::pair<Index, std::string>> counted;
    Index least = std::numeric_limits<Index>::max();
    for (std::string& name : names) {
      const auto plan = make_plan(name);
      check_scheduled(*plan);
      check_fit(asked, *plan);
      counted.emplace_back(model::most_messages(asked, *plan), std::move(name));
      least = std::min(least, std::max<Index>(1, counted.back().first));
    }
    std::stable_partition(counted.begin(), counted.end(),
                          [&](const auto& one) { return one.first / far_more <= least; });
    names.clear();
    for (auto& [_, name] : counted) names.push_back(std::move(name));
  }

  void weigh_variants(const std::string& plan, const Problem& asked,
                      const std::vector<NamedDistribution>& held) {
    if (stopped()) return;
    std::vector<Choice>& choices = evaluations_.choices();
    for (const std::string& variant : plan_variants(plan, asked)) {
      if (stopped()) return;
      choices.push_back({asked.order, make_plan(variant)});
      for (const NamedDistribution& one : held) evaluations_.weigh(choices.size() - 1, one);
    }
    evaluations_.tell();
  }

  void weigh_plans() {
    std::vector<NamedDistribution> usual;
    if (request_.held) {
      usual.push_back(*request_.held);
    } else {
      usual.push_back(distributions_.by_name("upper"));
      usual.push_back(distributions_.algorithm_3());
    }
    for (const std::string& spec : request_.orders) {
      if (stopped()) break;
      const Order order = make_order(spec, request_.elements);
      std::vector<NamedDistribution> held = usual;
      if (!request_.held && order.fixed()) held.push_back(of_lowest_score(order, 1));
      const Problem asked = evaluations_.problem(order, usual.front().distribution);
      std::vector<std::string> names;
      for (const std::string& plan : request_.plans) {
        // One plan at a time: the variants of all plans take seconds to find on thousands of ranks.
        for (const auto& name : plan == "all" ? suitable_plans(asked) : std::vector{plan}) {
          names.push_back(name);
        }
      }
      defer_long(names, asked);
      for (const std::string& name : names) weigh_variants(name, asked, held);
    }
    evaluations_.take_candidates();
    std::vector<Choice>& choices = evaluations_.choices();
    if (choices.empty()) throw Error("no plan suits this request");
    std::erase_if(choices, [](const Choice& choice) { return std::isinf(choice.seconds); });
    std::stable_sort(choices.begin(), choices.end(),
                     [](const auto& a, const auto& b) { return a.seconds < b.seconds; });
  }

  /// Weighs more distributions with the best plans so far.
  void weigh_distributions() {
    constexpr std::size_t most = 4;
    std::vector<Choice>& choices = evaluations_.choices();
    if (choices.size() > most) choices.erase(choices.begin() + most, choices.end());
    std::vector<NamedDistribution> named;
    for (const char* name : {"lower", "power2"}) named.push_back(distributions_.by_name(name));
    for (std::size_t choice = 0; choice < choices.size() && !stopped(); ++choice) {
      for (const NamedDistribution& held : named) evaluations_.weigh(choice, held);
      // By the score, none beats the lowest; these serve as starts of the search.
      const Order& order = choices[choice].order;
      if (!order.fixed() || request_.evaluations == 0) continue;
      for (const int divisor : {4, 16, 64}) {
        if (!stopped()) evaluations_.weigh(choice, of_lowest_score(order, divisor));
      }
    }
    evaluations_.take_candidates();
  }

  const TuneRequest& request_;
  model::Evaluations evaluations_;
  model::CandidateDistributions distributions_;
};

}  // namespace

double cost_of(const TuneTask& task, const Weighable& what) {
  const auto order = make_order(what.order, task.request.elements);
  const Problem problem{order, what.held, task.request.delivery, task.request.items};
  return task.objective(problem, *make_plan(what.plan));
}

TuneResult tune(const TuneRequest& request, Weigher& weigher, const TuneProgress& progress) {
  return Tuner(request, weigher, progress).run();
}

TuneResult tune(const TuneRequest& request, const Objective& objective,
                const TuneProgress& progress) {
  const TuneTask task{request, objective};
  model::SerialWeigher weigher([&](const Weighable& what) { return cost_of(task, what); });
  return tune(request, weigher, progress);
}

}  // namespace bracket
