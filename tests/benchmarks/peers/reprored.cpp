// SPDX-License-Identifier: MIT

// The sums of ReproRed (github.com/stelzch/reprored), and its sum by ReproBLAS. Each has a buffer
// of its own, which the trees overwrite: only their first sum is that of the elements.

#include <algorithm>
#include <binary_tree_summation.hpp>
#include <dual_tree_summation.hpp>
#include <memory>
#include <reproblas_summation.hpp>

#include "peers/peer.hpp"

namespace bracket::peers {

std::vector<Peer> make_peers(MPI_Comm communicator, const Parts& parts) {
  const auto rank = static_cast<std::uint64_t>(parts.rank);
  const auto begins = parts.begins();
  std::vector<region> regions;
  for (std::size_t i = 0; i < begins.size(); ++i) {
    regions.emplace_back(static_cast<std::uint64_t>(begins[i]),
                         static_cast<std::uint64_t>(parts.counts[i]));
  }
  std::vector<Peer> peers;
  const auto add = [&](std::string name, std::shared_ptr<Summation> summation) {
    std::copy(parts.own.begin(), parts.own.end(), summation->getBuffer());
    peers.push_back({std::move(name), [summation] { return summation->accumulate(); }});
  };
  add("ReproRed, dual tree", std::make_shared<DualTreeSummation>(rank, regions, communicator));
  add("ReproRed, binary tree",
      std::make_shared<BinaryTreeSummation>(rank, regions, std::uint64_t{1}, communicator));
  add("ReproBLAS, by ReproRed",
      std::make_shared<ReproblasSummation>(communicator, parts.own.size()));
  return peers;
}

}  // namespace bracket::peers
