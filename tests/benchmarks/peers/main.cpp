// SPDX-License-Identifier: MIT

// Compares Bracket's all-reduce with those of another library, and with a sum that is not
// reproducible. Runs by mpiexec on any number of ranks. The candidates take turns. A ratio divides
// the median of a candidate by that of the irreproducible sum: above 1 it is slower. The last
// column tells whether the first sum has the bits of the tree order, and those of `binned`.

#include <fmt/format.h>
#include <mpi.h>

#include <bit>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "bracket/runtime/kernel.hpp"
#include "bracket/runtime/measure.hpp"
#include "bracket/runtime/reducer.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "irreproducible_sum.hpp"
#include "peers/peer.hpp"
#include "run_on_ranks.hpp"

namespace {

using namespace bracket;
using namespace bracket::runtime;

/// Throws `Error` for numbers of elements that not all libraries can add.
peers::Parts make_parts(const Communicator& world, Index elements) {
  const Index most = Index{std::numeric_limits<int>::max()} * world.size();
  if (elements < world.size() || elements > most) {
    throw Error(
        text(elements, " elements: there must be at least one for each rank, and at most ", most));
  }
  peers::Parts parts;
  parts.rank = world.rank();
  for (Rank rank = 0; rank < world.size(); ++rank) {
    const Index more = rank < elements % world.size() ? 1 : 0;
    parts.counts.push_back(static_cast<int>(elements / world.size() + more));
  }
  std::mt19937_64 random(static_cast<std::uint64_t>(world.rank()));
  std::uniform_real_distribution<double> uniform(-1, 1);
  parts.own.resize(static_cast<std::size_t>(parts.counts[static_cast<std::size_t>(world.rank())]));
  for (double& element : parts.own) element = uniform(random);
  return parts;
}

void measure(const Communicator& world, Index elements) {
  const auto parts = make_parts(world, elements);
  const auto own = static_cast<Index>(parts.own.size());
  const auto sum_by_vectors = baseline::irreproducible_sum<double>(select_kernel());
  Reducer<double> tree(MPI_COMM_WORLD, Layout::contiguous(own));
  Reducer<double> binned(MPI_COMM_WORLD, Layout::contiguous(own), {.algorithm = "binned"});
  std::vector<peers::Peer> candidates = {
      {"vectors + MPI_Allreduce",
       [&] {
         const double mine = sum_by_vectors(parts.own.data(), own);
         double all = 0;
         MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
         return all;
       }},
      {"Bracket, tree", [&] { return *tree.run(parts.own); }},
      {"Bracket, binned", [&] { return *binned.run(parts.own); }}};
  for (auto& peer : peers::make_peers(MPI_COMM_WORLD, parts)) candidates.push_back(std::move(peer));

  std::vector<double> first;
  std::vector<std::function<void()>> actions;
  volatile double sink = 0;
  for (const auto& candidate : candidates) {
    first.push_back(candidate.sum());
    actions.push_back([&] { sink = candidate.sum(); });
  }
  const auto samples = time_side_by_side(world, actions, {});
  if (world.rank() != 0) return;
  const double base = summarize(samples[0].seconds).median;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const Summary seconds = summarize(samples[i].seconds);
    const auto same = [&](std::size_t other) {
      return std::bit_cast<std::uint64_t>(first[i]) == std::bit_cast<std::uint64_t>(first[other]);
    };
    fmt::print("{:>10} {:<24} {:>10.2f} us ({:.2f} to {:.2f})  ratio {:.2f} {}{}\n", elements,
               candidates[i].name, seconds.median * 1e6, seconds.low * 1e6, seconds.high * 1e6,
               seconds.median / base, same(1) ? " tree" : "", same(2) ? " binned" : "");
  }
}

}  // namespace

/// Usage: benchmark_PEER [ELEMENTS...]
int main(int argc, char** argv) {
  return bracket::benchmarks::run_on_ranks(
      argc, argv, {1'000, 10'000, 100'000, 1'000'000, 4'200'000, 20'000'000}, measure);
}
