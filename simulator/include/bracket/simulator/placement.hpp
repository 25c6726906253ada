// SPDX-License-Identifier: MIT

#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "bracket/model/range.hpp"
#include "bracket/model/spec.hpp"

namespace bracket {

/// Nodes that ranks can be placed on.
struct Nodes {
  std::vector<Index> cores;        ///< of each node
  std::vector<std::string> names;  ///< of each node; if empty, the names are numbers from 0
};

/// Assignment of ranks to nodes.
class Placement {
 public:
  enum class Kind { block, round_robin, listed };

  /// Parses `block` or `round-robin`, or reads a file of nodes, one for each rank, separated by
  /// white space. Throws `Error` for any other text, and for a file without nodes.
  static Placement parse(const std::string& written);

  /// Whether the placement comes from a file.
  [[nodiscard]] bool listed() const { return kind_ == Kind::listed; }

  /// Number of nodes that it takes, of `cores` ≥ 1 cores each, numbered from 0. Throws `Error` if
  /// the nodes of a file are not numbers, or not one for each rank.
  [[nodiscard]] Index nodes_for(Rank ranks, Index cores) const;

  /// The node of each rank, by position in `nodes`. Throws `Error` if there are too few cores in
  /// all or on a node that a file names, and if a node of the file does not exist.
  [[nodiscard]] std::vector<std::uint32_t> place(Rank ranks, const Nodes& nodes) const;

  /// The node of each rank, on the `nodes_for` nodes of `cores` cores each.
  [[nodiscard]] std::vector<std::uint32_t> place(Rank ranks, Index cores) const;

 private:
  /// Node of a rank, from 0 on. A number without a node is refused.
  using NodeOfRank = std::function<Index(std::size_t rank)>;
  using CoresOfNode = std::function<Index(Index node)>;

  void check_listed(Rank ranks) const;
  [[nodiscard]] Index listed_number(std::size_t rank) const;
  [[nodiscard]] std::vector<std::uint32_t> place_listed(Rank ranks, Index nodes,
                                                        const NodeOfRank& node_of,
                                                        const CoresOfNode& cores_of) const;

  Kind kind_ = Kind::block;
  std::string file_;
  std::vector<std::string> listed_;
};

/// A row of the table of placements.
struct PlacementEntry {
  CatalogueEntry entry;
  Placement::Kind kind;
};

/// Every placement by name.
std::span<const PlacementEntry> placements();

}  // namespace bracket
