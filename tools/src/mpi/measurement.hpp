// SPDX-License-Identifier: MIT

#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "bracket/runtime/measure.hpp"
#include "common/measurement_options.hpp"
#include "rows/row_table.hpp"

namespace bracket::tools {

/// Measures `actions` side by side, in an order shuffled by `seed`. `progress`, unless null, shows
/// the rounds of `what`. Collective.
std::vector<runtime::Samples> measure(const Communicator& world,
                                      std::span<const std::function<void()>> actions,
                                      const MeasurementOptions& options, std::uint64_t seed,
                                      Progress* progress, const std::string& what);

/// Adds the time of a call and the method of its measurement to a row.
void tell_times(nlohmann::ordered_json& row, const runtime::Samples& samples,
                const MeasurementOptions& options);

}  // namespace bracket::tools
