// SPDX-License-Identifier: MIT

#include "escapes.hpp"

namespace bracket::viz {

std::string html(std::string_view value) {
  std::string result;
  for (const char c : value) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += printable(c);
    }
  }
  return result;
}

}  // namespace bracket::viz
