// SPDX-License-Identifier: MIT

#include "bracket/simulator/placement.hpp"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <numeric>
#include <sstream>
#include <unordered_map>

#include "bracket/support/error.hpp"
#include "bracket/support/file.hpp"
#include "bracket/support/text.hpp"

namespace bracket {

namespace {

constexpr PlacementEntry placement_table[] = {
    {{"block", "", "the cores of a node are filled before those of the next", "the default"},
     Placement::Kind::block},
    {{"round-robin", "", "one rank to each node in turn, except full nodes", "explicit"},
     Placement::Kind::round_robin},
    {{"FILE", "", "the node of each rank: a host's name, or its number from 0", "explicit"},
     Placement::Kind::listed},
};

std::vector<std::uint32_t> in_blocks(std::size_t ranks, const Nodes& nodes) {
  std::vector<std::uint32_t> placed;
  placed.reserve(ranks);
  for (std::uint32_t node = 0; placed.size() < ranks; ++node) {
    const auto free = static_cast<std::size_t>(nodes.cores[node]);
    placed.insert(placed.end(), std::min(free, ranks - placed.size()), node);
  }
  return placed;
}

std::vector<std::uint32_t> in_turn(std::size_t ranks, const Nodes& nodes) {
  std::vector<std::uint32_t> placed;
  placed.reserve(ranks);
  std::vector<std::uint32_t> open(nodes.cores.size());
  std::iota(open.begin(), open.end(), 0);
  for (Index round = 0; placed.size() < ranks; ++round) {
    std::erase_if(open, [&](std::uint32_t node) { return nodes.cores[node] <= round; });
    const auto now = std::min(open.size(), ranks - placed.size());
    placed.insert(placed.end(), open.begin(), open.begin() + static_cast<std::ptrdiff_t>(now));
  }
  return placed;
}

}  // namespace

std::span<const PlacementEntry> placements() { return placement_table; }

Placement Placement::parse(const std::string& written) {
  Placement placement;
  for (const PlacementEntry& row : placement_table) {
    placement.kind_ = row.kind;
    if (row.kind != Kind::listed && row.entry.name == written) return placement;
  }
  // A word that is unlikely to be a file name is taken for a misspelt name.
  if (!std::filesystem::exists(written) && written.find_first_of("/.") == std::string::npos) {
    throw Error(unknown_name("placement", written, placements()));
  }
  placement.file_ = written;
  std::istringstream in(support::read_file(written));
  for (std::string node; in >> node;) placement.listed_.push_back(node);
  if (placement.listed_.empty()) throw Error(text(written, ": names no nodes"));
  return placement;
}

void Placement::check_listed(Rank ranks) const {
  if (listed_.size() != static_cast<std::size_t>(ranks)) {
    throw Error(text(file_, ": ", listed_.size(), " node(s) for ", ranks, " ranks: one for each"));
  }
}

Index Placement::nodes_for(Rank ranks, Index cores) const {
  if (kind_ != Kind::listed) return ranks / cores + (ranks % cores != 0 ? 1 : 0);
  check_listed(ranks);
  Index last = 0;
  for (std::size_t rank = 0; rank < listed_.size(); ++rank) {
    const Index node = listed_number(rank);
    constexpr Index most = std::numeric_limits<std::int32_t>::max() - 1;
    if (node < 0 || node > most) {
      throw Error(text(file_, ": the node of rank ", rank, " is ", node, ": from 0 to ", most));
    }
    last = std::max(last, node);
  }
  return last + 1;
}

Index Placement::listed_number(std::size_t rank) const {
  return parse_integer(listed_[rank], text(file_, ": the node of rank ", rank));
}

std::vector<std::uint32_t> Placement::place_listed(Rank ranks, Index nodes,
                                                   const NodeOfRank& node_of,
                                                   const CoresOfNode& cores_of) const {
  check_listed(ranks);
  std::vector<std::uint32_t> placed;
  std::unordered_map<Index, Index> taken;
  for (std::size_t rank = 0; rank < static_cast<std::size_t>(ranks); ++rank) {
    const Index node = node_of(rank);
    if (node < 0 || node >= nodes) {
      throw Error(text(file_, ": rank ", rank, " is placed on '", excerpt(listed_[rank]),
                       "', which is none of the ", nodes, " node(s)"));
    }
    if (++taken[node] > cores_of(node)) {
      throw Error(text(file_, ": rank ", rank, " is one too many for '", excerpt(listed_[rank]),
                       "', which has ", cores_of(node), " core(s)"));
    }
    placed.push_back(static_cast<std::uint32_t>(node));
  }
  return placed;
}

std::vector<std::uint32_t> Placement::place(Rank ranks, const Nodes& nodes) const {
  const auto wanted = static_cast<std::size_t>(ranks);
  const auto count = static_cast<Index>(nodes.cores.size());
  if (kind_ == Kind::listed) {
    std::unordered_map<std::string_view, Index> numbers;
    for (Index node = 0; node < static_cast<Index>(nodes.names.size()); ++node) {
      numbers[nodes.names[static_cast<std::size_t>(node)]] = node;
    }
    return place_listed(
        ranks, count,
        [&](std::size_t rank) {
          if (nodes.names.empty()) return listed_number(rank);
          const auto found = numbers.find(listed_[rank]);
          return found == numbers.end() ? -1 : found->second;
        },
        [&](Index node) { return nodes.cores[static_cast<std::size_t>(node)]; });
  }
  Index cores = 0;
  for (const Index here : nodes.cores) {
    if (cores < ranks) cores += std::min<Index>(here, ranks);
  }
  if (cores < ranks) {
    throw Error(text(cores, " core(s) on ", count, " node(s) for ", ranks, " ranks"));
  }
  return kind_ == Kind::block ? in_blocks(wanted, nodes) : in_turn(wanted, nodes);
}

std::vector<std::uint32_t> Placement::place(Rank ranks, Index cores) const {
  const Index nodes = nodes_for(ranks, cores);
  if (kind_ != Kind::listed) {
    return place(ranks, Nodes{std::vector(static_cast<std::size_t>(nodes), cores), {}});
  }
  return place_listed(
      ranks, nodes, [&](std::size_t rank) { return listed_number(rank); },
      [&](Index) { return cores; });
}

}  // namespace bracket
