#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <set>

#include "bracket/model/error.hpp"
#include "bracket/model/tune.hpp"

namespace bracket {

namespace {

/// Whether its distribution has a name that gives one inside its windows for every number of
/// elements.
bool is_always_inside(const TuneCandidate& candidate) {
  return candidate.named && candidate.distribution != "lower" && candidate.distribution != "power2";
}

Distribution held_by(const TuneCandidate& candidate, const TuneRequest& request) {
  if (request.held) return request.held->distribution;
  auto held = make_distribution(candidate.distribution, request.elements, request.ranks);
  return request.rank_order.empty() ? held : held.with_rank_order(request.rank_order);
}

/// Places in a part, in geometric steps from its beginning to its end.
constexpr int samples_in_range = 8;
Index place_in(Index begin, Index end, int step) {
  const auto first = static_cast<double>(begin);
  const double place =
      first * std::pow(static_cast<double>(end) / first, double(step) / samples_in_range);
  // The end may be 2^63 - 1.
  return place < static_cast<double>(end) ? std::max(static_cast<Index>(place), begin) : end;
}

/// What each candidate takes for another number of elements than it was weighed for.
std::vector<double> seconds_elsewhere(const TuneTask& task,
                                      const std::vector<TuneCandidate>& candidates,
                                      const std::function<void(double seconds)>& tell) {
  const TuneRequest& request = task.request;
  std::vector<double> seconds;
  for (const TuneCandidate& candidate : candidates) {
    const auto order = make_order(candidate.order, request.elements);
    const auto held = held_by(candidate, request);
    const Problem problem{*order, held, request.delivery, request.items};
    seconds.push_back(task.objective(problem, *make_plan(candidate.plan)));
    tell(seconds.back());
  }
  return seconds;
}

}  // namespace

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
    const Index middle = place_in(begin, end, samples_in_range / 2);
    TuneTask one = task(middle);
    one.request.evaluations = 0;
    TuneResult result = tune(one.request, one.objective, [&](Index count, double best_seconds) {
      if (progress) progress(evaluations + count, best_seconds);
      return true;
    });
    evaluations += result.evaluations;
    std::vector<TuneCandidate>& candidates = result.candidates;
    if (!one.request.held) {
      std::erase_if(candidates, [](const auto& candidate) { return !is_always_inside(candidate); });
    }
    // How far each is above the best of them, where it is furthest.
    std::vector<double> worst(candidates.size(), 1);
    const auto compare = [&](const std::vector<double>& seconds) {
      const double least = *std::min_element(seconds.begin(), seconds.end());
      for (std::size_t i = 0; i < worst.size(); ++i) {
        if (seconds[i] > least) worst[i] = std::max(worst[i], seconds[i] / least);
      }
    };
    std::vector<double> in_the_middle;
    for (const TuneCandidate& candidate : candidates) in_the_middle.push_back(candidate.seconds);
    compare(in_the_middle);
    std::set<Index> compared{middle};
    for (int step = 0; step <= samples_in_range; ++step) {
      const Index place = place_in(begin, end, step);
      if (!compared.insert(place).second) continue;
      double least = std::numeric_limits<double>::infinity();
      compare(seconds_elsewhere(task(place), candidates, [&](double seconds) {
        ++evaluations;
        least = std::min(least, seconds);
        if (progress) progress(evaluations, least);
      }));
    }
    const auto best =
        candidates.begin() + (std::min_element(worst.begin(), worst.end()) - worst.begin());
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
