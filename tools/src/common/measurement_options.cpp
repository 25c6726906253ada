#include "common/measurement_options.hpp"

#include <fmt/format.h>

#include "common/options.hpp"

namespace bracket::tools {

std::vector<CLI::Option*> MeasurementOptions::add_to(CLI::App& command, int least_warm_up) {
  const Method usual;
  return {
      add_whole(command, "--repetitions", repetitions,
                "measured rounds; each round runs all candidates in a newly shuffled order", 1)
          ->capture_default_str(),
      add_whole(command, "--warm-up", warm_up,
                fmt::format("rounds before the measured ones; they are not recorded, and find how "
                            "many calls make a sample of at least {:g} us",
                            usual.least_sample_seconds * 1e6),
                least_warm_up)
          ->capture_default_str(),
      command.add_flag("--cold", cold,
                       fmt::format("empty the caches before each call; without it, a candidate is "
                                   "called for {:g} ms, untimed, before each of its samples",
                                   usual.lead_in_seconds * 1e3))};
}

std::vector<std::string> MeasurementOptions::arguments() const {
  std::vector<std::string> words{"--repetitions", std::to_string(repetitions), "--warm-up",
                                 std::to_string(warm_up)};
  if (cold) words.emplace_back("--cold");
  return words;
}

}  // namespace bracket::tools
