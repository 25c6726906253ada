// SPDX-License-Identifier: MIT

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bracket/model/range.hpp"
#include "bracket/model/spec.hpp"

namespace bracket {

/// A random quantity of at least zero, written as a `Spec`: `exponential:1e-6`, `some:0.01:4`.
class RandomQuantity {
 public:
  enum class Kind { constant, uniform, exponential, pareto, some };

  /// Always zero.
  RandomQuantity() = default;

  /// Throws `Error` for an unknown name or bad parameters.
  static RandomQuantity parse(const std::string& written);

  [[nodiscard]] bool is_zero() const { return kind_ == Kind::constant && first_ == 0; }

  /// The value at which its distribution function is `probability`, from 0 to below 1.
  [[nodiscard]] double quantile(double probability) const;

  /// The written form.
  [[nodiscard]] const std::string& str() const { return written_; }

 private:
  Kind kind_ = Kind::constant;
  double first_ = 0;
  double second_ = 0;
  std::string written_ = "constant:0";
};

/// A row of the table of random quantities.
struct RandomQuantityEntry {
  CatalogueEntry entry;
  RandomQuantity::Kind kind;
};

/// Every random quantity by name.
std::span<const RandomQuantityEntry> random_quantities();

/// Skew, slowdown and jitter of ranks. Values are drawn from the seed by rank and by number, so
/// that those of a rank depend neither on the schedule of another rank nor on the plan: plans are
/// compared under the same disturbance.
struct Disturbance {
  std::uint64_t seed = 1;
  RandomQuantity late{};   ///< skew: seconds by which a rank begins later
  RandomQuantity slow{};   ///< slowdown: share by which all computing of a rank takes longer
  RandomQuantity noise{};  ///< jitter: share by which each time between two messages takes longer
  std::vector<double> delays{};     ///< known skew of each rank, in seconds, besides `late`; may
                                    ///< be empty
  std::vector<double> slowdowns{};  ///< known factor of each rank's computing time, besides `slow`;
                                    ///< may be empty

  [[nodiscard]] bool any() const {
    return !late.is_zero() || !slow.is_zero() || !noise.is_zero() || !delays.empty() ||
           !slowdowns.empty();
  }

  /// Skew of a rank, in seconds.
  [[nodiscard]] double lateness(Rank rank) const;

  /// Seconds that a rank's computing number `interval` takes, in place of `seconds`.
  [[nodiscard]] double computing(Rank rank, std::uint64_t interval, double seconds) const;
};

}  // namespace bracket
