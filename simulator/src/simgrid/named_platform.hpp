#pragma once

#include <simgrid/forward.h>

#include <vector>

#include "bracket/simulator/platforms.hpp"

namespace bracket::simulator {

/// Makes a platform by name in SimGrid's engine. All links have the given bandwidth in bytes per
/// second and the given latency in seconds. Returns its hosts, indexed by node.
std::vector<simgrid::s4u::Host*> make_platform(const simgrid::s4u::Engine& engine,
                                               const PlatformSpec& platform, Index nodes,
                                               double bandwidth, double latency);

}  // namespace bracket::simulator
