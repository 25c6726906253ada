#include "bracket/model/tune.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <memory>

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

const PlanEntry* entry_of(const std::string& name) {
  for (const PlanEntry& row : plans()) {
    if (row.entry.name == name) return &row;
  }
  return nullptr;
}

/// `name` with every choice of one of the values for each parameter.
std::vector<std::string> combinations(const std::string& name,
                                      std::span<const std::vector<Index>> values) {
  std::vector<std::string> all{name};
  for (const std::vector<Index>& choice : values) {
    std::vector<std::string> longer;
    for (const std::string& written : all) {
      for (const Index value : choice) longer.push_back(text(written, ":", value));
    }
    all = std::move(longer);
  }
  return all;
}

/// Whether the distribution of that name is inside its windows for every number of elements.
bool is_always_inside(const TuneCandidate& candidate) {
  return candidate.distribution != "lower" && candidate.distribution != "power2";
}

bool same_parts(const Problem& problem, const Plan& one, const Plan& other) {
  for (Rank rank = 0; rank < problem.distribution.ranks(); ++rank) {
    if (one.part(problem, rank) != other.part(problem, rank)) return false;
  }
  return true;
}

bool suits(const Plan& plan, const Problem& problem) {
  if (!plan.scheduled()) return false;
  try {
    check_fit(problem, plan);
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

std::span<const ObjectiveEntry> objectives() { return objective_table; }

Index plan_messages(const Problem& problem, const Plan& plan) {
  const auto& [order, distribution, delivery, items, participants] = problem;
  const bool to_first =
      delivery.collective == Collective::reduce && delivery.root == distribution.occupied().front();
  return plan.spec() == "direct" && to_first ? message_count(order, distribution)
                                             : count_messages(problem, plan);
}

double plan_score(const Problem& problem, const Plan& plan, const ScoreCosts& costs) {
  const ScoreCosts of_items{costs.send_seconds,
                            costs.add_seconds * static_cast<double>(problem.items)};
  return score(problem.distribution, plan_messages(problem, plan), of_items);
}

std::vector<std::string> plan_variants(const std::string& plan, const Problem& problem) {
  if (plan == "all") {
    std::vector<std::string> variants;
    for (const PlanEntry& row : plans()) {
      const std::string name(row.entry.name);
      if (!suits(*make_plan(name), problem)) continue;
      for (std::string& variant : plan_variants(name, problem)) {
        variants.push_back(std::move(variant));
      }
    }
    return variants;
  }
  const auto written = make_plan(plan);
  check_scheduled(*written);
  check_fit(problem, *written);
  std::vector<std::string> variants{written->spec()};
  const Spec spec = Spec::parse(plan);
  if (!spec.parameters.empty()) return variants;
  std::vector<std::unique_ptr<Plan>> made;
  made.push_back(make_plan(plan));
  for (const std::string& variant : combinations(plan, entry_of(spec.name)->tried)) {
    auto other = make_plan(variant);
    const bool known = std::any_of(made.begin(), made.end(), [&](const auto& plan_made) {
      return plan_made->spec() == other->spec() || same_parts(problem, *plan_made, *other);
    });
    if (known) continue;
    variants.push_back(other->spec());
    made.push_back(std::move(other));
  }
  return variants;
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
  }

  TuneResult run() {
    weigh_plans();
    weigh_distributions();
    result_.first_searched = result_.evaluations;
    if (request_.evaluations > 0) search();
    std::vector<TuneCandidate>& candidates = result_.candidates;
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const auto& a, const auto& b) { return a.seconds < b.seconds; });
    return std::move(result_);
  }

 private:
  struct Held {
    std::string name;
    bool named;
    Distribution distribution;
  };

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

  [[nodiscard]] Held by_name(const std::string& name) const {
    return {name, true, in_rank_order(make_distribution(name, request_.elements, request_.ranks))};
  }

  /// That of the lowest score where a message costs a `divisor`-th.
  Held of_lowest_score(const Order& order, int divisor) {
    const ScoreCosts costs{request_.costs.send_seconds / divisor,
                           request_.costs.add_seconds * static_cast<double>(request_.items)};
    auto found =
        optimal_distribution(order, windows_, costs, default_state_budget, [&](double, double) {
          if (progress_) progress_(result_.evaluations, best_);
        });
    const bool to_first = request_.delivery.collective == Collective::reduce &&
                          first_rank() == request_.delivery.root;
    if (divisor == 1 && to_first &&
        (result_.bound_seconds == 0 || found.bound_seconds < result_.bound_seconds)) {
      result_.bound_seconds = found.bound_seconds;
    }
    std::string name = text("optimal:", shortest(request_.alpha),
                            request_.moves == Moves::downwards ? ":down" : "");
    const ScoreCosts usual;
    const bool named = order.chunk_size() == 1 && costs.send_seconds == usual.send_seconds &&
                       costs.add_seconds == usual.add_seconds;
    if (divisor > 1) name += text(", messages at 1/", divisor);
    return {std::move(name), named, in_rank_order(std::move(found.distribution))};
  }

  void weigh(Choice& choice, const Held& held) {
    if (!inside(held.distribution)) return;
    const std::string order = choice.order->spec();
    const std::string plan = choice.plan->spec();
    for (const TuneCandidate& known : result_.candidates) {
      if (known.order == order && known.plan == plan && known.held == held.distribution) return;
    }
    const double seconds = cost(choice, held.distribution);
    if (!(seconds >= choice.seconds)) choice.seconds = seconds;
    result_.candidates.push_back({order, plan, held.name, held.distribution, held.named, seconds});
  }

  double cost(const Choice& choice, const Distribution& held) {
    const double seconds = objective_(problem(*choice.order, held), *choice.plan);
    best_ = std::min(best_, seconds);
    ++result_.evaluations;
    if (progress_) progress_(result_.evaluations, best_);
    return seconds;
  }

  void weigh_plans() {
    const Held upper = by_name("upper");
    for (const std::string& spec : request_.orders) {
      orders_.push_back(make_order(spec, request_.elements));
      const Order& order = *orders_.back();
      std::vector<Held> held{upper};
      if (order.fixed()) held.push_back(of_lowest_score(order, 1));
      const Problem asked = problem(order, upper.distribution);
      for (const std::string& plan : request_.plans) {
        for (const std::string& variant : plan_variants(plan, asked)) {
          choices_.push_back({&order, make_plan(variant), std::numeric_limits<double>::infinity()});
          for (const Held& one : held) weigh(choices_.back(), one);
        }
      }
    }
    if (choices_.empty()) throw Error("no plan suits what is asked for");
    std::stable_sort(choices_.begin(), choices_.end(),
                     [](const auto& a, const auto& b) { return a.seconds < b.seconds; });
  }

  /// With the best plans so far.
  void weigh_distributions() {
    constexpr std::size_t most = 4;
    if (choices_.size() > most) choices_.erase(choices_.begin() + most, choices_.end());
    std::vector<Held> named;
    const std::string algorithm3 = "optimized:" + shortest(request_.alpha);
    for (const std::string& name : {std::string("lower"), std::string("power2"), algorithm3}) {
      named.push_back(by_name(name));
    }
    for (Choice& choice : choices_) {
      for (const Held& held : named) weigh(choice, held);
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

  /// From the best.
  void search() {
    const auto start = std::min_element(
        result_.candidates.begin(), result_.candidates.end(),
        [](const auto& one, const auto& other) { return one.seconds < other.seconds; });
    const auto chosen = std::find_if(choices_.begin(), choices_.end(), [&](const Choice& choice) {
      return choice.order->spec() == start->order && choice.plan->spec() == start->plan;
    });
    TuneCandidate found = *start;
    BoundarySearch search(windows_, found.held, found.seconds, request_.seed);
    for (Index i = 0; i < request_.evaluations; ++i) {
      if (!search.step([&](const Distribution& held) { return cost(*chosen, held); })) break;
    }
    if (search.seconds() >= found.seconds) return;
    found.distribution = "searched from " + found.distribution;
    found.named = false;
    found.held = search.best();
    found.seconds = search.seconds();
    result_.candidates.push_back(std::move(found));
  }

  const TuneRequest& request_;
  const Objective& objective_;
  const TuneProgress& progress_;
  BoundaryWindows windows_;
  std::vector<std::unique_ptr<Order>> orders_;
  std::vector<Choice> choices_;
  double best_ = std::numeric_limits<double>::infinity();
  TuneResult result_;
};

}  // namespace

TuneResult tune(const TuneRequest& request, const Objective& objective,
                const TuneProgress& progress) {
  return Tuner(request, objective, progress).run();
}

std::vector<TunedRange> tune_range(Index from, Index to,
                                   const std::function<TuneTask(Index elements)>& task,
                                   const TuneProgress& progress) {
  if (from < 1) throw Error(text("N must be at least 1 element, not ", from));
  if (to < from) throw Error(text("from ", from, " to ", to, " elements: there are none"));
  check_items(to, task(to).request.items);
  std::vector<TunedRange> parts;
  Index evaluations = 0;
  for (Index begin = from;;) {
    const Index end = begin > to / 2 ? to : 2 * begin;
    const double root = std::sqrt(static_cast<double>(begin)) * std::sqrt(static_cast<double>(end));
    const Index middle = std::clamp(static_cast<Index>(root), begin, end);
    TuneTask one = task(middle);
    one.request.evaluations = 0;
    const TuneResult result =
        tune(one.request, one.objective, [&](Index count, double best_seconds) {
          if (progress) progress(evaluations + count, best_seconds);
        });
    evaluations += result.evaluations;
    const auto best = std::find_if(result.candidates.begin(), result.candidates.end(),
                                   [](const TuneCandidate& candidate) {
                                     return candidate.named && is_always_inside(candidate);
                                   });
    const auto same = [&](const TuneCandidate& other) {
      return other.order == best->order && other.plan == best->plan &&
             other.distribution == best->distribution;
    };
    if (!parts.empty() && same(parts.back().best)) {
      parts.back().to = end;
    } else {
      parts.push_back({begin, end, middle, *best});
    }
    if (end == to) return parts;
    begin = end + 1;
  }
}

}  // namespace bracket
