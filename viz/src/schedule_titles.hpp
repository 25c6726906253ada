// SPDX-License-Identifier: MIT

#pragma once

#include <string>

#include "bracket/model/schedule.hpp"

namespace bracket::viz {

/// Order, plan and sizes.
std::string title_of(const Schedule& schedule);

/// Number of messages, and where the result is.
std::string facts_of(const Schedule& schedule);

}  // namespace bracket::viz
