#include "failures.hpp"

#include <algorithm>
#include <cstring>

namespace bracket::c {

namespace {

/// The size is fixed, since keeping a message must not fail.
thread_local char latest_message[2048] = "";

}  // namespace

int failed(int code, const char* words) noexcept {
  const std::size_t length = std::min(std::strlen(words), sizeof latest_message - 1);
  std::memcpy(latest_message, words, length);
  latest_message[length] = '\0';
  return code;
}

}  // namespace bracket::c

const char* bracket_message(void) { return bracket::c::latest_message; }
