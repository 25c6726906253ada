// SPDX-License-Identifier: MIT

#pragma once

#include <locale>
#include <sstream>
#include <string>

namespace bracket {

/// Concatenates the arguments, written to a stream, independent of the global locale.
template <class... Parts>
std::string text(const Parts&... parts) {
  std::ostringstream out;
  out.imbue(std::locale::classic());
  (out << ... << parts);
  return out.str();
}

}  // namespace bracket
