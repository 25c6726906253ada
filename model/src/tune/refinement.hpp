// SPDX-License-Identifier: MIT

#pragma once

#include "tune/evaluations.hpp"

namespace bracket::model {

/// Step 3 of `tune` for one choice, which has a candidate. Adds a candidate if the cost falls.
void balance_shares(Evaluations& evaluations, const Evaluations::Choice& choice);

/// Step 4 of `tune`, from the best candidate. Adds a candidate if the cost falls.
void search_boundaries(Evaluations& evaluations);

}  // namespace bracket::model
