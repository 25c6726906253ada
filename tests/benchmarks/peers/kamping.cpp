// SPDX-License-Identifier: MIT

// The plugin for reproducible reductions of KaMPIng (github.com/kamping-site/kamping).

#include <kamping/communicator.hpp>

#include <kamping/checking_casts.hpp>
#include <kamping/collectives/bcast.hpp>
#include <kamping/mpi_ops.hpp>
#include <kamping/named_parameters.hpp>
#include <kamping/plugin/reproducible_reduce.hpp>
#include <memory>

#include "peers/peer.hpp"

namespace bracket::peers {

std::vector<Peer> make_peers(MPI_Comm communicator, const Parts& parts) {
  using Communicator =
      kamping::Communicator<std::vector, kamping::plugin::ReproducibleReducePlugin>;
  const auto plain = std::make_shared<Communicator>(communicator);
  const auto make = [&] {
    return plain->make_reproducible_comm<double>(kamping::send_counts(parts.counts),
                                                 kamping::recv_displs(parts.begins()));
  };
  const auto reproducible = std::make_shared<decltype(make())>(make());
  return {{"KaMPIng's plugin", [plain, reproducible, &parts] {
             return reproducible->reproducible_reduce(kamping::send_buf(parts.own),
                                                      kamping::op(kamping::ops::plus<>{}));
           }}};
}

}  // namespace bracket::peers
