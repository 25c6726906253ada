// SPDX-License-Identifier: MIT

#pragma once

#include "bracket.h"
#include "bracket/model/range.hpp"
#include "bracket/model/schedule.hpp"

/// The plan of a file for a number of elements.
struct bracket_planned {
  bracket::ScheduleHeader header;
  bracket::Range held;  ///< elements that this rank is to hold
};
