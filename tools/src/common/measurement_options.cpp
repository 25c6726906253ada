// SPDX-License-Identifier: MIT

#include "common/measurement_options.hpp"

#include <fmt/format.h>

#include "common/help.hpp"
#include "common/options.hpp"

namespace bracket::tools {

std::vector<CLI::Option*> MeasurementOptions::add_to(CLI::App& command, int least_warm_up) {
  const runtime::Method usual;
  add_footer(
      command,
      fmt::format("Each round takes one sample of every row, in random sequence. A sample is "
                  "the mean time of one or more calls, which take at least {:g} us together. "
                  "The warm-up rounds find the number of these calls; without them, and "
                  "with --cold, it is 1.",
                  usual.least_sample_seconds * 1e6));
  return {
      add_whole(command, "--repetitions", repetitions, "number of measured rounds", 1)
          ->capture_default_str(),
      add_whole(command, "--warm-up", warm_up,
                "number of rounds before the measurement, which are not recorded", least_warm_up)
          ->capture_default_str(),
      command.add_flag(
          "--cold", cold,
          fmt::format("empty the caches before each timed call. The default is warm caches: "
                      "untimed calls run for {:g} ms before each sample",
                      usual.lead_in_seconds * 1e3))};
}

std::vector<std::string> MeasurementOptions::arguments() const {
  std::vector<std::string> words{"--repetitions", std::to_string(repetitions), "--warm-up",
                                 std::to_string(warm_up)};
  if (cold) words.emplace_back("--cold");
  return words;
}

}  // namespace bracket::tools
