#pragma once

#include <span>
#include <vector>

#include "bracket/model/range.hpp"
#include "bracket/runtime/communicator.hpp"
#include "bracket/runtime/kernel.hpp"

namespace bracket::tools {

/// Sums of a program without reproducibility: their bits depend on the ranks and the threads. Each
/// sum is collective and ends on every rank.
class UnorderedSums {
 public:
  UnorderedSums(const Communicator& world, const runtime::Kernel& kernel, int threads)
      : world_(world), kernel_(kernel), slices_(static_cast<std::size_t>(threads)) {}

  /// Sums with vector instructions and MPI_Allreduce.
  [[nodiscard]] double by_vectors(std::span<const double> elements);

  /// Sums with `std::accumulate` and MPI_Allreduce.
  [[nodiscard]] double by_accumulate(std::span<const double> elements);

  /// Sums one number of each rank with MPI_Allreduce, which may combine them in any order.
  [[nodiscard]] double all_reduce(double value) const;

 private:
  template <class SumOf>
  double of_slices(std::span<const double> elements, SumOf sum_of);

  const Communicator& world_;
  const runtime::Kernel& kernel_;
  std::vector<double> slices_;  // sums, one for each thread
};

}  // namespace bracket::tools
