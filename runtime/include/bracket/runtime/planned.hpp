// SPDX-License-Identifier: MIT

#pragma once

#include "bracket/model/schedule.hpp"
#include "bracket/runtime/any_reducer.hpp"

namespace bracket {

/// The settings of a reducer that reduces as planned. It refuses fields with another distribution.
/// Throws `Error` for blocks of the result and for elements of several items: these need a reducer
/// that is made of a schedule.
Settings settings_of(const ScheduleHeader& planned);

}  // namespace bracket
