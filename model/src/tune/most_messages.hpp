// SPDX-License-Identifier: MIT

#pragma once

#include "bracket/model/plan.hpp"

namespace bracket::model {

/// Maximum number of messages that a rank sends and receives, over a few ranks.
Index most_messages(const Problem& problem, const Plan& plan);

}  // namespace bracket::model
