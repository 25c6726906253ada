// SPDX-License-Identifier: MIT

#include "bracket/support/error.hpp"

namespace bracket {

std::string excerpt(std::string_view words, std::size_t most) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string shown;
  for (const char c : words.substr(0, most)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7F) {
      shown += c;
    } else {
      shown += {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
    }
  }
  return words.size() > most ? shown + " ..." : shown;
}

}  // namespace bracket
