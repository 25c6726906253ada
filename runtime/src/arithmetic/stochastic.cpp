// SPDX-License-Identifier: MIT

#include "bracket/runtime/stochastic.hpp"

#include <algorithm>
#include <cmath>

namespace bracket::runtime {

double mean_of(const double (&samples)[3]) {
  using Bits = FloatBits<double>;
  if (Bits::of(samples[0]) == Bits::of(samples[1]) &&
      Bits::of(samples[0]) == Bits::of(samples[2])) {
    return samples[0];
  }
  if (!std::isfinite(samples[0]) || !std::isfinite(samples[1]) || !std::isfinite(samples[2])) {
    return samples[0] + samples[1] + samples[2];
  }
  // The samples are close to each other, but their sum may overflow.
  return samples[0] + ((samples[1] - samples[0]) + (samples[2] - samples[0])) / 3;
}

double estimated_digits(const double (&samples)[3], double most) {
  // Quantile 0.975 of Student's distribution with two degrees of freedom.
  constexpr double student = 4.30265272974946;
  const double mean = mean_of(samples);
  if (!std::isfinite(mean)) return 0;
  // Relative to the largest sample, so that squares neither overflow nor vanish.
  double scale = 0;
  for (const double sample : samples) scale = std::max(scale, std::abs(sample));
  if (scale == 0) return most;
  double squares = 0;
  for (const double sample : samples) {
    const double apart = (sample - mean) / scale;
    squares += apart * apart;
  }
  if (squares == 0) return most;
  const double deviation = std::sqrt(squares / 2);
  const double digits = std::log10(std::sqrt(3.0) * std::abs(mean / scale) / (student * deviation));
  return std::min(most, std::max(0.0, digits));
}

}  // namespace bracket::runtime
