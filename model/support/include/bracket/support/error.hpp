#pragma once

#include <cstddef>
#include <locale>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace bracket {

/// Bad input. The message says what was wrong, where, and what would be right. Every program of the
/// project turns it into one line on stderr and exit code 2.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Exit code of every program of the project for an `Error`.
inline constexpr int exit_code_bad_input = 2;

/// The arguments, streamed one after the other in the classic locale.
template <class... Parts>
std::string text(const Parts&... parts) {
  std::ostringstream out;
  out.imbue(std::locale::classic());
  (out << ... << parts);
  return out.str();
}

/// Part of a file's or a user's text for a message: at most the first `most` bytes. Each byte that
/// is not a printable ASCII character is shown as its number, `\x1b`.
std::string excerpt(std::string_view words, std::size_t most = 80);

}  // namespace bracket
