// SPDX-License-Identifier: MIT

#include "calls.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "bracket/model/range.hpp"
#include "bracket/runtime/planned.hpp"
#include "c_planned.hpp"

namespace bracket {

namespace {

/// The size is fixed, since keeping a message must not fail.
thread_local char latest_message[2048] = "";

/// The settings with the members that this library knows. Members that the program was compiled
/// without are 0; members that only the program knows must be 0.
bracket_settings known_settings(const bracket_settings& given) {
  // Size of the first version with `bytes`.
  constexpr Index least = offsetof(bracket_settings, kernel) + sizeof(bracket_settings::kernel);
  constexpr Index most = 4096;  // an uninitialised value tends to be more
  const Index bytes = given.bytes;
  if (bytes < least || bytes > most) {
    throw Error(text("bytes of the settings is ", bytes, ": set it to sizeof(bracket_settings), ",
                     sizeof(bracket_settings)));
  }
  bracket_settings known{};
  const auto here = std::min(static_cast<std::size_t>(bytes), sizeof known);
  std::memcpy(&known, &given, here);
  const auto* const all = reinterpret_cast<const char*>(&given);
  if (std::any_of(all + here, all + bytes, [](char byte) { return byte != 0; })) {
    throw Error(text("the settings have a member set that this libbracket, of version ",
                     BRACKET_VERSION,
                     ", does not know: the program was compiled with a later one"));
  }
  return known;
}

}  // namespace

int failed(int code, const char* words) noexcept {
  const std::size_t length = std::min(std::strlen(words), sizeof latest_message - 1);
  std::memcpy(latest_message, words, length);
  latest_message[length] = '\0';
  return code;
}

Settings settings_of(const bracket_settings* caller) {
  Settings settings;
  if (caller == nullptr) return settings;
  const bracket_settings given = known_settings(*caller);
  if (given.planned != nullptr) {
    if (given.algorithm != nullptr || given.plan != nullptr || given.rooted != 0) {
      throw Error("algorithm, plan and root are those of the plan file: leave them out");
    }
    settings = settings_of(given.planned->header);
  }
  if (given.algorithm != nullptr) settings.algorithm = given.algorithm;
  settings.widened = given.widened != 0;
  settings.checked = given.checked != 0;
  if (given.rooted != 0) settings.root = given.root;
  if (given.rooted == 0 && given.root != 0) {
    throw Error(text("root is ", given.root, " without rooted: set both, or neither"));
  }
  if (given.threads != 0) settings.threads = given.threads;
  if (given.plan != nullptr) settings.plan = given.plan;
  if (given.kernel != nullptr) settings.kernel = given.kernel;
  if (given.memory != nullptr) settings.memory = given.memory;
  return settings;
}

}  // namespace bracket

const char* bracket_message(void) { return bracket::latest_message; }
