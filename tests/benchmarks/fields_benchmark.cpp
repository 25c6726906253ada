// SPDX-License-Identifier: MIT

// Compares reducers for dot products, fields with ghosts and several fields at once with code that
// is not reproducible. Runs by mpiexec on any number of ranks. The candidates of a group take
// turns. A ratio divides the median of a candidate by that of the first one: above 1 it is slower.

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <random>
#include <vector>

#include "bracket/runtime/kernel.hpp"
#include "bracket/runtime/measure.hpp"
#include "bracket/runtime/reducer.hpp"
#include "irreproducible_sum.hpp"
#include "run_on_ranks.hpp"

namespace {

using namespace bracket;
using namespace bracket::runtime;

/// A rank's rows of cells, with ghosts before and after each row.
struct Ghosted {
  static constexpr Index ghosts = 2;
  Index rows, cells;

  [[nodiscard]] Layout layout() const {
    return {{rows, cells + 2 * ghosts}, {{0, rows}, {ghosts, ghosts + cells}}, {}};
  }
  [[nodiscard]] double sum_by_vectors(const Kernel& kernel, const double* field) const {
    const auto sum_of = baseline::irreproducible_sum<double>(kernel);
    double sum = 0;
    for (Index row = 0; row < rows; ++row) {
      sum += sum_of(field + row * (cells + 2 * ghosts) + ghosts, cells);
    }
    return sum;
  }
};

double all_reduce(double mine, MPI_Op op = MPI_SUM) {
  double all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, op, MPI_COMM_WORLD);
  return all;
}

struct Candidate {
  const char* name;
  std::function<void()> action;
};

/// Measures the candidates in turn and prints each with its ratio to the first.
void compare(const Communicator& world, const char* what, Index elements,
             const std::vector<Candidate>& candidates) {
  std::vector<std::function<void()>> actions;
  for (const Candidate& candidate : candidates) actions.push_back(candidate.action);
  const auto samples = time_side_by_side(world, actions, {});
  if (world.rank() != 0) return;
  const double first = summarize(samples[0].seconds).median;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const Summary seconds = summarize(samples[i].seconds);
    fmt::print("{:<16} {:>10} {:<34} {:>10.2f} us ({:.2f} to {:.2f})  ratio {:.2f}\n", what,
               elements, candidates[i].name, seconds.median * 1e6, seconds.low * 1e6,
               seconds.high * 1e6, seconds.median / first);
  }
}

void measure(const Communicator& world, Index elements) {
  const Index own = elements / world.size();
  std::mt19937_64 random(static_cast<std::uint64_t>(world.rank()));
  std::uniform_real_distribution<double> uniform(-1, 1);
  const auto numbers = [&](Index count) {
    std::vector<double> made(static_cast<std::size_t>(count));
    std::generate(made.begin(), made.end(), [&] { return uniform(random); });
    return made;
  };
  const auto x = numbers(own);
  const auto y = numbers(own);
  const Layout contiguous = Layout::contiguous(own);
  volatile double sink = 0;

  const Kernel& kernel = select_kernel();
  const auto dot_by_vectors = baseline::irreproducible_dot(kernel);
  Reducer<double> dot(MPI_COMM_WORLD, Field::products(contiguous, contiguous));
  compare(world, "dot product", elements,
          {{"vectors + MPI_Allreduce",
            [&] { sink = all_reduce(dot_by_vectors(x.data(), y.data(), own)); }},
           {"std::inner_product + MPI_Allreduce",
            [&] { sink = all_reduce(std::inner_product(x.begin(), x.end(), y.begin(), 0.0)); }},
           {"reducer, tree", [&] { sink = *dot.run(x, y); }}});

  const Ghosted grid{std::max<Index>(1, own / 100), std::min<Index>(own, 100)};
  const auto field = numbers(grid.rows * (grid.cells + 2 * Ghosted::ghosts));
  Reducer<double> cells(MPI_COMM_WORLD, grid.layout());
  compare(world, "rows with ghosts", grid.rows * grid.cells * world.size(),
          {{"vectors + MPI_Allreduce",
            [&] { sink = all_reduce(grid.sum_by_vectors(kernel, field.data())); }},
           {"reducer, tree", [&] { sink = *cells.run(field); }}});

  const std::vector<float> narrow(x.begin(), x.end());
  const auto widened_by_vectors = baseline::widened_irreproducible_sum(kernel);
  Reducer<float> widened(MPI_COMM_WORLD, contiguous, {.widened = true});
  Reducer<float> binned(MPI_COMM_WORLD, contiguous, {.algorithm = "binned"});
  compare(world, "float32 as float64", elements,
          {{"vectors + MPI_Allreduce",
            [&] { sink = all_reduce(widened_by_vectors(narrow.data(), own)); }},
           {"reducer, tree, widened", [&] { sink = *widened.run(narrow); }},
           {"reducer, binned", [&] { sink = *binned.run(narrow); }}});

  Reducer<double> sum(MPI_COMM_WORLD, contiguous);
  Reducer<double, Maximum> most(MPI_COMM_WORLD, contiguous);
  Reducer<double> fused(MPI_COMM_WORLD, {Field(contiguous), Field::products(contiguous, contiguous),
                                         Field(contiguous).by(Op::maximum)});
  std::array<double, 3> results{};
  compare(world, "sum, dot, max", elements,
          {{"three reducers",
            [&] {
              results[0] = *sum.run(x);
              results[1] = *dot.run(x, y);
              results[2] = *most.run(x);
            }},
           {"one reducer of three fields", [&] {
              fused.run({{x}, {x, y}, {x}}, results);
            }}});
  sink = results[0];
}

}  // namespace

/// Usage: benchmark_fields [ELEMENTS...]
int main(int argc, char** argv) {
  return bracket::benchmarks::run_on_ranks(argc, argv, {1'000, 100'000, 1'000'000, 20'000'000},
                                           measure);
}
