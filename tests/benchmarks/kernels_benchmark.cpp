// SPDX-License-Identifier: MIT

// Compares folds in the tree order and in bins with the irreproducible sums of the same kernel, of
// one stream and of four, and with std::accumulate. All take turns within one measurement. The
// counters are ratios of their times, above 1 where the fold is faster. `vs_irreproducible` is the
// median of the ratios to the faster one of the two irreproducible sums, turn by turn. `lowest` and
// `highest` are the bounds of the middle half of these ratios.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "bracket/runtime/binned.hpp"
#include "bracket/runtime/double_double.hpp"
#include "bracket/runtime/kernel.hpp"
#include "bracket/runtime/stochastic.hpp"
#include "bracket/support/order_statistics.hpp"
#include "irreproducible_sum.hpp"

namespace {

using namespace bracket::runtime;
using bracket::Index;

template <class Number>
using Fold = typename Folds<Number>::Fold;

/// Elements at an address `shift` elements above a multiple of a page.
template <class Number>
class Elements {
 public:
  Elements(Index count, Index shift)
      : room_(static_cast<Number*>(std::aligned_alloc(4096, bytes(count + shift))), &std::free),
        first_(room_.get() + shift) {
    std::mt19937_64 random(1);
    // These factors keep products near one.
    std::uniform_real_distribution<Number> uniform(Number(0.999), Number(1.001));
    std::generate_n(first_, count, [&] { return uniform(random); });
  }
  [[nodiscard]] const Number* get() const { return first_; }

 private:
  static std::size_t bytes(Index count) {
    return (static_cast<std::size_t>(count) * sizeof(Number) / 4096 + 1) * 4096;
  }
  std::unique_ptr<Number, decltype(&std::free)> room_;
  Number* first_;
};

/// std::accumulate behind a call, like the folds.
template <class Number>
[[gnu::noinline]] Number accumulate(const Number* elements, Index count) {
  return std::accumulate(elements, elements + count, Number(0));
}

template <class Number, class Candidate>
void compare(benchmark::State& state, const Kernel& kernel, Candidate fold, Index shift) {
  using Clock = std::chrono::steady_clock;
  const Index count = state.range(0);
  const Elements<Number> elements(count, shift);
  const Index calls = std::max<Index>(1, 100'000 / count);  // enough for the clock
  // A processor changes its frequency, for about a millisecond, with the width of the vectors and
  // the density of additions. The lead-in lets each candidate run at its own frequency.
  constexpr std::chrono::milliseconds lead_in(3);
  const auto seconds = [&](auto candidate) {
    const auto run = [&] {
      for (Index i = 0; i < calls; ++i) {
        benchmark::DoNotOptimize(candidate(elements.get(), count));
      }
    };
    for (const auto begin = Clock::now(); Clock::now() - begin < lead_in;) run();
    const auto start = Clock::now();
    run();
    return std::chrono::duration<double>(Clock::now() - start).count() / static_cast<double>(calls);
  };
  Fold<Number> left_to_right = accumulate<Number>;
  benchmark::DoNotOptimize(left_to_right);
  const auto stream = bracket::baseline::irreproducible_sum<Number>(kernel);
  const auto streams = bracket::baseline::irreproducible_sum_of_streams<Number>(kernel);
  std::vector<double> of_fold;
  std::vector<double> of_stream;
  std::vector<double> of_streams;
  std::vector<double> of_accumulate;
  for (auto _ : state) {
    of_accumulate.push_back(seconds(left_to_right));
    of_stream.push_back(seconds(stream));
    of_streams.push_back(seconds(streams));
    of_fold.push_back(seconds(fold));
    state.SetIterationTime(of_fold.back() * static_cast<double>(calls));
  }
  const double taken = bracket::support::quantile(of_fold, 0.5);
  state.counters["us"] = taken * 1e6;
  state.counters["GB/s"] = static_cast<double>(count) * sizeof(Number) / taken * 1e-9;
  const bool one_stream =
      bracket::support::quantile(of_stream, 0.5) < bracket::support::quantile(of_streams, 0.5);
  std::vector<double> ratios;
  std::ranges::transform(one_stream ? of_stream : of_streams, of_fold, std::back_inserter(ratios),
                         std::divides());
  state.counters["vs_irreproducible"] = bracket::support::quantile(ratios, 0.5);
  state.counters["lowest"] = bracket::support::quantile(ratios, 0.25);
  state.counters["highest"] = bracket::support::quantile(ratios, 0.75);
  state.counters["vs_accumulate"] = bracket::support::quantile(of_accumulate, 0.5) / taken;
}

template <class Number>
void add(const Kernel& kernel, const std::string& type) {
  const Folds<Number>& folds = kernel.folds<Number>();
  const auto add_one = [&](const std::string& name, auto fold, Index shift) {
    auto* const added = benchmark::RegisterBenchmark(
        (std::string(kernel.name) + "/" + type + "/" + name).c_str(),
        [=](benchmark::State& state) { compare<Number>(state, kernel, fold, shift); });
    added->ArgName("elements")->UseManualTime()->Iterations(15);
    for (const Index count :
         {1,    2,    3,    5,     7,     8,     12,     16,     24,      32,      63,
          1000, 1024, 8192, 10000, 32768, 65536, 100000, 262144, 1048576, 4194304, 16777216}) {
      added->Arg(count);
    }
  };
  add_one("sum", folds.sum, 0);
  add_one("sum_misaligned", folds.sum, 1);
  for (const Index chunk : {16, 64, 256}) {
    const auto fold = [sum = folds.sum_in_chunks, chunk](const Number* x, Index n) {
      return sum(x, n, chunk);
    };
    add_one("sum_in_chunks_" + std::to_string(chunk), fold, 0);
    add_one("sum_in_chunks_" + std::to_string(chunk) + "_misaligned", fold, 1);
  }
  add_one("product", folds.product, 0);
  add_one("minimum", folds.minimum, 0);
  add_one("maximum", folds.maximum, 0);
  if constexpr (std::is_same_v<Number, double>) {
    add_one("double_double", kernel.double_double, 0);
    add_one(
        "stochastic", [&kernel](const double* x, Index n) { return kernel.stochastic(x, n, 0); },
        0);
    const auto add_binned = [&](const std::string& name, auto sum) {
      add_one(
          name, [=](const double* x, Index n) { return sum.finish(sum.fold(x, n, 1, 0)); }, 0);
    };
    add_binned("binned_2", BinnedSum<2>{&kernel});
    add_binned("binned_3", BinnedSum<3>{&kernel});
  }
}

}  // namespace

int main(int argc, char** argv) {
  for (const auto& kernel : kernels()) {
    if (!kernel.supported()) continue;
    add<double>(kernel, "float64");
    add<float>(kernel, "float32");
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
