// SPDX-License-Identifier: MIT

#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace bracket::tools {

/// The values of a variable by name, from the words with which MPICH describes it: `auto - ... nb
/// - ... smp - ...`, where no space need precede a name. The first has value 0, the next 1, and so
/// on. Only `wanted` names are found.
std::vector<std::pair<std::string, int>> values_described_by(const std::string& words,
                                                             std::span<const char* const> wanted);

}  // namespace bracket::tools
