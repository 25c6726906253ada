#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "bracket/runtime/measure.hpp"
#include "common/measurement_options.hpp"
#include "rows/report.hpp"

namespace bracket::tools {

/// Measures `actions`, shuffled by `seed`, against each other. `progress`, where there is one,
/// shows the rounds of `what`. Collective.
std::vector<Samples> measure(const Communicator& world,
                             std::span<const std::function<void()>> actions,
                             const MeasurementOptions& options, std::uint64_t seed,
                             Progress* progress, const std::string& what);

/// Adds to a report's row how long a call takes, and how that was measured.
void tell_times(nlohmann::ordered_json& row, const Samples& samples,
                const MeasurementOptions& options);

}  // namespace bracket::tools
