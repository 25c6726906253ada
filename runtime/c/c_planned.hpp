// SPDX-License-Identifier: MIT

#pragma once

#include "bracket.h"
#include "bracket/model/range.hpp"
#include "bracket/model/schedule.hpp"

/// What a plan file says about a number of elements.
struct bracket_planned {
  bracket::ScheduleHeader header;
  bracket::Range held;  ///< elements that this rank is to hold
};
