// SPDX-License-Identifier: MIT

#pragma once

#include <cstddef>
#include <deque>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bracket/model/tune.hpp"
#include "bracket/model/windows.hpp"
#include "tune/weighing_queue.hpp"

namespace bracket::model {

/// The evaluations of a tuning: has candidates weighed, several at a time, counts them, keeps their
/// costs and reports the progress.
class Evaluations {
 public:
  /// An order and a plan.
  struct Choice {
    Order order;
    std::unique_ptr<Plan> plan;
    double seconds = std::numeric_limits<double>::infinity();  ///< the least cost so far
  };

  /// A distribution and its cost.
  struct Evaluated {
    Distribution held;
    double seconds = 0;
  };

  /// Keeps references to its arguments. Throws `Error` as `BoundaryWindows` does.
  Evaluations(const TuneRequest& request, Weigher& weigher, const TuneProgress& progress);

  Evaluations(const Evaluations&) = delete;
  Evaluations& operator=(const Evaluations&) = delete;

  [[nodiscard]] const TuneRequest& request() const { return request_; }
  [[nodiscard]] const BoundaryWindows& windows() const { return windows_; }

  /// Number of candidates that are weighed at the same time.
  [[nodiscard]] Index at_once() const { return at_once_; }

  /// Choices of the candidates. No weighing may be pending when one is removed or moved.
  [[nodiscard]] std::vector<Choice>& choices() { return choices_; }

  /// The request's reduction. Keeps references to its arguments.
  [[nodiscard]] Problem problem(const Order& order, const Distribution& held) const {
    return {order, held, request_.delivery, request_.items};
  }

  /// Sets the phase that the progress names.
  void begin_phase(std::string doing) { status_.doing = std::move(doing); }

  /// Reports the progress.
  void tell();

  /// Returns whether the progress has ended the tuning and there is a candidate.
  [[nodiscard]] bool stopped() const { return asked_to_stop_ && !result_.candidates.empty(); }

  /// Has a distribution weighed with the choice of this number, now or later, if it is inside the
  /// windows and was not weighed before. It becomes a candidate.
  void weigh(std::size_t choice, const NamedDistribution& held);

  /// Takes the results of all pending weighings of `weigh`.
  void take_candidates();

  /// Ends the evaluations before balancing and search.
  void begin_search() { result_.first_searched = result_.evaluations; }

  /// Returns whether the budget of balancing and searching is spent.
  [[nodiscard]] bool spent() const {
    return stopped() || result_.evaluations - result_.first_searched >= request_.evaluations;
  }

  /// Has a distribution weighed with this choice, now or later. It does not become a candidate.
  void push(const Choice& choice, const Distribution& held) {
    queue_.push(weighable(choice, held));
  }

  /// Number of pushed distributions that `next` has not returned.
  [[nodiscard]] std::size_t pending() const { return queue_.size(); }

  /// Waits for the first of the pending distributions and counts its evaluation. Empty if the
  /// tuning is stopped.
  std::optional<Evaluated> next();

  /// Forgets the pending distributions.
  void drop() { queue_.drop(); }

  /// The best candidate, of `choice` if given.
  [[nodiscard]] const TuneCandidate& best(const Choice* choice = nullptr) const;

  /// The choice that a candidate is of.
  [[nodiscard]] const Choice& choice_of(const TuneCandidate& candidate) const;

  /// Adds a candidate that was evaluated by `push` and `next`.
  void add(TuneCandidate candidate) { result_.candidates.push_back(std::move(candidate)); }

  /// Moves the result out, with the candidates as they were evaluated.
  TuneResult take_result();

 private:
  /// Request that belongs to an entry's tag.
  struct Asked {
    std::size_t choice;
    NamedDistribution held;
  };

  [[nodiscard]] static Weighable weighable(const Choice& choice, const Distribution& held) {
    return {choice.order.spec(), choice.plan->spec(), held};
  }
  [[nodiscard]] WeighingQueue::Bound bound_by_busy_ranks() const;
  [[nodiscard]] bool inside(const Distribution& held) const;
  void begin() { queue_.begin(best_); }
  void wait_for_first();
  void take_candidate();
  double count(const WeighingQueue::Entry& entry);

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

}  // namespace bracket::model
