#pragma once

#include <string>

namespace bracket {

/// What a node takes, as SimGrid's host energy has it: `idle` while none of its cores computes,
/// else `epsilon` and, of what `all_cores` is more, the share of its cores that do.
struct NodeWatts {
  double idle = 0;
  double epsilon = 0;
  double all_cores = 0;

  /// `IDLE:EPSILON:ALL_CORES`, or `IDLE:ALL_CORES` where epsilon is idle. Throws `Error` for what
  /// is neither, for watts below zero and for watts that are fewer than those before them.
  static NodeWatts parse(const std::string& written);

  friend bool operator==(const NodeWatts&, const NodeWatts&) = default;
};

/// What a link takes, as SimGrid's link energy has it: `idle` and, of what `busy` is more, the
/// share of its bandwidth that is used.
struct LinkWatts {
  double idle = 0;
  double busy = 0;

  /// `IDLE:BUSY`. Throws `Error` as above.
  static LinkWatts parse(const std::string& written);

  friend bool operator==(const LinkWatts&, const LinkWatts&) = default;
};

}  // namespace bracket
