// SPDX-License-Identifier: MIT

#pragma once

#include <algorithm>
#include <random>
#include <vector>

#include "bracket/model/distribution.hpp"
#include "bracket/runtime/communicator.hpp"

/// Ranks that a test runs on.
namespace bracket::testing {

inline const Communicator& world() {
  static const Communicator* const communicator = new Communicator(MPI_COMM_WORLD);
  return *communicator;
}

/// Random boundaries, with empty ranks among them; equal on all ranks.
inline Distribution random_distribution(Index elements, std::mt19937_64& random) {
  std::vector<Index> boundaries(static_cast<std::size_t>(world().size()) + 1);
  for (auto& boundary : boundaries) {
    boundary = static_cast<Index>(random() % (static_cast<std::uint64_t>(elements) + 1));
  }
  std::sort(boundaries.begin(), boundaries.end());
  boundaries.front() = 0;
  boundaries.back() = elements;
  return Distribution::from_boundaries(boundaries);
}

/// This rank's part of `elements`; each element has `items` numbers.
template <class Value>
std::vector<Value> own_part(const std::vector<Value>& elements, const Distribution& distribution,
                            Index items = 1) {
  const Range held = distribution.range(world().rank());
  return {elements.begin() + held.begin * items, elements.begin() + held.end * items};
}

}  // namespace bracket::testing
