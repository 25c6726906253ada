// SPDX-License-Identifier: MIT

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "bracket/model/range.hpp"
#include "bracket/runtime/results.hpp"
#include "bracket/support/split_mix.hpp"

namespace bracket::runtime {

/// The operation (see reductions.hpp) that computes the digest of elements of up to 16 bytes.
template <class Number>
struct DigestReduction {
  using Element = Number;
  using Value = Digest;
  using Result = Digest;
  static constexpr bool associative = true;

  void prepare() {}

  [[nodiscard]] Digest value(const Number& element, Index index) const {
    static_assert(sizeof(Number) <= 16);
    std::array<std::uint64_t, 2> words{};
    std::memcpy(words.data(), &element, sizeof element);
    const std::uint64_t bits =
        sizeof(Number) > 8 ? mixed(mixed(words[0]) + words[1]) : mixed(words[0]);
    return {bits, mixed(bits + static_cast<std::uint64_t>(index))};
  }

  [[nodiscard]] Digest fold(const Number* elements, Index count, Index /*chunk*/,
                            Index index) const {
    Digest digest;
    for (Index i = 0; i < count; ++i) digest = join(digest, value(elements[i], index + i));
    return digest;
  }

  [[nodiscard]] Digest join(const Digest& left, const Digest& right) const {
    return {left.set + right.set, left.sequence + right.sequence};
  }

  [[nodiscard]] Digest finish(const Digest& digest) const { return digest; }

 private:
  /// Adds SplitMix64's increment first, so that elements of value 0 count, too.
  static std::uint64_t mixed(std::uint64_t word) {
    return support::split_mix(word + 0x9E3779B97F4A7C15u);
  }
};

}  // namespace bracket::runtime
