// SPDX-License-Identifier: MIT

// Finds the rank that holds an element: the distribution's lookup beside the two of the thesis's
// figure 3.6, a scan of the start indices and a std::map of them.

#include <benchmark/benchmark.h>

#include <map>
#include <random>
#include <vector>

#include "bracket/model/distribution.hpp"

namespace {

using bracket::Distribution;
using bracket::Index;
using bracket::Rank;

constexpr Index elements = 1'000'000'000;

template <class Lookup>
void measure(benchmark::State& state, const Lookup& lookup) {
  std::mt19937_64 random(1);
  std::uniform_int_distribution<Index> uniform(0, elements - 1);
  std::vector<Index> asked(4096);
  for (auto& x : asked) x = uniform(random);
  std::size_t next = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(lookup(asked[next]));
    next = (next + 1) % asked.size();
  }
}

Distribution distribution_of(const benchmark::State& state) {
  return bracket::upper_distribution(elements, static_cast<Rank>(state.range(0)));
}

void owner(benchmark::State& state) {
  const Distribution distribution = distribution_of(state);
  measure(state, [&](Index x) { return distribution.owner(x); });
}

void scan(benchmark::State& state) {
  const Distribution distribution = distribution_of(state);
  const auto& begins = distribution.boundaries();
  measure(state, [&](Index x) {
    Rank rank = 0;
    while (begins[static_cast<std::size_t>(rank) + 1] <= x) ++rank;
    return rank;
  });
}

void map(benchmark::State& state) {
  const Distribution distribution = distribution_of(state);
  std::map<Index, Rank> ranks;
  for (Rank rank = 0; rank < distribution.ranks(); ++rank) {
    ranks[distribution.range(rank).begin] = rank;
  }
  measure(state, [&](Index x) { return std::prev(ranks.upper_bound(x))->second; });
}

BENCHMARK(owner)->RangeMultiplier(8)->Range(2, 1 << 16)->ArgName("ranks");
BENCHMARK(map)->RangeMultiplier(8)->Range(2, 1 << 16)->ArgName("ranks");
BENCHMARK(scan)->RangeMultiplier(8)->Range(2, 1 << 16)->ArgName("ranks");

}  // namespace

BENCHMARK_MAIN();
