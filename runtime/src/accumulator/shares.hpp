// SPDX-License-Identifier: MIT

#pragma once

#include <optional>
#include <vector>

#include "bracket/model/distribution.hpp"
#include "bracket/model/range.hpp"
#include "bracket/runtime/communicator.hpp"

namespace bracket::runtime {

/// What a rank brings to a reduction of accumulators.
struct Share {
  Range elements;      ///< if the result does not depend on the sequence, [0, 1) for any number
  Index reducer = -1;  ///< the number of its reducer of the latest reduction; -1 if that cannot run

  friend bool operator==(const Share&, const Share&) = default;
};

/// The shares of all ranks. Collective.
std::vector<Share> all_shares(const Communicator& ranks, const Share& own);

/// The distribution in which each rank holds its elements, or none without elements. Throws `Error`
/// if they overlap or have gaps.
std::optional<Distribution> distribution_of(const std::vector<Share>& shares);

}  // namespace bracket::runtime
