// SPDX-License-Identifier: MIT

#include "mpi/unordered_sums.hpp"

#include <numeric>

#include "bracket/runtime/threads.hpp"
#include "irreproducible_sum.hpp"

namespace bracket::tools {

namespace {

double accumulated(const double* elements, Index count) {
  return std::accumulate(elements, elements + count, 0.0);
}

double accumulated_products(const double* elements, const double* factors, Index count) {
  return std::inner_product(elements, elements + count, factors, 0.0);
}

}  // namespace

runtime::ElementSum sum_of(Baseline baseline, const runtime::Kernel& kernel) {
  return baseline == Baseline::accumulate ? accumulated
                                          : baseline::irreproducible_sum<double>(kernel);
}

runtime::ProductSum dot_of(Baseline baseline, const runtime::Kernel& kernel) {
  return baseline == Baseline::accumulate ? accumulated_products
                                          : baseline::irreproducible_dot(kernel);
}

double UnorderedSums::sum(Index pieces, const std::function<double(Range some)>& of_some) {
  const auto threads = static_cast<Index>(slices_.size());
  if (threads == 1) return combine(of_some({0, pieces}));
  runtime::for_each_part(static_cast<int>(threads), threads, [&](Index part) {
    slices_[static_cast<std::size_t>(part)] = of_some(block(pieces, part, threads));
  });
  return combine(std::accumulate(slices_.begin(), slices_.end(), 0.0));
}

double UnorderedSums::sum(Baseline baseline, std::span<const double> elements) {
  const runtime::ElementSum sum_elements = sum_of(baseline, kernel_);
  return sum(static_cast<Index>(elements.size()),
             [&](Range some) { return sum_elements(elements.data() + some.begin, some.size()); });
}

double UnorderedSums::combine(double value) const {
  double sum = 0;
  if (delivery_.collective == Collective::all_reduce) {
    check_mpi(MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, world_.handle()),
              "MPI_Allreduce");
  } else {
    check_mpi(MPI_Reduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, delivery_.root, world_.handle()),
              "MPI_Reduce");
  }
  return sum;
}

}  // namespace bracket::tools
