// SPDX-License-Identifier: MIT

#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "bracket/model/optimal.hpp"
#include "bracket/model/order.hpp"
#include "bracket/model/windows.hpp"

namespace bracket::model {

/// Minimum number of messages of the direct plan to the first position, over all boundaries in the
/// windows, given a largest share. See `optimal_distribution`.
class FewestMessages {
 public:
  /// Rounds the states of a boundary if there are more than `most_states`.
  FewestMessages(const Order& order, const BoundaryWindows& windows, std::size_t most_states);
  /// Uses as many states as memory allows.
  FewestMessages(const Order& order, const BoundaryWindows& windows);

  struct Bounds {
    Index least;    ///< lower bound for all distributions
    Index reached;  ///< number that some distribution has
    [[nodiscard]] bool exact() const { return least == reached; }
  };

  /// Bounds on the number of messages with no share above `largest_share` ≥ ⌈N / p⌉.
  Bounds with(Index largest_share);

  /// A distribution with as many messages as `with` has reached and no share above `largest_share`.
  Distribution distribution(Index largest_share);

  /// States examined so far.
  [[nodiscard]] Index spent() const { return spent_; }

 private:
  /// A boundary's place and the messages of the ranks behind it.
  struct BoundaryState {
    Index place;
    Index messages;
    std::uint32_t next;  // index of the next boundary's state that this one continues to
  };
  struct Kept {
    Index place;
    std::uint32_t next;
  };

  /// Direction in which the messages of merged states are rounded.
  enum class MergeRounding { down, up };

  Index pass(Index largest_share, MergeRounding rounding);
  void find_places(Index k, Index largest_share);
  void keep_best();
  void round(MergeRounding rounding);

  BoundaryWindows windows_;
  Index chunk_;
  std::size_t most_states_;
  Index spent_ = 0;
  // States of the current boundary: places ascend, messages descend.
  std::vector<BoundaryState> states_;
  std::vector<BoundaryState> found_;
  std::vector<BoundaryState> fewest_;  // best among a state and those behind it
  bool rounded_ = false;
  // States of all boundaries from the last on, if `keeps_`.
  bool keeps_ = false;
  std::deque<Kept> kept_;
  std::vector<std::size_t> first_kept_;
};

/// `pareto_front` from these numbers of messages, which may be rounded.
ParetoFront pareto_front(FewestMessages& fewest, const BoundaryWindows& windows, Index budget,
                         const std::function<void(Index points)>& progress = {});

}  // namespace bracket::model
