// SPDX-License-Identifier: MIT

#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "bracket/model/range.hpp"
#include "bracket/model/spec.hpp"

namespace bracket {

/// A row of the table of rank orders, which are permutations of ranks.
struct RankOrderEntry {
  CatalogueEntry entry;
  std::vector<Rank> (*make)(const Spec& spec, Rank ranks);
};

/// Every rank order by name.
std::span<const RankOrderEntry> rank_orders();

/// The permutation of p = `ranks` ≥ 1 ranks that `spec` describes: the rank at each position, as
/// `Distribution::with_rank_order` takes and checks it. Throws `Error` for an unknown name or bad
/// parameters.
std::vector<Rank> make_rank_order(std::string_view spec, Rank ranks);

}  // namespace bracket
