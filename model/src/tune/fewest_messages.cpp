// SPDX-License-Identifier: MIT

#include "tune/fewest_messages.hpp"

#include <algorithm>
#include <limits>

#include "bracket/model/messages.hpp"
#include "bracket/model/tree.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

namespace bracket::model {

namespace {

// Limit on the states of all boundaries together, which `distribution` keeps.
constexpr std::size_t most_states_kept = std::size_t{1} << 25;
constexpr std::size_t least_states_of_one = 32;

using Place = std::uint64_t;  // an index, or a place behind all of them
constexpr Place all_behind = std::numeric_limits<Place>::max();

/// The next outbound root behind x of every range that begins at or before x.
Place next_root(Place x, Index chunk) {
  const auto size = static_cast<Place>(chunk);
  if (x == 0) return all_behind;  // a later beginning has no advantage
  if (const Place behind = x % size; behind != 0) return x + (size - behind);
  return x + tree::lowest_bit(static_cast<Index>(x / size)) * size;
}

}  // namespace

FewestMessages::FewestMessages(const Order& order, const BoundaryWindows& windows)
    : FewestMessages(order, windows,
                     std::max(least_states_of_one,
                              most_states_kept / static_cast<std::size_t>(windows.ranks()))) {}

FewestMessages::FewestMessages(const Order& order, const BoundaryWindows& windows,
                               std::size_t most_states)
    : windows_(windows), chunk_(order.fixed() ? order.chunk_size() : 0), most_states_(most_states) {
  if (!order.fixed()) {
    throw Error(text("the ", order.spec(), " order has no fixed bracketing: no distribution takes ",
                     "fewer messages than another"));
  }
  if (order.explicit_tree() != nullptr) {
    throw Error("the fewest messages are known for the orders of chunks, not for an explicit one");
  }
  if (order.elements() != windows.elements()) {
    throw Error(text("the order is over ", order.elements(), " elements, the boundaries over ",
                     windows.elements()));
  }
}

FewestMessages::Bounds FewestMessages::with(Index largest_share) {
  const Index least = pass(largest_share, MergeRounding::down);
  if (!rounded_) return {least, least};
  return {least, pass(largest_share, MergeRounding::up)};
}

Distribution FewestMessages::distribution(Index largest_share) {
  keeps_ = true;
  pass(largest_share, MergeRounding::up);
  keeps_ = false;
  std::vector<Index> boundaries{0};
  auto state = static_cast<std::uint32_t>(states_.size() - 1);
  for (auto layer = first_kept_.rbegin(); layer != first_kept_.rend(); ++layer) {
    const Kept& kept = kept_[*layer + state];
    boundaries.push_back(kept.place);
    state = kept.next;
  }
  kept_ = {};
  return Distribution::from_boundaries(std::move(boundaries));
}

/// Minimum number of messages. If states had to be rounded, a lower or an upper bound on it.
Index FewestMessages::pass(Index largest_share, MergeRounding rounding) {
  rounded_ = false;
  first_kept_.clear();
  states_.assign(1, {windows_.elements(), 0, 0});
  for (Index k = windows_.ranks() - 1;; --k) {
    if (keeps_) {
      first_kept_.push_back(kept_.size());
      for (const BoundaryState& state : states_) kept_.push_back({state.place, state.next});
    }
    if (k == 0) break;
    find_places(k, largest_share);
    keep_best();
    if (states_.size() > most_states_) round(rounding);
    spent_ += static_cast<Index>(states_.size());
  }
  // The first elements belong to rank 0, which sends them to no rank.
  while (states_.back().place > largest_share) states_.pop_back();
  return states_.back().messages;
}

/// Puts into `found_` the places that boundary k may take, each linked to the best of `states_`.
void FewestMessages::find_places(Index k, Index largest_share) {
  found_.clear();
  const Index lowest = windows_.lowest(k);
  const Index highest = windows_.highest(k);
  // States that reach below the window have the same places. Each place belongs to the state with
  // the fewest messages in total among those behind the place.
  std::size_t reaching = 0;
  while (reaching < states_.size() && states_[reaching].place - largest_share <= lowest) ++reaching;
  fewest_.resize(reaching);
  for (std::size_t i = reaching; i-- > 0;) {
    const BoundaryState& state = states_[i];
    const Index messages = state.messages + outbound_count({lowest, state.place}, chunk_);
    const bool fewer = i + 1 == reaching || messages < fewest_[i + 1].messages;
    fewest_[i] = fewer ? BoundaryState{state.place, messages, static_cast<std::uint32_t>(i)}
                       : fewest_[i + 1];
    fewest_[i].place = state.place;
  }
  for (std::size_t i = 0; i < states_.size() && states_[i].place <= highest; ++i) {
    // An empty rank.
    found_.push_back({states_[i].place, states_[i].messages, static_cast<std::uint32_t>(i)});
  }
  Place place = static_cast<Place>(lowest);
  Index passed = 0;
  for (const auto& [end, messages, next] : fewest_) {
    const auto last = static_cast<Place>(std::min(end, highest));
    for (; place <= last; place = next_root(place, chunk_), ++passed) {
      // A rank that begins at 0 sends no subtree, but it sends the result to the first rank.
      const Index sent = place == 0 ? messages + 1 : messages - passed;
      found_.push_back({static_cast<Index>(place), sent, next});
    }
  }
  for (std::size_t i = reaching; i < states_.size(); ++i) {
    const BoundaryState& state = states_[i];
    const Index from = state.place - largest_share;
    Index messages = state.messages + outbound_count({from, state.place}, chunk_);
    const auto last = static_cast<Place>(std::min(state.place, highest));
    for (auto at = static_cast<Place>(from); at <= last; at = next_root(at, chunk_)) {
      found_.push_back({static_cast<Index>(at), messages--, static_cast<std::uint32_t>(i)});
    }
  }
}

/// Puts the non-dominated states of `found_` into `states_`: a lower place and fewer messages are
/// better.
void FewestMessages::keep_best() {
  std::sort(found_.begin(), found_.end(), [](const BoundaryState& a, const BoundaryState& b) {
    return a.place != b.place ? a.place < b.place : a.messages < b.messages;
  });
  states_.clear();
  for (const BoundaryState& state : found_) {
    if (states_.empty() || state.messages < states_.back().messages) states_.push_back(state);
  }
}

/// Merges neighbouring states. The merged state has the first one's place. It has the last one's
/// messages or, to round up, the first one's.
void FewestMessages::round(MergeRounding rounding) {
  rounded_ = true;
  const std::size_t together = states_.size() / most_states_ + 1;
  std::size_t kept = 0;
  for (std::size_t first = 0; first < states_.size(); first += together) {
    const std::size_t last = std::min(first + together, states_.size()) - 1;
    BoundaryState state = states_[first];
    if (rounding == MergeRounding::down) state.messages = states_[last].messages;
    states_[kept++] = state;
  }
  states_.resize(kept);
}

}  // namespace bracket::model
