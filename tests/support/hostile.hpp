// SPDX-License-Identifier: MIT

#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace bracket::testing {

/// Kinds of elements that reveal a wrong bracketing, a flushed subnormal or a padded zero. `spread`
/// reveals a wrong sequence of the low parts of double-doubles, which other kinds add exactly.
enum class Hostile {
  uniform,
  cancelling,
  signed_zeros,
  subnormals,
  negative_zeros,
  specials,
  spread
};

inline constexpr Hostile all_hostile[] = {
    Hostile::uniform,        Hostile::cancelling, Hostile::signed_zeros, Hostile::subnormals,
    Hostile::negative_zeros, Hostile::specials,   Hostile::spread};

/// `count` elements of a kind. They depend only on the arguments.
template <class Number = double>
std::vector<Number> hostile_elements(Hostile kind, std::size_t count, std::uint64_t seed) {
  using Limits = std::numeric_limits<Number>;
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<Number> uniform(-1, 1);
  const Number large = std::pow(Limits::max(), Number(2) / 3);
  std::vector<Number> elements(count);
  for (auto& element : elements) {
    switch (kind) {
      case Hostile::uniform:
        element = uniform(random);
        break;
      case Hostile::cancelling:
        element = uniform(random) * (random() % 2 == 0 ? large : 1 / large);
        if (random() % 4 == 0) element = random() % 2 == 0 ? large * 1000 : large * -1000;
        break;
      case Hostile::signed_zeros:
        element = random() % 8 == 0 ? uniform(random) : random() % 2 == 0 ? Number(0) : -Number(0);
        break;
      case Hostile::subnormals:
        element = static_cast<Number>(static_cast<std::int64_t>(random() % 2001) - 1000) *
                  Limits::denorm_min();
        break;
      case Hostile::negative_zeros:
        element = -Number(0);
        break;
      case Hostile::specials:
        element = uniform(random);
        if (random() % 64 == 0) element = Limits::infinity();
        if (random() % 256 == 0) element = -Limits::infinity();
        if (random() % 512 == 0) element = -Limits::quiet_NaN();
        break;
      case Hostile::spread:
        element = uniform(random);
        element = std::ldexp(element, static_cast<int>(random() % 121) - 60);
        break;
    }
  }
  return elements;
}

/// Factors of every size, among them zeros of both signs.
inline double hostile_factor(std::size_t i) {
  constexpr double some[] = {1, -0.1, 0x1p-600, 3e5, -0.0, 0x1.8p300, 0, -1e-8, 0x1p-30, 7};
  return some[i % std::size(some)];
}

}  // namespace bracket::testing
