// SPDX-License-Identifier: MIT

#pragma once

#include <cstdint>

namespace bracket::support {

/// Output function of SplitMix64 (Steele, Lea and Flood 2014): a bijection in which each bit of the
/// input changes about half of the bits of the output. It maps 0 to 0.
[[gnu::always_inline]] constexpr std::uint64_t split_mix(std::uint64_t word) {
  word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9u;
  word = (word ^ (word >> 27)) * 0x94D049BB133111EBu;
  return word ^ (word >> 31);
}

}  // namespace bracket::support
