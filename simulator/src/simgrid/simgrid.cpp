// SPDX-License-Identifier: MIT

#include "bracket/simulator/simgrid.hpp"

#include <cstring>
#include <type_traits>

#include "bracket/support/error.hpp"
#include "simgrid/child_process.hpp"
#include "simgrid/platform.hpp"
#include "simgrid/replay.hpp"

namespace bracket {

namespace {

template <class Value>
void append(std::string& bytes, const Value* values, std::size_t count) {
  static_assert(std::is_trivially_copyable_v<Value>);
  bytes.append(reinterpret_cast<const char*>(values), count * sizeof(Value));
}

template <class Value>
void extract(std::string_view& bytes, Value* values, std::size_t count) {
  const std::size_t size = count * sizeof(Value);
  if (bytes.size() < size) throw Error("the simulation's result did not arrive whole");
  if (size > 0) std::memcpy(values, bytes.data(), size);
  bytes.remove_prefix(size);
}

std::string to_bytes(const Simulation& simulation, const Timeline& timeline) {
  std::string bytes;
  append(bytes, &simulation.makespan, 1);
  append(bytes, &simulation.messages, 1);
  append(bytes, &simulation.joules, 1);
  append(bytes, simulation.finish.data(), simulation.finish.size());
  append(bytes, timeline.data(), timeline.size());
  return bytes;
}

Simulation from_bytes(std::string_view bytes, std::size_t ranks, Timeline* timeline) {
  Simulation simulation;
  simulation.finish.resize(ranks);
  extract(bytes, &simulation.makespan, 1);
  extract(bytes, &simulation.messages, 1);
  extract(bytes, &simulation.joules, 1);
  extract(bytes, simulation.finish.data(), ranks);
  if (timeline != nullptr) {
    timeline->resize(bytes.size() / sizeof(Interval));
    extract(bytes, timeline->data(), timeline->size());
  }
  if (!bytes.empty()) throw Error("the simulation's result did not arrive whole");
  return simulation;
}

}  // namespace

Simulation replay_simgrid(const Workload& workload, const Machine& given, const Network& network,
                          Timeline* timeline) {
  given.check();
  const Machine machine = workload.leaves_caches() ? given.out_of_cache() : given;
  simulator::check_platform(network.platform);
  const std::string bytes = simulator::in_child_process(network.platform.written, [&] {
    simulator::Platform built(network, machine, workload.ranks());
    Timeline seen;
    const Simulation simulation =
        simulator::Replay(workload, machine, built, timeline == nullptr ? nullptr : &seen).run();
    return to_bytes(simulation, seen);
  });
  return from_bytes(bytes, static_cast<std::size_t>(workload.ranks()), timeline);
}

}  // namespace bracket
