// SPDX-License-Identifier: MIT

#pragma once

#include <ostream>

#include "bracket/simulator/workload.hpp"

namespace bracket {

/// Writes a workload as GOAL text (Hoefler, Siebert and Lumsdaine 2009), which `txt2bin` converts
/// for LogGOPSim. A `calc` is in picoseconds. Give L, o, g, G and O to LogGOPSim in picoseconds as
/// well; its times are then in picoseconds. The first line is a comment with these figures of
/// `machine`. Every operation requires the one before it; a send must only have begun.
void write_goal(std::ostream& out, const Workload& workload, const Machine& machine);

}  // namespace bracket
