// SPDX-License-Identifier: MIT

#include "bracket/model/tune.hpp"
#include "bracket/simulator/loggops.hpp"
#include "bracket/simulator/simgrid.hpp"
#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/plans.hpp"
#include "support/property.hpp"

/// The lower bound that excludes a plan from a tuning.
namespace overheads_test {

using namespace bracket;

TEST_CASE("no simulated makespan is below the time for which a rank is busy") {
  testing::property("busy in the simulators", [] {
    const auto held = *testing::any_distribution(2000, 24);
    const auto order =
        make_order(*rc::gen::element<std::string>("tree", "chunked-tree:8"), held.elements());
    const Problem problem{order, held, *rc::gen::element(Delivery::to(0), Delivery::to_all()),
                          *rc::gen::element<Index>(1, 3, 2000)};
    Machine machine;
    machine.overhead = *rc::gen::element(0.0, 1e-13, 70e-9, 3e-6);
    machine.overhead_per_byte = *rc::gen::element(0.0, 1e-9);
    machine.latency = *rc::gen::element(0.0, 1e-7);
    machine.gap = *rc::gen::element(0.0, 1e-7);
    if (*rc::gen::element(0, 1) == 0) {
      machine.inside_node = MessageCosts{.latency = 1e-8, .overhead = 1e-8, .gap = 0};
    }
    if (*rc::gen::element(0, 1) == 0) {
      machine.messages = {{8, 2e-7, 1e-7, 2e-6, 2e-7}, {4096, 4e-7, 5e-7, 6e-6, 6e-7}};
    }
    const Network networks[] = {{},
                                {.cores = 4},
                                {.platform = PlatformSpec::parse("backbone:1e9")},
                                {.platform = PlatformSpec::parse("torus:2x3x4")}};
    for (const auto& plan : testing::fitting_plans(problem)) {
      const double least = busy_seconds(problem, *plan, machine);
      const Workload workload(problem, *plan, machine);
      RC_ASSERT(least <= replay_loggops(workload, machine).makespan);
      const Network& network = networks[*rc::gen::inRange<std::size_t>(0, std::size(networks))];
      RC_ASSERT(least <= replay_simgrid(workload, machine, network).makespan);
    }
  });
}

}  // namespace overheads_test
