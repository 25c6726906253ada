#pragma once

#include <cstddef>
#include <locale>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace bracket {

/// Input that cannot be honoured: what was wrong, where, and what would be right.
/// Every program of the project turns it into one line on stderr and exit code 2.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Exit code of every program of the project for an `Error`.
inline constexpr int exit_code_bad_input = 2;

/// The arguments, streamed one after the other, whatever the global locale is.
template <class... Parts>
std::string text(const Parts&... parts) {
  std::ostringstream out;
  out.imbue(std::locale::classic());
  (out << ... << parts);
  return out.str();
}

/// What a message shows of words that a file or a user wrote: at most the first `most` bytes, and
/// each byte that is no printable ASCII character as its number, `\x1b`.
std::string excerpt(std::string_view words, std::size_t most = 80);

}  // namespace bracket
