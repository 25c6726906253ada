// SPDX-License-Identifier: MIT

#include <bracket/model/plan.hpp>
#include <bracket/simulator/simgrid.hpp>
#include <iostream>

int main() {
  const auto schedule = bracket::make_schedule(bracket::make_order("tree", 100),
                                               bracket::make_distribution("lower", 100, 4),
                                               *bracket::make_plan("direct"));
  std::cout << bracket::replay_simgrid({schedule, {}}, {}).makespan << '\n';
}
