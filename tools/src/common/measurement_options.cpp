#include "common/measurement_options.hpp"

#include "common/options.hpp"

namespace bracket::tools {

std::vector<CLI::Option*> MeasurementOptions::add_to(CLI::App& command, int least_warm_up) {
  return {
      add_whole(command, "--repetitions", repetitions,
                "measured rounds; each round runs all candidates in a newly shuffled order", 1)
          ->capture_default_str(),
      add_whole(command, "--warm-up", warm_up,
                "earlier rounds, which find how many calls make a sample of 50 us", least_warm_up)
          ->capture_default_str(),
      command.add_flag("--cold", cold,
                       "empty the caches before each call; without it, each candidate runs "
                       "for 2 ms before each sample")};
}

std::vector<std::string> MeasurementOptions::arguments() const {
  std::vector<std::string> words{"--repetitions", std::to_string(repetitions), "--warm-up",
                                 std::to_string(warm_up)};
  if (cold) words.emplace_back("--cold");
  return words;
}

}  // namespace bracket::tools
