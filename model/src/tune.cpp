#include "bracket/model/tune.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <memory>

#include "balance.hpp"
#include "boundary_search.hpp"
#include "bracket/model/error.hpp"

namespace bracket {

namespace {

constexpr ObjectiveEntry objective_table[] = {
    {{"score", "",
      "the plan's messages times the cost of one, and the additions of the fullest rank",
      "thesis, equation 3.7"}},
    {{"loggp", "", "the longest path on paper", "Alexandrov, Ionescu, Schauser and Scheiman 1995"}},
    {{"loggops", "", "what the engine of that name simulates",
      "Hoefler, Schneider and Lumsdaine 2010"}},
    {{"simgrid", "", "likewise", "SimGrid's CM02; Casanova and Marchal 2002"}},
};

/// The shortest text that reads back as exactly `value`.
std::string shortest(double value) {
  std::array<char, 32> written;
  const auto result = std::to_chars(written.data(), written.data() + written.size(), value);
  return {written.data(), result.ptr};
}

}  // namespace

std::span<const ObjectiveEntry> objectives() { return objective_table; }

double plan_score(const Problem& problem, const Plan& plan, const ScoreCosts& costs) {
  return plan_score(problem, count_messages(problem, plan), costs);
}

double plan_score(const Problem& problem, Index messages, const ScoreCosts& costs) {
  const ScoreCosts of_items{costs.send_seconds,
                            costs.add_seconds * static_cast<double>(problem.items)};
  return score(problem.distribution, messages, of_items);
}

double overheads(const Problem& problem, const Plan& plan, const Machine& machine) {
  constexpr double rounded_away = 1e-12;  // LogGOPS counts in picoseconds
  const double value = machine.message_bytes(1);
  const double each = std::min(machine.between_nodes().least(value).overhead,
                               machine.within_node().least(value).overhead) -
                      rounded_away;
  const Rank ranks = problem.distribution.ranks();
  double most = 0;
  for (const Rank rank : {problem.delivery.root, Rank{0}, ranks / 2, ranks - 1}) {
    const RankPart part = plan.part(problem, rank);
    const auto messages =
        std::count_if(part.steps().begin(), part.steps().end(), [](const Step& step) {
          return step.kind == StepKind::send || step.kind == StepKind::recv;
        });
    most = std::max(most, each * static_cast<double>(messages));
  }
  return most;
}

namespace {

class Tuner {
 public:
  Tuner(const TuneRequest& request, const Objective& objective, const TuneProgress& progress)
      : request_(request),
        objective_(objective),
        progress_(progress),
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
    weigh_plans();
    if (!request_.held && !stopped()) weigh_distributions();
    result_.first_searched = result_.evaluations;
    if (!request_.held && request_.evaluations > 0 && !stopped()) {
      for (const Choice& choice : choices_) balance(choice);
      search();
    }
    std::vector<TuneCandidate>& candidates = result_.candidates;
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const auto& a, const auto& b) { return a.seconds < b.seconds; });
    result_.stopped = stopped();
    return std::move(result_);
  }

 private:
  /// A plan of an order.
  struct Choice {
    const Order* order;
    std::unique_ptr<Plan> plan;
    double seconds = 0;  // the least so far
  };

  [[nodiscard]] Problem problem(const Order& order, const Distribution& held) const {
    return {order, held, request_.delivery, request_.items};
  }

  [[nodiscard]] Distribution in_rank_order(Distribution distribution) const {
    if (request_.rank_order.empty()) return distribution;
    return distribution.with_rank_order(request_.rank_order);
  }

  /// Who holds the first position.
  [[nodiscard]] Rank first_rank() const {
    return request_.rank_order.empty() ? 0 : request_.rank_order.front();
  }

  [[nodiscard]] NamedDistribution by_name(const std::string& name) const {
    return {name, true, in_rank_order(make_distribution(name, request_.elements, request_.ranks))};
  }

  /// That of the lowest score where a message costs a `divisor`-th.
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

  void weigh(Choice& choice, const NamedDistribution& held) {
    if (stopped()) return;
    if (!request_.held && !inside(held.distribution)) return;
    const std::string order = choice.order->spec();
    const std::string plan = choice.plan->spec();
    for (const TuneCandidate& known : result_.candidates) {
      if (known.order == order && known.plan == plan && known.held == held.distribution) return;
    }
    if (request_.takes_overheads && overheads(problem(*choice.order, held.distribution),
                                              *choice.plan, request_.machine) > best_) {
      return;
    }
    const double seconds = cost(choice, held.distribution);
    if (!(seconds >= choice.seconds)) choice.seconds = seconds;
    result_.candidates.push_back(
        {order, plan, held.name, held.distribution, held.named, seconds, held.derivation});
  }

  double cost(const Choice& choice, const Distribution& held) {
    const double seconds = objective_(problem(*choice.order, held), *choice.plan);
    best_ = std::min(best_, seconds);
    ++result_.evaluations;
    tell();
    return seconds;
  }

  void tell() {
    if (progress_ && !progress_(result_.evaluations, best_)) asked_to_stop_ = true;
  }

  [[nodiscard]] bool stopped() const { return asked_to_stop_ && !result_.candidates.empty(); }

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
      orders_.push_back(make_order(spec, request_.elements));
      const Order& order = *orders_.back();
      std::vector<NamedDistribution> held = usual;
      if (!request_.held && order.fixed()) held.push_back(of_lowest_score(order, 1));
      const Problem asked = problem(order, usual.front().distribution);
      for (const std::string& plan : request_.plans) {
        if (stopped()) break;
        for (const std::string& variant : plan_variants(plan, asked)) {
          if (stopped()) break;
          choices_.push_back({&order, make_plan(variant), std::numeric_limits<double>::infinity()});
          for (const NamedDistribution& one : held) weigh(choices_.back(), one);
        }
      }
    }
    if (choices_.empty()) throw Error("no plan suits what is asked for");
    std::erase_if(choices_, [](const Choice& choice) { return std::isinf(choice.seconds); });
    std::stable_sort(choices_.begin(), choices_.end(),
                     [](const auto& a, const auto& b) { return a.seconds < b.seconds; });
  }

  /// With the best plans so far.
  void weigh_distributions() {
    constexpr std::size_t most = 4;
    if (choices_.size() > most) choices_.erase(choices_.begin() + most, choices_.end());
    std::vector<NamedDistribution> named;
    for (const char* name : {"lower", "power2"}) named.push_back(by_name(name));
    for (Choice& choice : choices_) {
      for (const NamedDistribution& held : named) weigh(choice, held);
      if (stopped()) return;
      // By the score there is none better than the lowest; they are to be searched from.
      if (!choice.order->fixed() || request_.evaluations == 0) continue;
      for (const int divisor : {4, 16, 64}) weigh(choice, of_lowest_score(*choice.order, divisor));
    }
  }

  [[nodiscard]] bool inside(const Distribution& held) const {
    for (Index k = 0; k <= windows_.ranks(); ++k) {
      const Index place = held.boundaries()[static_cast<std::size_t>(k)];
      if (place < windows_.lowest(k) || place > windows_.highest(k)) return false;
    }
    return true;
  }

  static bool is_of(const TuneCandidate& candidate, const Choice& choice) {
    return candidate.order == choice.order->spec() && candidate.plan == choice.plan->spec();
  }

  /// The best, of those of `choice` if there is one.
  [[nodiscard]] const TuneCandidate& best(const Choice* choice = nullptr) const {
    const TuneCandidate* least = nullptr;
    for (const TuneCandidate& candidate : result_.candidates) {
      if (choice != nullptr && !is_of(candidate, *choice)) continue;
      if (least == nullptr || candidate.seconds < least->seconds) least = &candidate;
    }
    return *least;
  }

  /// Whether there is nothing left of what may be balanced and searched.
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
    // Where joins come and go with the boundaries a shorter way may lead further.
    for (double part = 1; part > 0.1 && !spent();) {
      const Schedule schedule = make_schedule(problem(*choice.order, held), *choice.plan);
      const auto places =
          balanced_places(windows_, held, paper_cost(schedule, machine).slack, element, part);
      const double before = seconds;
      // A coarser grid than that has a boundary's window between two of its points.
      const Index coarsest = windows_.highest(1) - windows_.lowest(1);
      const int grids = std::bit_width(static_cast<std::uint64_t>(coarsest));
      for (int i = 0; i < grids && !spent(); ++i) {
        Distribution moved = on_grid(windows_, places, Index{1} << i, held);
        const double weighed = cost(choice, moved);
        if (weighed >= seconds) continue;
        seconds = weighed;
        held = std::move(moved);
      }
      if (seconds >= before) part /= 2;
    }
    add_if_better(start, "balanced", std::move(held), seconds);
  }

  /// Whose elements are folded on it.
  [[nodiscard]] std::vector<Index> longest_path(const Choice& choice,
                                                const Distribution& held) const {
    const Schedule schedule = make_schedule(problem(*choice.order, held), *choice.plan);
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
    while (!spent()) {
      if (search.seconds() < followed) {
        followed = search.seconds();
        search.prefer(longest_path(*chosen, search.best()));
      }
      if (!search.step([&](const Distribution& held) { return cost(*chosen, held); })) break;
    }
    add_if_better(start, "searched", search.best(), search.seconds());
  }

  const TuneRequest& request_;
  const Objective& objective_;
  const TuneProgress& progress_;
  BoundaryWindows windows_;
  std::vector<std::unique_ptr<Order>> orders_;
  std::vector<Choice> choices_;
  double best_ = std::numeric_limits<double>::infinity();
  bool asked_to_stop_ = false;
  TuneResult result_;
};

}  // namespace

TuneResult tune(const TuneRequest& request, const Objective& objective,
                const TuneProgress& progress) {
  return Tuner(request, objective, progress).run();
}

}  // namespace bracket
