// SPDX-License-Identifier: MIT

#pragma once

#include <string>

namespace bracket {

/// Power of a node, as in SimGrid's host energy: `idle` while no core computes, otherwise
/// epsilon + (all_cores − epsilon) · the share of its cores that compute. Watts.
struct NodeWatts {
  double idle = 0;
  double epsilon = 0;
  double all_cores = 0;

  /// Parses `IDLE:EPSILON:ALL_CORES`, or `IDLE:ALL_CORES` if epsilon is idle. Throws `Error` for
  /// any other text, for watts below zero, and for watts that are less than those before them.
  static NodeWatts parse(const std::string& written);

  friend bool operator==(const NodeWatts&, const NodeWatts&) = default;
};

/// Power of a link, as in SimGrid's link energy: idle + (busy − idle) · the share of its bandwidth
/// that is used. Watts.
struct LinkWatts {
  double idle = 0;
  double busy = 0;

  /// Parses `IDLE:BUSY`. Throws `Error` as above.
  static LinkWatts parse(const std::string& written);

  friend bool operator==(const LinkWatts&, const LinkWatts&) = default;
};

}  // namespace bracket
