#include "common/measurement_options.hpp"

#include <fmt/format.h>

#include "common/options.hpp"

namespace bracket::tools {

std::vector<CLI::Option*> MeasurementOptions::add_to(CLI::App& command, int least_warm_up) {
  const runtime::Method usual;
  return {add_whole(command, "--repetitions", repetitions,
                    "number of measured rounds; each round measures every row once, in random "
                    "sequence",
                    1)
              ->capture_default_str(),
          add_whole(
              command, "--warm-up", warm_up,
              fmt::format("number of rounds before the measurement; they also determine the number "
                          "of calls in a sample, such that a sample takes at least {:g} us",
                          usual.least_sample_seconds * 1e6),
              least_warm_up)
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
