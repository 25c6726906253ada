// SPDX-License-Identifier: MIT

#pragma once

#include "bracket/model/plan.hpp"

namespace bracket::model {

/// Rule by which a rank's outbound subtree roots share a message (thesis, section 3.1.1):
/// consecutive roots with one target, at most `capacity` of them. A root above `flush` elements
/// starts a new message.
struct Bundling {
  Index capacity = 1;
  Index flush = 0;
};

/// Throws `Error` unless the order has one bracketing, which determines who computes what.
void require_fixed(std::string_view plan, const Order& order);

/// Part of a schedule in which the rank that holds a bracket's first element computes the bracket.
/// If that rank does not need it, it sends it to the rank that holds the left partner's first
/// element (thesis, Algorithm 1).
RankPart owner_computes_part(const Problem& problem, Rank rank, Bundling bundling);

/// Number of messages that `rank` sends in that part, without building the part: one per bundle of
/// outbound subtrees (thesis, Algorithm 2, where each subtree is a message), and the messages of
/// the delivery.
Index owner_computes_messages(const Problem& problem, Rank rank, Bundling bundling);

}  // namespace bracket::model
