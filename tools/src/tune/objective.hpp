#pragma once

#include <string>

#include "bracket/model/tune.hpp"
#include "simulate/network_options.hpp"

namespace bracket::tools {

/// What `bracket tune --objective` names: the score, the paper cost, or the makespan that an engine
/// finds. Throws `Error` for an unknown name, an engine that this build has not, and a network that
/// the engine does not know.
Objective objective_of(const std::string& name, const Machine& machine,
                       const NetworkOptions& network, const ScoreCosts& costs);

}  // namespace bracket::tools
