#include "bench/unordered_sums.hpp"

#include <numeric>

#include "bracket/runtime/threads.hpp"
#include "irreproducible_sum.hpp"

namespace bracket::tools {

template <class SumOf>
double UnorderedSums::of_slices(std::span<const double> elements, SumOf sum_of) {
  const auto count = static_cast<Index>(elements.size());
  const auto threads = static_cast<Index>(slices_.size());
  if (threads == 1) return sum_of(elements.data(), count);
  runtime::for_each_part(static_cast<int>(threads), threads, [&](Index part) {
    const Range slice = block(count, part, threads);
    slices_[static_cast<std::size_t>(part)] = sum_of(elements.data() + slice.begin, slice.size());
  });
  return std::accumulate(slices_.begin(), slices_.end(), 0.0);
}

double UnorderedSums::by_vectors(std::span<const double> elements) {
  return all_reduce(of_slices(elements, baseline::irreproducible_sum<double>(kernel_)));
}

double UnorderedSums::by_accumulate(std::span<const double> elements) {
  return all_reduce(of_slices(elements, [](const double* slice, Index count) {
    return std::accumulate(slice, slice + count, 0.0);
  }));
}

double UnorderedSums::all_reduce(double value) const {
  double sum = 0;
  check_mpi(MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, world_.handle()), "MPI_Allreduce");
  return sum;
}

}  // namespace bracket::tools
