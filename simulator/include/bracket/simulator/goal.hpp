#pragma once

#include <ostream>

#include "bracket/simulator/workload.hpp"

namespace bracket {

/// Writes a workload as GOAL text (Hoefler, Siebert and Lumsdaine 2009), of which `txt2bin` makes
/// what LogGOPSim reads. A `calc` is in picoseconds, so L, o, g, G and O are to be given to
/// LogGOPSim in picoseconds; its times are then picoseconds too. The first line is a comment that
/// says so for `machine`. Every operation requires the one before
/// it, a send only to have begun.
void write_goal(std::ostream& out, const Workload& workload, const Machine& machine);

}  // namespace bracket
