// SPDX-License-Identifier: MIT

#include "mpi/measurement.hpp"

#include <fmt/format.h>

#include "bracket/support/order_statistics.hpp"

namespace bracket::tools {

std::vector<runtime::Samples> measure(const Communicator& world,
                                      std::span<const std::function<void()>> actions,
                                      const MeasurementOptions& options, std::uint64_t seed,
                                      Progress* progress, const std::string& what) {
  runtime::Method method{.warm_up = options.warm_up,
                         .repetitions = options.repetitions,
                         .seed = seed,
                         .cold = options.cold};
  if (options.warm_up == 0) method.lead_in_seconds = 0;
  if (progress != nullptr) {
    const auto rounds = std::int64_t{options.warm_up} + options.repetitions;
    method.before_round = [=, &options](int round) {
      progress->say(
          fmt::format("{}: round {} of {} ...", what, options.warm_up + round + 1, rounds));
    };
  }
  auto samples = runtime::time_side_by_side(world, actions, method);
  if (progress != nullptr) progress->clear();
  return samples;
}

void tell_times(nlohmann::ordered_json& row, const runtime::Samples& samples,
                const MeasurementOptions& options) {
  const runtime::Summary times = runtime::summarize(samples.seconds);
  row["measured_seconds"] = times.median;
  row["measured_low_seconds"] = times.low;
  row["measured_high_seconds"] = times.high;
  row["measured_percentile_1_seconds"] = support::quantile(samples.seconds, 0.01);
  row["measured_percentile_99_seconds"] = support::quantile(samples.seconds, 0.99);
  row["repetitions"] = times.repetitions;
  row["warm_up"] = options.warm_up;
  row["calls_per_sample"] = samples.calls;
  if (options.cold) row["cold"] = true;
}

}  // namespace bracket::tools
