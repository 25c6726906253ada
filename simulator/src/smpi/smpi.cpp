// SPDX-License-Identifier: MIT

#include "bracket/simulator/smpi.hpp"

#include <smpi/mpi.h>
#include <smpi/smpi.h>
#include <simgrid/s4u.hpp>

#include <algorithm>
#include <new>

#include "bracket/support/error.hpp"
#include "simgrid/child_process.hpp"
#include "simgrid/platform.hpp"

namespace bracket {

namespace s4u = simgrid::s4u;

/// State shared by the ranks.
struct SimulatedWorld {
  const simulator::Platform& platform;
  MessageCosts between_nodes;
  MessageCosts within_node;
  std::vector<double> finish;  // seconds since the start of the timed part
  double there = 0;            // time at which the last rank was ready, in simulated seconds
  std::size_t ended = 0;
  std::string failure{};
};

void SimulatedRank::timed(const std::function<void()>& action) {
  // The last rank arrives before the first leaves the barrier.
  world_.there = std::max(world_.there, s4u::Engine::get_clock());
  MPI_Barrier(MPI_COMM_WORLD);
  constexpr double for_all_to_leave = 1;
  const double start = world_.there + for_all_to_leave;
  s4u::this_actor::sleep_until(start);
  action();
  world_.finish[static_cast<std::size_t>(number_)] = s4u::Engine::get_clock() - start;
  ++world_.ended;
  while (world_.ended < world_.finish.size()) s4u::this_actor::sleep_for(for_all_to_leave);
}

void SimulatedRank::pass(Ticks ticks) {
  if (ticks > 0) s4u::this_actor::sleep_for(seconds_of(ticks));
}

const MessageCosts& SimulatedRank::costs(Rank other) const {
  return world_.platform.on_one_node(number_, other) ? world_.within_node : world_.between_nodes;
}

void SimulatedRank::begin_send(Rank to, std::uint64_t bytes) {
  const double seconds = costs(to).passage(static_cast<double>(bytes)).before;
  if (seconds > 0) s4u::this_actor::sleep_for(seconds);
}

/// The sender is busy for o only, not for O. The time of O beyond the links is therefore spent
/// here.
void SimulatedRank::end_receive(Rank from, std::uint64_t bytes) {
  const auto size = static_cast<double>(bytes);
  const Passage parts = costs(from).passage(size);
  // SimGrid multiplies latencies, so a zero latency cannot be extended.
  const double latency = costs(from).latency > 0 ? parts.latency : 0;
  const double seconds = costs(from).way(size) - parts.before - latency - parts.on_links;
  if (seconds > 0) s4u::this_actor::sleep_for(seconds);
}

std::string run_smpi(const Network& network, const Machine& machine, Rank ranks,
                     const std::function<void(SimulatedRank&)>& program,
                     const std::function<std::string(const std::vector<double>&)>& answer) {
  machine.check();
  simulator::check_platform(network.platform);
  return simulator::in_child_process(network.platform.written, [&] {
    simulator::Platform platform(network, machine, ranks, simulator::Moved::by_smpi);
    SimulatedWorld world{platform, machine.between_nodes(), machine.within_node(), {}, 0, 0, {}};
    world.finish.resize(static_cast<std::size_t>(ranks));
    SMPI_app_instance_register("bracket", nullptr, ranks);
    for (Rank number = 0; number < ranks; ++number) {
      const auto actor = s4u::Actor::init(std::to_string(number), platform.host(number));
      actor->set_property("instance_id", "bracket");
      actor->set_property("rank", std::to_string(number));
      actor->start([&, number] {
        MPI_Init(nullptr, nullptr);
        try {
          SimulatedRank rank(number, world);
          program(rank);
        } catch (const std::bad_alloc&) {
          if (world.failure.empty()) world.failure = "there is not enough memory for this size";
        } catch (const std::exception& failure) {
          if (world.failure.empty()) world.failure = failure.what();
        }
        // Other ranks may wait for this one.
        if (!world.failure.empty()) s4u::Actor::kill_all();
        MPI_Finalize();
      });
    }
    platform.engine().run();
    if (!world.failure.empty()) throw Error(world.failure);
    return answer(world.finish);
  });
}

}  // namespace bracket
