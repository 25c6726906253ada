// SPDX-License-Identifier: MIT

// RADTree, the code of the thesis (github.com/stelzch/allreduce).

#include <memory>
#include <strategies/binary_tree.hpp>

#include "peers/peer.hpp"

namespace bracket::peers {

std::vector<Peer> make_peers(MPI_Comm communicator, const Parts& parts) {
  auto counts = parts.counts;
  const auto tree = std::make_shared<BinaryTreeSummation>(static_cast<std::uint64_t>(parts.rank),
                                                          counts, communicator);
  tree->setSummands(parts.own);
  return {{"RADTree", [tree] { return tree->accumulate(); }}};
}

}  // namespace bracket::peers
