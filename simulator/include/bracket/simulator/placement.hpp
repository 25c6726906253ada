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
  std::vector<Index> cores;        ///< of each
  std::vector<std::string> names;  ///< of each; empty if they are their numbers, from 0
};

/// Which node each rank sits on.
class Placement {
 public:
  enum class Kind { block, round_robin, listed };

  /// `block` or `round-robin`, or a file of nodes, one for each rank, separated by white space.
  /// Throws `Error` for what is none of them, or a file without nodes.
  static Placement parse(const std::string& written);

  /// Whether it is a file's.
  [[nodiscard]] bool listed() const { return kind_ == Kind::listed; }

  /// How many nodes of `cores` ≥ 1 cores each, numbered from 0, it takes. Throws `Error` if the
  /// nodes of a file are no numbers, or are not one for each rank.
  [[nodiscard]] Index nodes_for(Rank ranks, Index cores) const;

  /// The node of each rank, by position in `nodes`. Throws `Error` if there are too few cores, on
  /// all of them or on one that a file names, or no such node.
  [[nodiscard]] std::vector<std::uint32_t> place(Rank ranks, const Nodes& nodes) const;

  /// The same on the `nodes_for` nodes of `cores` cores each.
  [[nodiscard]] std::vector<std::uint32_t> place(Rank ranks, Index cores) const;

 private:
  /// From 0 on; what is no node of those that there are is refused.
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
