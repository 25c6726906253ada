// SPDX-License-Identifier: MIT

#pragma once

#include <string>

#include "bracket/model/loggp.hpp"
#include "bracket/model/schedule.hpp"

namespace bracket {

/// Options for the drawing of a schedule.
struct ScheduleDrawing {
  Index most_steps = 200;  ///< most steps in one picture; ≥ 1
};

/// Number of steps of all ranks together.
Index step_count(const Schedule& schedule);

/// The schedule in Graphviz's DOT language: a column for each rank with its steps from top to
/// bottom, an arrow for each message. With the schedule's `cost`, the steps and arrows of its
/// critical path are highlighted and have their times. The attribute `class` gives the kind of a
/// node or arrow. The arrows lead around the steps, or straight in pictures of more than 400 steps.
/// Throws `Error` if there are too many steps to read, if a message has no partner,
/// or if `cost` belongs to another schedule.
std::string schedule_dot(const Schedule& schedule, const PaperCost* cost = nullptr,
                         const ScheduleDrawing& drawing = {});

}  // namespace bracket
