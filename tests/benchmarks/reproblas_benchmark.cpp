// SPDX-License-Identifier: MIT

// Compares binned sums and dot products with those of ReproBLAS, whose sums also have three bins of
// 40 bits. Each takes turns with the other within one measurement. `vs_reproblas` is the median of
// the ratios of their times, turn by turn: above 1, Bracket is faster. `lowest` and `highest` are
// the bounds of the middle half of these ratios.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "bracket/runtime/binned.hpp"
#include "bracket/runtime/kernel.hpp"
#include "bracket/support/order_statistics.hpp"

extern "C" {
#include <reproBLAS.h>
}

namespace {

using namespace bracket::runtime;
using bracket::Index;

constexpr int bins = 3;

std::vector<double> numbers(Index count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<double> made(static_cast<std::size_t>(count));
  std::generate(made.begin(), made.end(), [&] { return uniform(random); });
  return made;
}

double seconds_per_call(const std::function<double()>& action, Index calls) {
  const auto begin = std::chrono::steady_clock::now();
  for (Index i = 0; i < calls; ++i) benchmark::DoNotOptimize(action());
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() /
         static_cast<double>(calls);
}

void compare(benchmark::State& state, const Kernel& kernel, bool products) {
  const Index count = state.range(0);
  const auto n = static_cast<int>(count);
  const auto x = numbers(count, 1);
  const auto y = numbers(count, 2);
  const BinnedSum<bins> sum{&kernel};
  const std::function<double()> ours = [&] {
    return sum.finish(products ? sum.fold_products(x.data(), y.data(), count, 1)
                               : sum.fold(x.data(), count, 1, 0));
  };
  const std::function<double()> theirs = [&] {
    return products ? reproBLAS_rddot(bins, n, x.data(), 1, y.data(), 1)
                    : reproBLAS_rdsum(bins, n, x.data(), 1);
  };
  const Index calls = std::max<Index>(1, 200'000 / count);
  std::vector<double> of_ours;
  std::vector<double> ratios;
  for (auto _ : state) {
    seconds_per_call(theirs, 1 + calls / 10);
    const double reproblas = seconds_per_call(theirs, calls);
    seconds_per_call(ours, 1 + calls / 10);
    of_ours.push_back(seconds_per_call(ours, calls));
    ratios.push_back(reproblas / of_ours.back());
    state.SetIterationTime(of_ours.back());
  }
  state.counters["us"] = bracket::support::quantile(of_ours, 0.5) * 1e6;
  state.counters["vs_reproblas"] = bracket::support::quantile(ratios, 0.5);
  state.counters["lowest"] = bracket::support::quantile(ratios, 0.25);
  state.counters["highest"] = bracket::support::quantile(ratios, 0.75);
}

}  // namespace

int main(int argc, char** argv) {
  for (const Kernel& kernel : kernels()) {
    if (!kernel.supported()) continue;
    for (const bool products : {false, true}) {
      auto* const added = benchmark::RegisterBenchmark(
          (std::string(kernel.name) + (products ? "/dot" : "/sum")).c_str(),
          [&kernel, products](benchmark::State& state) { compare(state, kernel, products); });
      added->ArgName("elements")->UseManualTime()->Iterations(15);
      for (const Index count :
           {1, 2, 4, 8, 16, 32, 64, 100, 256, 1000, 10'000, 100'000, 1'000'000, 16'777'216}) {
        added->Arg(count);
      }
    }
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
