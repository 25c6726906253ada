// SPDX-License-Identifier: MIT

#pragma once

#include <functional>
#include <span>
#include <vector>

#include "bracket/model/operation.hpp"
#include "bracket/model/schedule.hpp"
#include "bracket/runtime/calibrate.hpp"
#include "bracket/runtime/communicator.hpp"
#include "bracket/runtime/kernel.hpp"

namespace bracket::tools {

/// Sums of a program without reproducibility: their bits depend on the ranks and the threads. Each
/// sum is collective. It ends on every rank or, for a reduce, on the root; other ranks get 0.
class UnorderedSums {
 public:
  UnorderedSums(const Communicator& world, const runtime::Kernel& kernel, int threads,
                const Delivery& delivery = Delivery::to_all())
      : world_(world),
        kernel_(kernel),
        delivery_(delivery),
        slices_(static_cast<std::size_t>(threads)) {}

  /// Adds this rank's elements as the baseline does, and then the ranks' sums by `combine`.
  [[nodiscard]] double sum(Baseline baseline, std::span<const double> elements);

  /// Adds this rank's `pieces` pieces in the threads, each thread some of them by `of_some`, and
  /// then the ranks' sums by `combine`.
  [[nodiscard]] double sum(Index pieces, const std::function<double(Range some)>& of_some);

  /// Sums one number of each rank with the MPI library's collective, which may use any order.
  [[nodiscard]] double combine(double value) const;

 private:
  const Communicator& world_;
  const runtime::Kernel& kernel_;
  Delivery delivery_;
  std::vector<double> slices_;  // sums, one for each thread
};

/// The function by which a baseline sums a rank's elements in one thread.
runtime::ElementSum sum_of(Baseline baseline, const runtime::Kernel& kernel);

/// The same for dot products.
runtime::ProductSum dot_of(Baseline baseline, const runtime::Kernel& kernel);

}  // namespace bracket::tools
