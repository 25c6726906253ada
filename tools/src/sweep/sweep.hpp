#pragma once

#include <string>
#include <utility>
#include <vector>

namespace bracket::tools {

/// An option that takes several values one after the other, each as it would be written after it.
struct Sweep {
  std::string option;  ///< without dashes: `latency`, `p`
  std::vector<std::string> values;

  /// `OPTION=VALUE,...` or `OPTION=FROM:TO:log:COUNT`, or `lin` for steps of the same size. Of an
  /// option whose values are whole numbers the steps are rounded, and equal ones are one. Throws
  /// `Error` for what is neither.
  static Sweep parse(const std::string& written);
};

/// A value for each swept option.
using SweepPoint = std::vector<std::pair<std::string, std::string>>;

/// Every combination, the last option's values changing fastest; without sweeps one empty point.
/// Throws `Error` for an option that is swept twice, or beyond a million.
std::vector<SweepPoint> points_of(const std::vector<Sweep>& sweeps);

/// "latency=1e-06, p=64"
std::string describe(const SweepPoint& point);

}  // namespace bracket::tools
