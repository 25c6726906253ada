#pragma once

#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace bracket::testing {

/// Kinds of elements that tell a wrong bracketing, a flushed subnormal or a padded zero.
enum class Hostile { uniform, cancelling, signed_zeros, subnormals, negative_zeros, specials };

inline constexpr Hostile all_hostile[] = {Hostile::uniform,        Hostile::cancelling,
                                          Hostile::signed_zeros,   Hostile::subnormals,
                                          Hostile::negative_zeros, Hostile::specials};

/// `count` elements of a kind, a function of `seed`.
inline std::vector<double> hostile_elements(Hostile kind, std::size_t count, std::uint64_t seed) {
  using Limits = std::numeric_limits<double>;
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<double> elements(count);
  for (auto& element : elements) {
    switch (kind) {
      case Hostile::uniform:
        element = uniform(random);
        break;
      case Hostile::cancelling:
        element = uniform(random) * (random() % 2 == 0 ? 1e200 : 1e-200);
        if (random() % 4 == 0) element = random() % 2 == 0 ? 1e300 : -1e300;
        break;
      case Hostile::signed_zeros:
        element = random() % 8 == 0 ? uniform(random) : (random() % 2 == 0 ? 0.0 : -0.0);
        break;
      case Hostile::subnormals:
        element = static_cast<double>(static_cast<std::int64_t>(random() % 2001) - 1000) *
                  Limits::denorm_min();
        break;
      case Hostile::negative_zeros:
        element = -0.0;
        break;
      case Hostile::specials:
        element = uniform(random);
        if (random() % 64 == 0) element = Limits::infinity();
        if (random() % 256 == 0) element = -Limits::infinity();
        if (random() % 512 == 0) element = -Limits::quiet_NaN();
        break;
    }
  }
  return elements;
}

}  // namespace bracket::testing
