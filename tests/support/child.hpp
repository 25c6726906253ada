// SPDX-License-Identifier: MIT

#pragma once

#include <sys/types.h>

#include <chrono>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>

#include "support/catch.hpp"

/// Processes that a program under test has started.
namespace bracket::testing {

namespace detail {

/// Text of a file in /proc; empty if the process has ended.
inline std::string content_of_proc(const std::string& file) {
  std::ostringstream content;
  content << std::ifstream(file).rdbuf();
  return content.str();
}

}  // namespace detail

/// First process that `parent` has started.
inline pid_t child_of(pid_t parent) {
  const auto id = std::to_string(parent);
  for (int tries = 0; tries < 2000; ++tries) {
    std::istringstream children(
        detail::content_of_proc("/proc/" + id + "/task/" + id + "/children"));
    if (pid_t child = 0; children >> child) return child;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  FAIL("no job was started");
  return 0;
}

/// True if a process is running now and has computed for some time.
inline bool computes(pid_t process) {
  std::istringstream stat(detail::content_of_proc("/proc/" + std::to_string(process) + "/stat"));
  constexpr long enough = 5;  // clock ticks
  std::string field;
  std::string state;
  long ticks = 0;
  // Field 3 is the state, 14 and 15 are the ticks; the name, field 2, has no spaces here.
  for (int k = 1; k <= 15 && stat >> field; ++k) {
    if (k == 3) state = field;
    if (k >= 14) ticks += std::stol(field);
  }
  return state == "R" && ticks >= enough;
}

/// First process that `parent` has started, while it computes: a waiting process has
/// no work to lose.
inline pid_t working_child_of(pid_t parent) {
  const pid_t child = child_of(parent);
  for (int tries = 0; tries < 2000 && !computes(child); ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return child;
}

}  // namespace bracket::testing
