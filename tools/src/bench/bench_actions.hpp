// SPDX-License-Identifier: MIT

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "bench/bench_device.hpp"
#include "bench/bench_field.hpp"
#include "bench/bench_size.hpp"
#include "bracket/input/input.hpp"
#include "bracket/runtime/communicator.hpp"
#include "bracket/runtime/kernel.hpp"
#include "mpi/held_elements.hpp"
#include "mpi/unordered_sums.hpp"

namespace bracket::tools {

/// How the candidates of `bench` compute.
struct BenchMethod {
  const runtime::Kernel* kernel = nullptr;
  int threads = 1;
  BenchShape shape{};
  bool device = false;
};

/// The elements that a rank holds for `bench`, and what is timed over them.
class BenchActions {
 public:
  /// Refers to the communicator.
  BenchActions(const Communicator& world, const BenchMethod& method);

  /// Makes room for the elements of a size. Throws `Error` if memory does not suffice.
  void make_room(const BenchSize& size);

  /// Makes room for the elements of a size, and factors if the shape has products, and reads them.
  void read(const BenchSize& size, const input::Input& input);

  /// Returns the timed action of `entrant`, which puts its result into `sum`. Collective. Throws
  /// `CollectiveError`, which names the entrant.
  std::function<void()> of(const BenchSize::Entrant& entrant, double& sum);

  /// Sum of the absolute values of all that is added, on all ranks. Collective.
  [[nodiscard]] double magnitudes(const BenchSize& size) const;

 private:
  [[nodiscard]] Range held(const BenchSize::Sharing& sharing) const {
    return sharing.distribution.range(world_.rank());
  }
  [[nodiscard]] std::shared_ptr<BenchField> field_of(const BenchSize::Sharing& sharing) const;
  std::function<void()> by_reducer(const BenchSize::Entrant& entrant, double& sum);

  const Communicator& world_;
  BenchMethod method_;
  UnorderedSums unordered_;
  HeldElements elements_;
  HeldElements factors_;
  std::optional<BenchDevice> device_;
};

}  // namespace bracket::tools
