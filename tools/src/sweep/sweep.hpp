// SPDX-License-Identifier: MIT

#pragma once

#include <string>
#include <utility>
#include <vector>

namespace bracket::tools {

/// An option that takes several values one after the other, each in its written form.
struct Sweep {
  std::string option;  ///< without dashes: `latency`, `p`
  std::vector<std::string> values;

  /// Parses `OPTION=VALUE,...` or `OPTION=FROM:TO:log:COUNT`, or `lin` for steps of equal size. For
  /// an option of whole numbers, rounds the values of a range and drops duplicates. Throws `Error`
  /// for any other form.
  static Sweep parse(const std::string& written);
};

/// A value for each swept option.
using SweepPoint = std::vector<std::pair<std::string, std::string>>;

/// Returns every combination of values; the last option changes fastest. Without sweeps, returns
/// one empty point. Throws `Error` for an option that is swept twice, or for more than a million
/// points.
std::vector<SweepPoint> points_of(const std::vector<Sweep>& sweeps);

/// Describes a point as in "latency=1e-06, p=64".
std::string describe(const SweepPoint& point);

}  // namespace bracket::tools
