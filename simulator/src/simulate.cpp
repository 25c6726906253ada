#include "bracket/simulator/simulate.hpp"

#include <cstring>

#include "bracket/model/error.hpp"
#include "bracket/model/file.hpp"
#include "bracket/model/matching.hpp"
#include "bracket/model/verify.hpp"
#include "child_process.hpp"
#include "platform.hpp"
#include "replay.hpp"

namespace bracket {

namespace {

using simulator::Platform;

/// Causes that SimGrid would not name. A pipe can be read only once, by SimGrid.
void check_file(const std::filesystem::path& file) {
  // SimGrid runs a shared library that it is given for a platform.
  if (file.extension() == ".so") throw Error(text(file.string(), ": is no platform in XML"));
  std::error_code ignored;
  if (std::filesystem::is_fifo(file, ignored)) return;
  if (read_file(file).empty()) throw Error(text(file.string(), ": is empty"));
}

void check_folds(const Schedule& schedule) {
  for (Rank rank = 0; rank < schedule.ranks(); ++rank) {
    const RankPart& part = schedule.parts[static_cast<std::size_t>(rank)];
    for (std::size_t i = 0; i < part.steps().size(); ++i) {
      const Step& step = part.steps()[i];
      if (step.kind == StepKind::fold && part.operands(step)[0].range.empty()) {
        throw Error(
            describe(schedule, {rank, static_cast<std::ptrdiff_t>(i), "there is nothing to fold"}));
      }
    }
  }
}

std::string to_bytes(const Simulation& simulation) {
  std::string bytes(sizeof(double) + sizeof(Index) + simulation.finish.size() * sizeof(double), 0);
  char* to = bytes.data();
  const auto append = [&](const void* from, std::size_t size) {
    std::memcpy(to, from, size);
    to += size;
  };
  append(&simulation.makespan, sizeof(double));
  append(&simulation.messages, sizeof(Index));
  append(simulation.finish.data(), simulation.finish.size() * sizeof(double));
  return bytes;
}

Simulation from_bytes(const std::string& bytes, std::size_t ranks) {
  Simulation simulation;
  simulation.finish.resize(ranks);
  if (bytes.size() != sizeof(double) + sizeof(Index) + ranks * sizeof(double)) {
    throw Error("the simulation's result did not arrive whole");
  }
  const char* from = bytes.data();
  const auto extract = [&](void* to, std::size_t size) {
    std::memcpy(to, from, size);
    from += size;
  };
  extract(&simulation.makespan, sizeof(double));
  extract(&simulation.messages, sizeof(Index));
  extract(simulation.finish.data(), ranks * sizeof(double));
  return simulation;
}

}  // namespace

Simulation simulate(const Schedule& schedule, const Machine& machine,
                    const std::optional<std::filesystem::path>& platform_file) {
  machine.check();
  const Matching matching = match(schedule);
  check_folds(schedule);
  if (platform_file) check_file(*platform_file);
  const std::string subject = platform_file ? platform_file->string() : "the built-in cluster";
  const std::string bytes = simulator::in_child_process(subject, [&] {
    Platform platform = platform_file ? Platform(*platform_file, schedule.ranks())
                                      : Platform(machine, schedule.ranks());
    return to_bytes(simulator::Replay(schedule, machine, matching, platform).run());
  });
  return from_bytes(bytes, schedule.parts.size());
}

}  // namespace bracket
