// SPDX-License-Identifier: MIT

#include "tune/candidate_distributions.hpp"

#include <array>
#include <charconv>
#include <utility>

#include "bracket/model/optimal.hpp"
#include "bracket/support/text.hpp"

namespace bracket::model {

namespace {

/// The shortest text that parses to exactly `value`.
std::string shortest(double value) {
  std::array<char, 32> written;
  const auto result = std::to_chars(written.data(), written.data() + written.size(), value);
  return {written.data(), result.ptr};
}

}  // namespace

Distribution CandidateDistributions::in_rank_order(Distribution distribution) const {
  if (request_.rank_order.empty()) return distribution;
  return distribution.with_rank_order(request_.rank_order);
}

/// The rank that holds the first position.
Rank CandidateDistributions::first_rank() const {
  return request_.rank_order.empty() ? 0 : request_.rank_order.front();
}

NamedDistribution CandidateDistributions::algorithm_3() const {
  return by_name("optimized:" + shortest(request_.alpha));
}

NamedDistribution CandidateDistributions::by_name(const std::string& name) const {
  return {name, true, in_rank_order(make_distribution(name, request_.elements, request_.ranks))};
}

NamedDistribution CandidateDistributions::of_lowest_score(const Order& order, int divisor,
                                                          const std::function<void()>& progress) {
  const ScoreCosts costs{request_.costs.send_seconds / divisor,
                         request_.costs.add_seconds * static_cast<double>(request_.items)};
  auto found = optimal_distribution(order, windows_, costs, default_state_budget,
                                    [&](double, double) { progress(); });
  const bool to_first =
      request_.delivery.collective == Collective::reduce && first_rank() == request_.delivery.root;
  if (divisor == 1 && to_first && (bound_seconds_ == 0 || found.bound_seconds < bound_seconds_)) {
    bound_seconds_ = found.bound_seconds;
  }
  const std::string name =
      text("optimal:", shortest(request_.alpha), request_.moves == Moves::downwards ? ":down" : "");
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

}  // namespace bracket::model
