// SPDX-License-Identifier: MIT

#include "tune/evaluations.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <utility>

#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

namespace bracket::model {

namespace {

bool is_of(const TuneCandidate& candidate, const Evaluations::Choice& choice) {
  return candidate.order == choice.order.spec() && candidate.plan == choice.plan->spec();
}

}  // namespace

Evaluations::Evaluations(const TuneRequest& request, Weigher& weigher, const TuneProgress& progress)
    : request_(request),
      progress_(progress),
      queue_(weigher, request.skips_busy ? bound_by_busy_ranks() : WeighingQueue::Bound()),
      at_once_(weigher.at_once()),
      windows_(request.elements, request.ranks, request.alpha, request.moves) {}

WeighingQueue::Bound Evaluations::bound_by_busy_ranks() const {
  return [this](const Weighable& what) {
    const auto order = make_order(what.order, request_.elements);
    return busy_seconds(problem(order, what.held), *make_plan(what.plan), request_.machine);
  };
}

void Evaluations::tell() {
  status_.evaluations = result_.evaluations;
  status_.best_seconds = best_;
  if (progress_ && !progress_(status_)) asked_to_stop_ = true;
}

bool Evaluations::inside(const Distribution& held) const {
  for (Index k = 0; k <= windows_.ranks(); ++k) {
    const Index place = held.boundaries()[static_cast<std::size_t>(k)];
    if (place < windows_.lowest(k) || place > windows_.highest(k)) return false;
  }
  return true;
}

void Evaluations::weigh(std::size_t number, const NamedDistribution& held) {
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

void Evaluations::take_candidates() {
  while (!queue_.empty() && !stopped()) {
    wait_for_first();
    if (!stopped()) take_candidate();
  }
  queue_.drop();
  asked_.clear();
}

void Evaluations::take_candidate() {
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

/// Waits until the first is weighed or excluded, or until tuning is stopped.
void Evaluations::wait_for_first() {
  for (begin(); !queue_.is_first_done() && !stopped(); begin()) {
    constexpr double until_told = 0.1;  // seconds
    queue_.wait(until_told);
    if (!queue_.is_first_done()) tell();
  }
}

/// Counts an evaluation and records its cost. Returns seconds.
double Evaluations::count(const WeighingQueue::Entry& entry) {
  if (entry.weighed.failure) std::rethrow_exception(entry.weighed.failure);
  const double seconds = entry.weighed.seconds;
  if (!std::isfinite(seconds)) {
    throw Error(text("the plan ", entry.what.plan, " costs ", seconds,
                     " seconds: a figure of the machine is too large"));
  }
  if (status_.best.empty() || seconds < best_) status_.best = entry.what.plan;
  best_ = std::min(best_, seconds);
  ++result_.evaluations;
  return seconds;
}

std::optional<Evaluations::Evaluated> Evaluations::next() {
  wait_for_first();
  if (stopped()) return {};
  WeighingQueue::Entry entry = queue_.pop();
  const double seconds = count(entry);
  tell();
  return Evaluated{std::move(entry.what.held), seconds};
}

const TuneCandidate& Evaluations::best(const Choice* choice) const {
  const TuneCandidate* least = nullptr;
  for (const TuneCandidate& candidate : result_.candidates) {
    if (choice != nullptr && !is_of(candidate, *choice)) continue;
    if (least == nullptr || candidate.seconds < least->seconds) least = &candidate;
  }
  return *least;
}

const Evaluations::Choice& Evaluations::choice_of(const TuneCandidate& candidate) const {
  return *std::find_if(choices_.begin(), choices_.end(),
                       [&](const Choice& choice) { return is_of(candidate, choice); });
}

TuneResult Evaluations::take_result() {
  result_.stopped = stopped();
  return std::move(result_);
}

}  // namespace bracket::model
