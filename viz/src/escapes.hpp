// SPDX-License-Identifier: MIT

#pragma once

#include <string>
#include <string_view>

namespace bracket::viz {

/// Neither a label nor an SVG document can hold control characters.
inline char printable(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7F ? ' ' : c;
}

/// `value` as text of an XML document or of an HTML-like label.
std::string html(std::string_view value);

}  // namespace bracket::viz
