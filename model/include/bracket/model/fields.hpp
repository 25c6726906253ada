// SPDX-License-Identifier: MIT

#pragma once

#include <span>
#include <vector>

#include "bracket/model/distribution.hpp"
#include "bracket/model/schedule.hpp"

namespace bracket {

/// Several fields, each with its own number of elements and distribution, can be reduced together
/// in the messages of one field, if all are scheduled with these participants (see `Problem`).

/// Ranks that hold an element of any field, in element order. Throws `Error` unless all fields are
/// distributed over the same ranks in the same permutation.
std::vector<Rank> participants_of(std::span<const Distribution> fields);

/// Merges the parts of one rank for several fields of one item each: item k is field k, and one
/// message carries the values of all fields. Throws `Error` unless the parts have the same messages
/// with the same peers in the same order. Plans that carry frontiers make such parts for any
/// fields, other plans only for fields with one distribution.
RankPart merge_fields(std::span<const RankPart> fields);

}  // namespace bracket
