// SPDX-License-Identifier: MIT

#include "reveal/library_sum.hpp"

namespace bracket::tools {

LibrarySum::LibrarySum(const Communicator& world, SumCollective collective, Rank root, Index items)
    : world_(world),
      collective_(collective),
      root_(root),
      results_(static_cast<std::size_t>(items)) {
  const Rank rank = world.rank();
  delivered_ = {0, items};
  switch (collective) {
    case SumCollective::reduce:
      if (rank != root) delivered_ = {};
      break;
    case SumCollective::reduce_scatter:
      for (Rank other = 0; other < world.size(); ++other) {
        const Range share = block(items, other, world.size());
        counts_.push_back(static_cast<int>(share.size()));
        begins_.push_back(static_cast<int>(share.begin));
      }
      delivered_ = block(items, rank, world.size());
      break;
    default:
      break;
  }
}

void LibrarySum::run(std::span<const double> operands) {
  const double* const from = operands.data();
  double* const to = results_.data() + delivered_.begin;
  const auto count = static_cast<int>(items());
  switch (collective_) {
    case SumCollective::all_reduce:
      return check_mpi(MPI_Allreduce(from, to, count, MPI_DOUBLE, MPI_SUM, world_.handle()),
                       "MPI_Allreduce");
    case SumCollective::reduce:
      return check_mpi(MPI_Reduce(from, to, count, MPI_DOUBLE, MPI_SUM, root_, world_.handle()),
                       "MPI_Reduce");
    case SumCollective::reduce_scatter:
      return check_mpi(
          MPI_Reduce_scatter(from, to, counts_.data(), MPI_DOUBLE, MPI_SUM, world_.handle()),
          "MPI_Reduce_scatter");
    case SumCollective::scan:
      return check_mpi(MPI_Scan(from, to, count, MPI_DOUBLE, MPI_SUM, world_.handle()), "MPI_Scan");
  }
}

Rank LibrarySum::viewer(Index item) const {
  switch (collective_) {
    case SumCollective::reduce:
      return root_;
    case SumCollective::scan:
      return world_.size() - 1;
    case SumCollective::reduce_scatter:
      for (Rank rank = 0;; ++rank) {
        if (block(items(), rank, world_.size()).contains(item)) return rank;
      }
    default:
      return 0;
  }
}

void LibrarySum::share_views(std::vector<double>& views) const {
  views.resize(results_.size());
  if (collective_ == SumCollective::reduce_scatter) {
    check_mpi(MPI_Allgatherv(results_.data() + delivered_.begin,
                             static_cast<int>(delivered_.size()), MPI_DOUBLE, views.data(),
                             counts_.data(), begins_.data(), MPI_DOUBLE, world_.handle()),
              "MPI_Allgatherv");
    return;
  }
  const Rank from = viewer(0);
  if (world_.rank() == from) views = results_;
  check_mpi(MPI_Bcast(views.data(), static_cast<int>(items()), MPI_DOUBLE, from, world_.handle()),
            "MPI_Bcast");
}

}  // namespace bracket::tools
