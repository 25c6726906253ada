#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "bracket/model/optimal.hpp"
#include "bracket/model/order.hpp"
#include "bracket/model/windows.hpp"

namespace bracket {

/// The fewest messages of the direct plan to the first position with no share above a given one,
/// over all boundaries in the windows: see `optimal_distribution`.
class FewestMessages {
 public:
  /// More than `most_states` of a boundary are rounded.
  FewestMessages(const Order& order, const BoundaryWindows& windows, std::size_t most_states);
  /// As many as there is room for.
  FewestMessages(const Order& order, const BoundaryWindows& windows);

  struct Bounds {
    Index least;    ///< no distribution has fewer
    Index reached;  ///< one has so many
    [[nodiscard]] bool exact() const { return least == reached; }
  };

  /// `largest_share` ≥ ⌈N / p⌉.
  Bounds with(Index largest_share);

  /// A distribution of so many messages as `with` has reached, and no larger share.
  Distribution distribution(Index largest_share);

  /// States looked at so far.
  [[nodiscard]] Index spent() const { return spent_; }

 private:
  /// A boundary's place, and the messages of the ranks behind it.
  struct State {
    Index place;
    Index messages;
    std::uint32_t next;  // the state of the next boundary that it is of
  };
  struct Kept {
    Index place;
    std::uint32_t next;
  };

  /// What too many states become.
  enum class Rounding { down, up };

  Index pass(Index largest_share, Rounding rounding);
  void find_places(Index k, Index largest_share);
  void keep_best();
  void round(Rounding rounding);

  BoundaryWindows windows_;
  Index chunk_;
  std::size_t most_states_;
  Index spent_ = 0;
  std::vector<State> states_;  // of the boundary at hand: places ascend, messages descend
  std::vector<State> found_;
  std::vector<State> fewest_;  // of a state and those behind it
  bool rounded_ = false;
  // Of all boundaries from the last on, where asked for.
  bool keeps_ = false;
  std::deque<Kept> kept_;
  std::vector<std::size_t> first_kept_;
};

/// `pareto_front` by these, which may be rounded.
ParetoFront pareto_front(FewestMessages& fewest, const BoundaryWindows& windows, Index budget,
                         const std::function<void(Index points)>& progress = {});

}  // namespace bracket
