// SPDX-License-Identifier: MIT

#pragma once

#include <rapidcheck.h>

#include <string>

#include "support/catch.hpp"

namespace bracket::testing {

/// Checks a RapidCheck property inside a Catch2 test. RapidCheck prints the seed;
/// `RC_PARAMS="seed=…"` repeats a run.
template <class Testable>
void property(const std::string& description, Testable&& testable) {
  const bool holds = rc::check(description, std::forward<Testable>(testable));
  CHECK(holds);
}

}  // namespace bracket::testing
