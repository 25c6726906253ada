#include <algorithm>
#include <cmath>

#include "bracket/model/error.hpp"
#include "bracket/model/tune.hpp"

namespace bracket {

namespace {

/// Whether its distribution has a name that gives one inside its windows for every number of
/// elements.
bool is_always_inside(const TuneCandidate& candidate) {
  return candidate.named && candidate.distribution != "lower" && candidate.distribution != "power2";
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
                                   [&](const TuneCandidate& candidate) {
                                     return one.request.held || is_always_inside(candidate);
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
