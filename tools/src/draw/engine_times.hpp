// SPDX-License-Identifier: MIT

#pragma once

#include <string>

#include "bracket/model/schedule.hpp"
#include "bracket/viz/schedule_times.hpp"
#include "models/scenario.hpp"

namespace bracket::tools {

/// The times of a schedule that the engine of this name simulates under the conditions, with the
/// path that ends last. Throws `Error` for an engine that this build does not have.
ScheduleTimes engine_times(const Schedule& schedule, const std::string& engine,
                           const Conditions& conditions);

}  // namespace bracket::tools
