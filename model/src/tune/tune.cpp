#include "bracket/model/tune.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <deque>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "tune/balance.hpp"
#include "tune/boundary_search.hpp"
#include "tune/serial_weigher.hpp"
#include "tune/weighing_queue.hpp"

namespace bracket {

namespace {

/// The shortest text that parses to exactly `value`.
std::string shortest(double value) {
  std::array<char, 32> written;
  const auto result = std::to_chars(written.data(), written.data() + written.size(), value);
  return {written.data(), result.ptr};
}

}  // namespace

double plan_score(const Problem& problem, const Plan& plan, const ScoreCosts& costs) {
  return plan_score(problem, count_messages(problem, plan), costs);
}

double plan_score(const Problem& problem, Index messages, const ScoreCosts& costs) {
  const ScoreCosts of_items{costs.send_seconds,
                            costs.add_seconds * static_cast<double>(problem.items)};
  return score(problem.distribution, messages, of_items);
}

namespace {

/// Maximum number of messages that a rank sends and receives, over a few ranks.
Index most_messages(const Problem& problem, const Plan& plan) {
  const Rank ranks = problem.distribution.ranks();
  Index most = 0;
  for (const Rank rank : {problem.delivery.root, Rank{0}, ranks / 2, ranks - 1}) {
    const RankPart part = plan.part(problem, rank);
    most = std::max<Index>(most, std::count_if(part.steps().begin(), part.steps().end(),
                                               [](const Step& step) { return step.is_message(); }));
  }
  return most;
}

}  // namespace

double overheads(const Problem& problem, const Plan& plan, const Machine& machine) {
  constexpr double rounded_away = 1e-12;  // LogGOPS counts in picoseconds
  const double value = machine.message_bytes(1);
  const double each = std::min(machine.between_nodes().least(value).overhead,
                               machine.within_node().least(value).overhead) -
                      rounded_away;
  return each * static_cast<double>(most_messages(problem, plan));
}

namespace {

class Tuner {
 public:
  Tuner(const TuneRequest& request, Weigher& weigher, const TuneProgress& progress)
      : request_(request),
        progress_(progress),
        queue_(weigher, request.takes_overheads ? bound_by_overheads() : WeighingQueue::Bound()),
        at_once_(weigher.at_once()),
        windows_(request.elements, request.ranks, request.alpha, request.moves) {
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
    status_.doing = "weighing plans";
    weigh_plans();
    status_.doing = "weighing distributions";
    if (!request_.held && !stopped()) weigh_distributions();
    result_.first_searched = result_.evaluations;
    if (!request_.held && request_.evaluations > 0 && !stopped()) {
      status_.doing = "balancing";
      for (const Choice& choice : choices_) balance(choice);
      status_.doing = "searching";
      search();
    }
    std::vector<TuneCandidate>& candidates = result_.candidates;
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const auto& a, const auto& b) { return a.seconds < b.seconds; });
    result_.stopped = stopped();
    return std::move(result_);
  }

 private:
  /// A plan and its order.
  struct Choice {
    Order order;
    std::unique_ptr<Plan> plan;
    double seconds = 0;  // the least cost so far
  };

  [[nodiscard]] Problem problem(const Order& order, const Distribution& held) const {
    return {order, held, request_.delivery, request_.items};
  }

  [[nodiscard]] Distribution in_rank_order(Distribution distribution) const {
    if (request_.rank_order.empty()) return distribution;
    return distribution.with_rank_order(request_.rank_order);
  }

  /// The rank that holds the first position.
  [[nodiscard]] Rank first_rank() const {
    return request_.rank_order.empty() ? 0 : request_.rank_order.front();
  }

  [[nodiscard]] NamedDistribution by_name(const std::string& name) const {
    return {name, true, in_rank_order(make_distribution(name, request_.elements, request_.ranks))};
  }

  /// Distribution with the lowest score if a message cost 1 / `divisor` as much.
  NamedDistribution of_lowest_score(const Order& order, int divisor) {
    const ScoreCosts costs{request_.costs.send_seconds / divisor,
                           request_.costs.add_seconds * static_cast<double>(request_.items)};
    auto found = optimal_distribution(order, windows_, costs, default_state_budget,
                                      [&](double, double) { tell(); });
    const bool to_first = request_.delivery.collective == Collective::reduce &&
                          first_rank() == request_.delivery.root;
    if (divisor == 1 && to_first &&
        (result_.bound_seconds == 0 || found.bound_seconds < result_.bound_seconds)) {
      result_.bound_seconds = found.bound_seconds;
    }
    const std::string name = text("optimal:", shortest(request_.alpha),
                                  request_.moves == Moves::downwards ? ":down" : "");
    const ScoreCosts usual;
    const bool named = order.chunk_size() == 1 && costs.send_seconds == usual.send_seconds &&
                       costs.add_seconds == usual.add_seconds;
    Distribution held = in_rank_order(std::move(found.distribution));
    if (divisor > 1) {
      return {text("optimal-", divisor), false, std::move(held),
              text("lowest score if a message cost 1/", divisor)};
    }
    if (named) return {name, true, std::move(held)};
    return {"optimal", false, std::move(held), text(name, " of this order and these costs")};
  }

  [[nodiscard]] WeighingQueue::Bound bound_by_overheads() const {
    return [this](const Weighable& what) {
      const auto order = make_order(what.order, request_.elements);
      return overheads(problem(order, what.held), *make_plan(what.plan), request_.machine);
    };
  }

  /// Has a distribution weighed, now or later, if it is inside the windows and was not weighed
  /// before.
  void weigh(std::size_t number, const NamedDistribution& held) {
    if (stopped()) return;
    if (!request_.held && !inside(held.distribution)) return;
    const Choice& choice = choices_[number];
    const auto same = [&](const std::string& order, const std::string& plan,
                          const Distribution& known) {
      return order == choice.order.spec() && plan == choice.plan->spec() &&
             known == held.distribution;
    };
    for (const TuneCandidate& known : result_.candidates) {
      if (same(known.order, known.plan, known.held)) return;
    }
    // If an equal request is excluded later, so is this one.
    for (const Asked& asked : asked_) {
      const Choice& other = choices_[asked.choice];
      if (same(other.order.spec(), other.plan->spec(), asked.held.distribution)) return;
    }
    queue_.push_excludable(weighable(choice, held.distribution), asked_.size());
    asked_.push_back({number, held});
    do begin();
    while (queue_.wait(0));
    while (queue_.is_first_done() && !stopped()) take_candidate();
  }

  /// Takes the results of all pending weighings.
  void take_candidates() {
    while (!queue_.empty() && !stopped()) {
      wait_for_first();
      if (!stopped()) take_candidate();
    }
    queue_.drop();
    asked_.clear();
  }

  void take_candidate() {
    const WeighingQueue::Entry entry = queue_.pop();
    const auto& [number, held] = asked_[entry.tag];
    Choice& choice = choices_[number];
    // Drops a candidate whose bound is above the best cost, whether it was excluded in time or
    // weighed because that cost was not known yet. The result then does not depend on timing.
    if (entry.bound && *entry.bound > best_) return;
    const double seconds = count(entry);
    if (!(seconds >= choice.seconds)) choice.seconds = seconds;
    result_.candidates.push_back({entry.what.order, entry.what.plan, held.name, held.distribution,
                                  held.named, seconds, held.derivation});
    tell();
  }

  [[nodiscard]] static Weighable weighable(const Choice& choice, const Distribution& held) {
    return {choice.order.spec(), choice.plan->spec(), held};
  }

  void begin() { queue_.begin(best_); }

  /// Waits until the first is weighed or excluded, or until tuning is stopped.
  void wait_for_first() {
    for (begin(); !queue_.is_first_done() && !stopped(); begin()) {
      constexpr double until_told = 0.1;  // seconds
      queue_.wait(until_told);
      if (!queue_.is_first_done()) tell();
    }
  }

  /// Counts an evaluation and records its cost. Returns seconds.
  double count(const WeighingQueue::Entry& entry) {
    if (entry.weighed.failure) std::rethrow_exception(entry.weighed.failure);
    const double seconds = entry.weighed.seconds;
    if (status_.best.empty() || seconds < best_) status_.best = entry.what.plan;
    best_ = std::min(best_, seconds);
    ++result_.evaluations;
    return seconds;
  }

  void tell() {
    status_.evaluations = result_.evaluations;
    status_.best_seconds = best_;
    if (progress_ && !progress_(status_)) asked_to_stop_ = true;
  }

  [[nodiscard]] bool stopped() const { return asked_to_stop_ && !result_.candidates.empty(); }

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
      counted.emplace_back(most_messages(asked, *plan), std::move(name));
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
    for (const std::string& variant : plan_variants(plan, asked)) {
      if (stopped()) return;
      choices_.push_back(
          {asked.order, make_plan(variant), std::numeric_limits<double>::infinity()});
      for (const NamedDistribution& one : held) weigh(choices_.size() - 1, one);
    }
    tell();
  }

  void weigh_plans() {
    std::vector<NamedDistribution> usual;
    if (request_.held) {
      usual.push_back(*request_.held);
    } else {
      usual.push_back(by_name("upper"));
      usual.push_back(by_name("optimized:" + shortest(request_.alpha)));  // Algorithm 3
    }
    for (const std::string& spec : request_.orders) {
      if (stopped()) break;
      const Order order = make_order(spec, request_.elements);
      std::vector<NamedDistribution> held = usual;
      if (!request_.held && order.fixed()) held.push_back(of_lowest_score(order, 1));
      const Problem asked = problem(order, usual.front().distribution);
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
    take_candidates();
    if (choices_.empty()) throw Error("no plan suits this request");
    std::erase_if(choices_, [](const Choice& choice) { return std::isinf(choice.seconds); });
    std::stable_sort(choices_.begin(), choices_.end(),
                     [](const auto& a, const auto& b) { return a.seconds < b.seconds; });
  }

  /// Weighs more distributions with the best plans so far.
  void weigh_distributions() {
    constexpr std::size_t most = 4;
    if (choices_.size() > most) choices_.erase(choices_.begin() + most, choices_.end());
    std::vector<NamedDistribution> named;
    for (const char* name : {"lower", "power2"}) named.push_back(by_name(name));
    for (std::size_t choice = 0; choice < choices_.size() && !stopped(); ++choice) {
      for (const NamedDistribution& held : named) weigh(choice, held);
      // By the score, none beats the lowest; these serve as starts of the search.
      const Order& order = choices_[choice].order;
      if (!order.fixed() || request_.evaluations == 0) continue;
      for (const int divisor : {4, 16, 64}) {
        if (!stopped()) weigh(choice, of_lowest_score(order, divisor));
      }
    }
    take_candidates();
  }

  [[nodiscard]] bool inside(const Distribution& held) const {
    for (Index k = 0; k <= windows_.ranks(); ++k) {
      const Index place = held.boundaries()[static_cast<std::size_t>(k)];
      if (place < windows_.lowest(k) || place > windows_.highest(k)) return false;
    }
    return true;
  }

  static bool is_of(const TuneCandidate& candidate, const Choice& choice) {
    return candidate.order == choice.order.spec() && candidate.plan == choice.plan->spec();
  }

  /// The best candidate, of `choice` if given.
  [[nodiscard]] const TuneCandidate& best(const Choice* choice = nullptr) const {
    const TuneCandidate* least = nullptr;
    for (const TuneCandidate& candidate : result_.candidates) {
      if (choice != nullptr && !is_of(candidate, *choice)) continue;
      if (least == nullptr || candidate.seconds < least->seconds) least = &candidate;
    }
    return *least;
  }

  /// Whether the budget of balancing and searching is spent.
  [[nodiscard]] bool spent() const {
    return stopped() || result_.evaluations - result_.first_searched >= request_.evaluations;
  }

  void add_if_better(const TuneCandidate& start, const char* how, Distribution held,
                     double seconds) {
    if (seconds >= start.seconds) return;
    std::string derivation = "from " + start.distribution;
    if (!start.derivation.empty()) derivation += ", " + start.derivation;
    result_.candidates.push_back(
        {start.order, start.plan, how, std::move(held), false, seconds, std::move(derivation)});
  }

  void balance(const Choice& choice) {
    const Machine& machine = request_.machine;
    const double element =
        machine.seconds_per_element(std::max<Index>(1, request_.elements / request_.ranks)) *
        static_cast<double>(request_.items);
    if (element <= 0) return;
    const TuneCandidate start = best(&choice);
    Distribution held = start.held;
    double seconds = start.seconds;
    // Where joins appear and disappear with the boundaries, a smaller move may lead further.
    for (double part = 1; part > 0.1 && !spent();) {
      const Schedule schedule = make_schedule(problem(choice.order, held), *choice.plan);
      const auto places =
          balanced_places(windows_, held, paper_cost(schedule, machine).slack, element, part);
      const double before = seconds;
      // A coarser grid would have a boundary's window between two of its points.
      const Index coarsest = windows_.highest(1) - windows_.lowest(1);
      const int grids = std::bit_width(static_cast<std::uint64_t>(coarsest));
      for (int i = 0; i < grids; ++i) {
        queue_.push(weighable(choice, on_grid(windows_, places, Index{1} << i, held)));
      }
      while (!queue_.empty() && !spent()) {
        wait_for_first();
        if (stopped()) break;
        WeighingQueue::Entry entry = queue_.pop();
        const double weighed = count(entry);
        tell();
        if (weighed >= seconds) continue;
        seconds = weighed;
        held = std::move(entry.what.held);
      }
      queue_.drop();
      if (seconds >= before) part /= 2;
    }
    add_if_better(start, "balanced", std::move(held), seconds);
  }

  /// Positions of the ranks on the longest path.
  [[nodiscard]] std::vector<Index> longest_path(const Choice& choice,
                                                const Distribution& held) const {
    const Schedule schedule = make_schedule(problem(choice.order, held), *choice.plan);
    std::vector<Index> positions;
    for (const CriticalStep& step : paper_cost(schedule, request_.machine).critical_path) {
      const Index position = held.position_of(step.rank);
      if (positions.empty() || positions.back() != position) positions.push_back(position);
    }
    return positions;
  }

  void search() {
    const TuneCandidate start = best();
    const auto chosen = std::find_if(choices_.begin(), choices_.end(),
                                     [&](const Choice& choice) { return is_of(start, choice); });
    BoundarySearch search(windows_, start.held, start.seconds, request_.seed);
    double followed = std::numeric_limits<double>::infinity();
    bool any_left = true;
    while (!spent()) {
      if (search.seconds() < followed) {
        followed = search.seconds();
        search.prefer(longest_path(*chosen, search.best()));
      }
      // Assume that the pending proposals cost more. If one does not, later proposals are dropped.
      while (any_left && static_cast<Index>(queue_.size()) < at_once_) {
        const auto proposed = search.propose();
        any_left = proposed.has_value();
        if (any_left) queue_.push(weighable(*chosen, *proposed));
      }
      if (queue_.empty()) break;
      wait_for_first();
      if (stopped()) break;
      const double seconds = count(queue_.pop());
      tell();
      if (search.answer(seconds)) {
        queue_.drop();
        any_left = true;
      }
    }
    queue_.drop();
    add_if_better(start, "searched", search.best(), search.seconds());
  }

  /// Request that belongs to an entry's tag.
  struct Asked {
    std::size_t choice;
    NamedDistribution held;
  };

  const TuneRequest& request_;
  const TuneProgress& progress_;
  WeighingQueue queue_;
  std::deque<Asked> asked_;
  Index at_once_;
  BoundaryWindows windows_;
  std::vector<Choice> choices_;
  double best_ = std::numeric_limits<double>::infinity();
  bool asked_to_stop_ = false;
  TuneStatus status_;
  TuneResult result_;
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
  SerialWeigher weigher([&](const Weighable& what) { return cost_of(task, what); });
  return tune(request, weigher, progress);
}

}  // namespace bracket
