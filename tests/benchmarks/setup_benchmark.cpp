// SPDX-License-Identifier: MIT

// Time that a rank takes to set up a plan, without MPI's share: checks, the rank's part of the
// schedule, the program. N = 10^9 on 10 000 ranks, measured for the first, the middle and the last
// rank.

#include <benchmark/benchmark.h>

#include <string>

#include "bracket/model/plan.hpp"
#include "bracket/runtime/program.hpp"

namespace {

using namespace bracket;
using namespace bracket::runtime;

void set_up(benchmark::State& state, const std::string& name, Rank rank) {
  constexpr Index elements = 1'000'000'000;
  constexpr Rank ranks = 10'000;
  const auto order = make_order("tree", elements);
  const auto distribution = make_distribution("upper", elements, ranks);
  const auto plan = make_plan(name);
  const Delivery delivery = Delivery::to_all();
  for (auto _ : state) {
    const Problem problem{order, distribution, delivery, 1};
    benchmark::DoNotOptimize(digest(header_of(problem, *plan)));
    check_fit(problem, *plan);
    const RankPart part = plan->part(problem, rank);
    const Program program(part, {distribution.range(rank), elements},
                          delivery.wanted(rank, ranks, 1));
    benchmark::DoNotOptimize(program.slots());
  }
}

}  // namespace

int main(int argc, char** argv) {
  for (const auto& row : plans()) {
    const std::string name(row.entry.name);
    // A gather of all elements on one rank and the MPI library's own plan have no such part.
    if (name == "gather" || !make_plan(name)->scheduled()) continue;
    for (const Rank rank : {0, 5000, 9999}) {
      benchmark::RegisterBenchmark(
          (name + "/rank:" + std::to_string(rank)).c_str(),
          [name, rank](benchmark::State& state) { set_up(state, name, rank); })
          ->Unit(benchmark::kMicrosecond);
    }
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
