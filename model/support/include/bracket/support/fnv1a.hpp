// SPDX-License-Identifier: MIT

#pragma once

#include <cstdint>
#include <string_view>

namespace bracket::support {

/// 64-bit FNV-1a hash (Fowler, Noll, Vo) over integers, low byte first, and strings. The value is
/// the same on every machine.
class Fnv1a {
 public:
  void number(std::uint64_t value) {
    for (int i = 0; i < 8; ++i, value >>= 8) byte(static_cast<std::uint8_t>(value));
  }
  /// Hashes the string's length and bytes.
  void string(std::string_view value) {
    number(value.size());
    for (const char c : value) byte(static_cast<std::uint8_t>(c));
  }
  [[nodiscard]] std::uint64_t value() const { return state_; }

 private:
  void byte(std::uint8_t value) { state_ = (state_ ^ value) * 0x100000001B3u; }
  std::uint64_t state_ = 0xCBF29CE484222325u;
};

}  // namespace bracket::support
