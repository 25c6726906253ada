// SPDX-License-Identifier: MIT

#include "sweep/jobs_option.hpp"

#include <algorithm>
#include <thread>

#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "bracket/support/whole_number.hpp"

namespace bracket::tools {

CLI::Option* add_jobs(CLI::App& command, std::optional<Index>& jobs, const std::string& help) {
  return command
      .add_option_function<std::string>(
          "--jobs",
          [&jobs](const std::string& written) {
            constexpr Index most = 4096;
            const Index given = support::parse_count(written, "--jobs");
            if (given < 1 || given > most) {
              throw Error(text("--jobs must be from 1 to ", most, ", not ", written));
            }
            jobs = given;
          },
          help)
      ->type_name("JOBS");
}

int usable_cores() {
  // The cores in this process's affinity mask.
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace bracket::tools
