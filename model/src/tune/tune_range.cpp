// SPDX-License-Identifier: MIT

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <set>

#include "bracket/model/tune.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "tune/serial_weigher.hpp"
#include "tune/weighing_queue.hpp"

namespace bracket {

namespace {

/// Whether the candidate's distribution has a name that, for every number of elements, yields a
/// distribution inside the windows.
bool is_always_inside(const TuneCandidate& candidate) {
  return candidate.named && candidate.distribution != "lower" && candidate.distribution != "power2";
}

Distribution held_by(const TuneCandidate& candidate, const TuneRequest& request) {
  if (request.held) return request.held->distribution;
  auto held = make_distribution(candidate.distribution, request.elements, request.ranks);
  return request.rank_order.empty() ? held : held.with_rank_order(request.rank_order);
}

/// Sizes in a part, in geometric steps from its beginning to its end.
constexpr int samples_in_range = 8;
Index place_in(Index begin, Index end, int step) {
  const auto first = static_cast<double>(begin);
  const double place =
      first * std::pow(static_cast<double>(end) / first, double(step) / samples_in_range);
  // The end may be 2^63 - 1.
  return place < static_cast<double>(end) ? std::max(static_cast<Index>(place), begin) : end;
}

/// Seconds that each candidate takes for a number of elements other than the one it was weighed
/// for.
std::vector<double> seconds_elsewhere(const TuneRequest& request,
                                      const std::vector<TuneCandidate>& candidates,
                                      Weigher& weigher,
                                      const std::function<void(double seconds)>& tell) {
  model::WeighingQueue queue(weigher);
  for (const TuneCandidate& candidate : candidates) {
    queue.push({candidate.order, candidate.plan, held_by(candidate, request)});
  }
  std::vector<double> seconds;
  while (!queue.empty()) {
    queue.begin();
    constexpr double shortly = 0.1;
    queue.wait(shortly);
    while (queue.is_first_done()) {
      const auto entry = queue.pop();
      if (entry.weighed.failure) std::rethrow_exception(entry.weighed.failure);
      seconds.push_back(entry.weighed.seconds);
      tell(seconds.back());
    }
  }
  return seconds;
}

}  // namespace

std::vector<TunedRange> tune_range(Index from, Index to,
                                   const std::function<TuneTask(Index elements)>& task,
                                   const TuneProgress& progress) {
  std::optional<TuneTask> last;
  model::SerialWeigher weigher([&](const Weighable& what) {
    const Index elements = what.held.elements();
    if (!last || last->request.elements != elements) last = task(elements);
    return cost_of(*last, what);
  });
  const auto request = [&](Index elements) { return task(elements).request; };
  return tune_range(from, to, request, weigher, progress);
}

std::vector<TunedRange> tune_range(Index from, Index to,
                                   const std::function<TuneRequest(Index elements)>& request,
                                   Weigher& weigher, const TuneProgress& progress) {
  if (from < 1) throw Error(text("N must be at least 1 element, not ", from));
  if (to < from) throw Error(text("from ", from, " to ", to, " elements: the range is empty"));
  check_items(to, request(to).items);
  std::vector<TunedRange> parts;
  Index evaluations = 0;
  for (Index begin = from;;) {
    const Index end = begin > to / 2 ? to : 2 * begin;
    const Index middle = place_in(begin, end, samples_in_range / 2);
    TuneRequest one = request(middle);
    one.evaluations = 0;
    const auto tell = [&](TuneStatus status) {
      status.evaluations += evaluations;
      status.doing = text("for ", middle, " elements, ", status.doing);
      if (progress) progress(status);
      return true;
    };
    TuneResult result = tune(one, weigher, tell);
    evaluations += result.evaluations;
    std::vector<TuneCandidate>& candidates = result.candidates;
    if (!one.held) {
      std::erase_if(candidates, [](const auto& candidate) { return !is_always_inside(candidate); });
    }
    // Worst slowdown of each candidate over the best, over all sampled sizes.
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
      const TuneStatus comparing{0, 0, "", text("comparing for ", place, " elements")};
      compare(seconds_elsewhere(request(place), candidates, weigher, [&](double seconds) {
        ++evaluations;
        least = std::min(least, seconds);
        TuneStatus status = comparing;
        status.evaluations = evaluations;
        status.best_seconds = least;
        if (progress) progress(status);
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
