// SPDX-License-Identifier: MIT

#pragma once

#include <cstddef>
#include <string_view>

namespace bracket::viz {

/// Returns the number of bytes of the UTF-8 character that begins `words`, or 0 if it does not
/// begin with one. `words` is not empty.
inline std::size_t character_size(std::string_view words) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(words[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || words.size() < size) return 0;
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  // Overlong forms, surrogates, and numbers above U+10FFFF.
  const unsigned char next = byte(1);
  if ((lead == 0xe0 && next < 0xa0) || (lead == 0xed && next > 0x9f) ||
      (lead == 0xf0 && next < 0x90) || (lead == 0xf4 && next > 0x8f)) {
    return 0;
  }
  return size;
}

}  // namespace bracket::viz
