// SPDX-License-Identifier: MIT

#pragma once

#include <mpi.h>

#include <functional>
#include <string>
#include <vector>

namespace bracket::peers {

/// The elements that are summed: each rank has a part, in the sequence of the ranks.
struct Parts {
  std::vector<int> counts;  ///< for each rank
  int rank = 0;             ///< this one
  std::vector<double> own;  ///< its elements

  /// The number of elements before those of each rank.
  [[nodiscard]] std::vector<int> begins() const {
    std::vector<int> all{0};
    for (const int count : counts) all.push_back(all.back() + count);
    all.pop_back();
    return all;
  }
};

/// A reproducible sum of another library.
struct Peer {
  std::string name;
  std::function<double()> sum;  ///< collective; every rank gets the sum
};

/// The sums of one library. Collective. `parts` outlives them. Each program links one definition.
std::vector<Peer> make_peers(MPI_Comm communicator, const Parts& parts);

}  // namespace bracket::peers
