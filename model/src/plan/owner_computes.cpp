// SPDX-License-Identifier: MIT

#include "plan/owner_computes.hpp"

#include <algorithm>

#include "bracket/model/messages.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "plan/delivery.hpp"

namespace bracket::model {

namespace {

struct Bundle {
  Rank to = 0;
  std::vector<Partial> roots;
};

/// Messages of `rank`, in the order in which it sends them.
std::vector<Bundle> bundles_of(const Order& order, const Distribution& distribution, Rank rank,
                               Bundling bundling) {
  std::vector<Bundle> bundles;
  for (const Partial& root : order.outbound(distribution.range(rank))) {
    const Rank to = distribution.owner(order.left_partner(root.range.begin));
    const bool opens = bundles.empty() || bundles.back().to != to ||
                       static_cast<Index>(bundles.back().roots.size()) == bundling.capacity ||
                       root.range.size() > bundling.flush;
    if (opens) bundles.push_back({to, {}});
    bundles.back().roots.push_back(root);
  }
  return bundles;
}

class Walk {
 public:
  Walk(const Problem& problem, Rank rank, Bundling bundling)
      : order_(problem.order),
        distribution_(problem.distribution),
        held_(distribution_.range(rank)),
        bundling_(bundling),
        part_(problem.items) {}

  /// Appends the steps that yield `bracket`, whose first element this rank holds.
  void compute(Range bracket) {
    // Down the left halves to the first local one, then up again.
    std::vector<Partial> right_halves;
    while (!held_.contains(bracket)) {
      const bool in_one_chunk = order_.chunk(bracket.begin).contains(bracket);
      const Index middle = in_one_chunk ? held_.end : order_.split(bracket);
      const Range right{middle, bracket.end};
      right_halves.push_back(in_one_chunk ? Partial::run_of(right) : Partial(right));
      bracket.end = middle;
    }
    part_.fold(bracket);
    for (; !right_halves.empty(); right_halves.pop_back()) {
      const Partial right = right_halves.back();
      if (right.run) {
        join_run(bracket, right.range);
      } else if (held_.contains(right.range.begin)) {
        compute(right.range);
        part_.join(bracket, right);
      } else {
        obtain(right);
        part_.join(bracket, right);
      }
      bracket.end = right.range.end;
    }
  }

  RankPart& part() { return part_; }

 private:
  /// Joins the rest of a chunk that began on this rank. It comes in pieces from the ranks that hold
  /// it.
  void join_run(Range bracket, Range rest) {
    while (!rest.empty()) {
      const Index end =
          std::min(distribution_.range(distribution_.owner(rest.begin)).end, rest.end);
      const auto piece = Partial::run_of({rest.begin, end});
      obtain(piece);
      part_.join(bracket, piece);
      bracket.end = rest.begin = end;
    }
  }

  /// Receives a partial. Partials from other ranks are needed in ascending order, the order in
  /// which each sender bundles them: a partial that is not in the latest bundle comes with the
  /// next.
  void obtain(const Partial& partial) {
    if (std::find(at_hand_.begin(), at_hand_.end(), partial) != at_hand_.end()) return;
    const Rank from = distribution_.owner(partial.range.begin);
    if (from != sender_) {
      sender_ = from;
      senders_bundles_ = bundles_of(order_, distribution_, from, bundling_);
    }
    for (const auto& bundle : senders_bundles_) {
      if (std::find(bundle.roots.begin(), bundle.roots.end(), partial) == bundle.roots.end()) {
        continue;
      }
      part_.recv(from, bundle.roots);
      at_hand_ = bundle.roots;
      return;
    }
  }

  const Order& order_;
  const Distribution& distribution_;
  Range held_;
  Bundling bundling_;
  std::vector<Partial> at_hand_;  // in the latest message
  Rank sender_ = -1;              // of the latest message
  std::vector<Bundle> senders_bundles_;
  RankPart part_;
};

}  // namespace

void require_fixed(std::string_view plan, const Order& order) {
  if (!order.fixed()) {
    throw Error(
        text("the plan ", plan, " follows a fixed bracketing, but the ", order.spec(),
             " order has none: choose a plan that carries frontiers, aggregated or butterfly"));
  }
}

RankPart owner_computes_part(const Problem& problem, Rank rank, Bundling bundling) {
  const Order& order = problem.order;
  const Distribution& distribution = problem.distribution;
  Walk walk(problem, rank, bundling);
  const Range result{0, distribution.elements()};
  const Rank holder = distribution.owner(0);
  if (rank == holder) walk.compute(result);
  for (const auto& bundle : bundles_of(order, distribution, rank, bundling)) {
    for (const Partial& root : bundle.roots) {
      if (!root.run) walk.compute(root.range);
    }
    walk.part().send(bundle.to, bundle.roots);
  }
  append_delivery(walk.part(), problem, holder, rank);
  return std::move(walk.part());
}

Index owner_computes_messages(const Problem& problem, Rank rank, Bundling bundling) {
  const Order& order = problem.order;
  const Distribution& distribution = problem.distribution;
  RankPart delivery(problem.items);
  append_delivery(delivery, problem, distribution.owner(0), rank);
  const Index outbound =
      bundling.capacity == 1
          ? outbound_count(order, distribution.range(rank))
          : static_cast<Index>(bundles_of(order, distribution, rank, bundling).size());
  return outbound + delivery.messages();
}

}  // namespace bracket::model
