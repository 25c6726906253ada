// SPDX-License-Identifier: MIT

#include "accumulator/shares.hpp"

#include <algorithm>
#include <utility>

#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

namespace bracket::runtime {

std::vector<Share> all_shares(const Communicator& ranks, const Share& own) {
  static_assert(sizeof(Share) == 3 * sizeof(Index));
  std::vector<Share> all(static_cast<std::size_t>(ranks.size()));
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(
      MPI_Iallgather(&own, 3, MPI_INT64_T, all.data(), 3, MPI_INT64_T, ranks.handle(), &request),
      "MPI_Iallgather");
  wait(request);
  return all;
}

std::optional<Distribution> distribution_of(const std::vector<Share>& shares) {
  // Ranks in element order. An empty rank stays behind the rank below it.
  std::vector<std::pair<Index, Rank>> sequence;
  Index begin = 0;
  for (std::size_t rank = 0; rank < shares.size(); ++rank) {
    if (!shares[rank].elements.empty()) begin = shares[rank].elements.begin;
    sequence.emplace_back(begin, static_cast<Rank>(rank));
  }
  std::sort(sequence.begin(), sequence.end());
  std::vector<Index> counts;
  std::vector<Rank> order;
  Index next = 0;
  for (const auto& [position, rank] : sequence) {
    const Range range = shares[static_cast<std::size_t>(rank)].elements;
    if (!range.empty() && range.begin != next) {
      throw Error(text("the accumulator of rank ", rank, " begins at the global index ",
                       range.begin, ", the elements before it end at ", next,
                       ": make each accumulator with the global index of its first element, or "
                       "use binned, for which elements have no sequence"));
    }
    next += range.size();
    counts.push_back(range.size());
    order.push_back(rank);
  }
  if (next == 0) return std::nullopt;
  return Distribution::from_counts(counts).with_rank_order(std::move(order));
}

}  // namespace bracket::runtime
