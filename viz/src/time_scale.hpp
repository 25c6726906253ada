// SPDX-License-Identifier: MIT

#pragma once

#include <string>
#include <vector>

namespace bracket::viz {

/// Writes times in a unit that suits the makespan, to a thousandth of it.
class TimeScale {
 public:
  explicit TimeScale(double makespan);

  [[nodiscard]] std::string number(double seconds) const;
  [[nodiscard]] std::string with_unit(double seconds) const;
  [[nodiscard]] const char* unit() const { return unit_; }

  /// A place on a time axis.
  struct Tick {
    double seconds = 0;
    std::string label{};
  };
  /// At most `most` + 1 places from `begin` to `end` at round distances of 1, 2 or 5.
  [[nodiscard]] std::vector<Tick> ticks(double begin, double end, int most) const;

 private:
  const char* unit_ = "";
  double seconds_ = 1;
  int decimals_ = 0;
};

/// The least of 1, 2, 5, 10, 20 ... times a power of ten that is at least `least` > 0.
double round_step(double least);

}  // namespace bracket::viz
