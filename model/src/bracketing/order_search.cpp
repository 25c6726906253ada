// SPDX-License-Identifier: MIT

#include "bracket/model/order_search.hpp"

#include <algorithm>
#include <numeric>

#include "bracket/support/split_mix.hpp"

namespace bracket {

OrderSearch::OrderSearch(Rank n, std::uint64_t seed) : n_(n), random_(seed) {
  std::vector<Rank> all(static_cast<std::size_t>(n));
  std::iota(all.begin(), all.end(), Rank{0});
  draw_pivot(all);
  subtrees_.push_back({std::move(all), {}});
  if (n > 1) waiting_.push_back(0);
}

void OrderSearch::draw_pivot(std::vector<Rank>& ranks) {
  std::swap(ranks.front(), ranks[support::split_mix(random_++) % ranks.size()]);
}

std::optional<OrderSearch::Probe> OrderSearch::next() const {
  if (!consistent_ || waiting_.empty()) return std::nullopt;
  const auto& ranks = subtrees_[waiting_.back()].ranks;
  return Probe{ranks.front(), ranks[sizes_.size() + 1]};
}

void OrderSearch::tell(double result) {
  ++probes_;
  const auto size_of_set = static_cast<Index>(subtrees_[waiting_.back()].ranks.size());
  // The comparison also rejects NaN.
  if (!(result >= n_ - size_of_set && result <= n_ - 2) ||
      result != static_cast<double>(static_cast<Index>(result))) {
    consistent_ = false;
    return;
  }
  sizes_.push_back(n_ - static_cast<Index>(result));
  if (static_cast<Index>(sizes_.size()) + 1 == size_of_set) close();
}

/// Cuts the set that is searched now into the subtrees that join the path of its pivot.
void OrderSearch::close() {
  const std::size_t searched = waiting_.back();
  waiting_.pop_back();
  const std::vector<Rank> ranks = subtrees_[searched].ranks;
  std::vector<std::size_t> others(ranks.size() - 1);
  std::iota(others.begin(), others.end(), std::size_t{0});
  std::stable_sort(others.begin(), others.end(),
                   [&](std::size_t a, std::size_t b) { return sizes_[a] < sizes_[b]; });
  for (auto first = others.begin(); first != others.end();) {
    const Index size = sizes_[*first];
    const auto end =
        std::find_if(first, others.end(), [&](std::size_t other) { return sizes_[other] != size; });
    // The subtree has the pivot, what joined its path before, and these operands.
    if (size != end - others.begin() + 1) {
      consistent_ = false;
      return;
    }
    std::vector<Rank> joined;
    for (; first != end; ++first) joined.push_back(ranks[*first + 1]);
    draw_pivot(joined);
    subtrees_[searched].joined.push_back(subtrees_.size());
    if (joined.size() > 1) waiting_.push_back(subtrees_.size());
    subtrees_.push_back({std::move(joined), {}});
  }
  sizes_.clear();
}

RankedOrder OrderSearch::order() const {
  AdditionTree tree;
  std::vector<AdditionTree::Node> sums(subtrees_.size());
  // A subtree is behind the one whose path it joins.
  for (std::size_t i = subtrees_.size(); i-- > 0;) {
    sums[i] = tree.operand(subtrees_[i].ranks.front());
    for (const std::size_t joined : subtrees_[i].joined) sums[i] = tree.add(sums[i], sums[joined]);
  }
  return tree.order(sums.front());
}

std::optional<RankedOrder> reveal_order(
    Rank n, const std::function<double(std::span<const double> operands)>& sum,
    std::uint64_t seed) {
  OrderSearch search(n, seed);
  std::vector<double> operands(static_cast<std::size_t>(n));
  while (const auto probe = search.next()) {
    for (Rank rank = 0; rank < n; ++rank) {
      operands[static_cast<std::size_t>(rank)] = probe->operand(rank);
    }
    search.tell(sum(operands));
  }
  if (!search.consistent()) return std::nullopt;
  return search.order();
}

}  // namespace bracket
