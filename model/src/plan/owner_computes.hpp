#pragma once

#include "bracket/model/plan.hpp"

namespace bracket {

/// Which outbound subtree roots of a rank share a message (thesis, section 3.1.1): consecutive
/// ones with one target, at most `capacity` of them, none after the first above `flush`
/// elements.
struct Bundling {
  Index capacity = 1;
  Index flush = 0;
};

/// Throws `Error` unless the order has one bracketing, which alone says who computes what.
void require_fixed(std::string_view plan, const Order& order);

/// Part of a schedule in which each bracket is computed by the rank that holds its first element
/// and sent, unless that rank needs it itself, to the rank that holds its left partner's first
/// element (thesis, Algorithm 1).
RankPart owner_computes_part(const Problem& problem, Rank rank, Bundling bundling);

/// Number of messages that `rank` sends in that part, without the part: those to whom subtrees of
/// its elements belong (thesis, Algorithm 2, where each subtree is a message), and those of the
/// delivery.
Index owner_computes_messages(const Problem& problem, Rank rank, Bundling bundling);

}  // namespace bracket
