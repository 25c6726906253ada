// SPDX-License-Identifier: MIT

#include "bracket/simulator/watts.hpp"

#include <vector>

#include "bracket/model/spec.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

namespace bracket {

namespace {

/// Parses watts. `form` is the expected form in error messages.
std::vector<double> watts(const std::string& written, std::size_t least, std::size_t most,
                          const char* form) {
  const auto refuse = [&](const std::string& cause) {
    throw Error(text("'", excerpt(written), "': ", cause, "; watts ", form, " were expected"));
  };
  std::vector<double> all;
  for (std::size_t begin = 0, end = 0; end != std::string::npos; begin = end + 1) {
    end = written.find(':', begin);
    try {
      all.push_back(parse_number(written.substr(begin, end - begin), "watts"));
    } catch (const Error& error) {
      refuse(error.what());
    }
    if (all.back() < 0) refuse("watts must not be negative");
    if (all.size() > 1 && all.back() < all[all.size() - 2]) refuse("watts must not decrease");
  }
  if (all.size() < least || all.size() > most) {
    refuse(text(all.size(), all.size() == 1 ? " number" : " numbers"));
  }
  return all;
}

}  // namespace

NodeWatts NodeWatts::parse(const std::string& written) {
  const auto all = watts(written, 2, 3, "IDLE:ALL_CORES or IDLE:EPSILON:ALL_CORES");
  return {.idle = all[0], .epsilon = all[all.size() - 2], .all_cores = all.back()};
}

LinkWatts LinkWatts::parse(const std::string& written) {
  const auto all = watts(written, 2, 2, "IDLE:BUSY");
  return {.idle = all[0], .busy = all[1]};
}

}  // namespace bracket
