// SPDX-License-Identifier: MIT

#pragma once

#include <simgrid/forward.h>

#include <optional>
#include <vector>

#include "bracket/simulator/platforms.hpp"

namespace bracket::simulator {

/// Figures of a link in SimGrid.
struct LinkFigures {
  double bandwidth = 0;  ///< bytes per second
  double latency = 0;    ///< seconds
};

/// Makes a platform by name in SimGrid's engine. All links have the figures `links`. Messages
/// inside a node have the figures `loopback` and share no bandwidth; without it, there must be
/// none. Returns the hosts, indexed by node.
std::vector<simgrid::s4u::Host*> make_platform(const simgrid::s4u::Engine& engine,
                                               const PlatformSpec& platform, Index nodes,
                                               const LinkFigures& links,
                                               const std::optional<LinkFigures>& loopback = {});

}  // namespace bracket::simulator
