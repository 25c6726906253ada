// SPDX-License-Identifier: MIT

#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

namespace bracket {

/// Input that cannot be honoured. The message says what was wrong, where, and what would be right.
/// Every program of the project prints it as one line on stderr and returns exit code 2.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Exit code of every program of the project for an `Error`.
inline constexpr int exit_code_bad_input = 2;

/// Excerpt, for a message, of words from a file or a user: the first `most` bytes at most. Each
/// byte that is not a printable ASCII character is shown as its number, `\x1b`.
std::string excerpt(std::string_view words, std::size_t most = 80);

}  // namespace bracket
