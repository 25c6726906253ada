// SPDX-License-Identifier: MIT

#include <bracket/runtime/read_plan_file.hpp>
#include <bracket/runtime/reducer.hpp>
#include <bracket/support/file.hpp>
#include <iostream>
#include <nlohmann/json.hpp>
#include <vector>

// Writes a plan file for its number of ranks, then reduces by it.
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    const bracket::Communicator world(MPI_COMM_WORLD);
    constexpr bracket::Index elements = 7;
    if (world.rank() == 0) {
      bracket::PlanFile file;
      file.objective = "score";
      file.ranks = world.size();
      file.delivery = bracket::Delivery::to(0);
      file.plans = {{elements, elements, "tree", 1, "aggregated", "lower", {}, {{"score", 1e-6}}}};
      bracket::support::write_file(argv[1], to_json(file).dump());
    }
    bracket::barrier(world);
    const auto planned = bracket::read_planned_reduction(MPI_COMM_WORLD, argv[1], elements);
    const bracket::Range own = planned.distribution.range(world.rank());
    const std::vector<double> mine(static_cast<std::size_t>(own.size()), 1.5);
    bracket::Reducer<double> sum(MPI_COMM_WORLD, bracket::Layout::contiguous(own.size()),
                                 bracket::settings_of(planned));
    if (const auto total = sum.run(mine)) std::cout << *total << '\n';
  }
  MPI_Finalize();
}
