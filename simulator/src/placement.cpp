#include "bracket/simulator/placement.hpp"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <numeric>
#include <sstream>
#include <unordered_map>

#include "bracket/model/error.hpp"
#include "bracket/model/file.hpp"

namespace bracket {

namespace {

constexpr PlacementEntry placement_table[] = {
    {{"block", "", "the cores of a node are filled before those of the next", "the default"},
     Placement::Kind::block},
    {{"round-robin", "", "a rank to each node in turn, to those that are not full", "explicit"},
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
  // A word that nobody takes for a file's name is a name misspelt.
  if (!std::filesystem::exists(written) && written.find_first_of("/.") == std::string::npos) {
    throw Error(unknown_name("placement", written, placements()));
  }
  placement.file_ = written;
  std::istringstream in(read_file(written));
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
    const Index node = parse_integer(listed_[rank], text(file_, ": the node of rank ", rank));
    constexpr Index most = std::numeric_limits<std::int32_t>::max() - 1;
    if (node < 0 || node > most) {
      throw Error(text(file_, ": the node of rank ", rank, " is ", node, ": from 0 to ", most));
    }
    last = std::max(last, node);
  }
  return last + 1;
}

std::vector<std::uint32_t> Placement::place(Rank ranks, const Nodes& nodes) const {
  const auto wanted = static_cast<std::size_t>(ranks);
  if (kind_ != Kind::listed) {
    Index cores = 0;
    for (const Index here : nodes.cores) {
      if (cores < ranks) cores += std::min<Index>(here, ranks);
    }
    if (cores < ranks) {
      throw Error(
          text(cores, " core(s) on ", nodes.cores.size(), " node(s) for ", ranks, " ranks"));
    }
    return kind_ == Kind::block ? in_blocks(wanted, nodes) : in_turn(wanted, nodes);
  }
  check_listed(ranks);
  std::unordered_map<std::string, std::uint32_t> number;
  for (std::uint32_t node = 0; node < nodes.names.size(); ++node) number[nodes.names[node]] = node;
  std::vector<std::uint32_t> placed;
  std::vector<Index> taken(nodes.cores.size());
  for (std::size_t rank = 0; rank < wanted; ++rank) {
    const std::string& name = listed_[rank];
    std::size_t node = nodes.cores.size();
    if (!nodes.names.empty()) {
      if (const auto found = number.find(name); found != number.end()) node = found->second;
    } else {
      node =
          static_cast<std::size_t>(parse_integer(name, text(file_, ": the node of rank ", rank)));
    }
    if (node >= nodes.cores.size()) {
      throw Error(text(file_, ": rank ", rank, " is placed on '", name, "', which is none of the ",
                       nodes.cores.size(), " node(s)"));
    }
    if (++taken[node] > nodes.cores[node]) {
      throw Error(text(file_, ": rank ", rank, " is one too many for '", name, "', which has ",
                       nodes.cores[node], " core(s)"));
    }
    placed.push_back(static_cast<std::uint32_t>(node));
  }
  return placed;
}

std::vector<std::uint32_t> Placement::place(Rank ranks, Index cores) const {
  return place(ranks,
               Nodes{std::vector(static_cast<std::size_t>(nodes_for(ranks, cores)), cores), {}});
}

}  // namespace bracket
