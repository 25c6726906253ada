// SPDX-License-Identifier: MIT

#pragma once

#include <string>
#include <vector>

#include "bracket/support/child.hpp"
#include "sweep/channel.hpp"

namespace bracket::tools {

/// A program that runs beside this one, shares its stdout and stderr, and has a channel to it. The
/// program ends when this process ends.
class ProgramBeside {
 public:
  /// Starts `command` (found on PATH). The program finds the number of its end of the channel in
  /// the environment's `variable`. Throws `Error` if it cannot be started.
  ProgramBeside(const std::vector<std::string>& command, const std::string& variable);
  ~ProgramBeside();
  ProgramBeside(const ProgramBeside&) = delete;
  ProgramBeside& operator=(const ProgramBeside&) = delete;

  [[nodiscard]] Channel& channel() { return channel_; }

  /// Closes the channel and waits for the program's end.
  support::ProcessEnd wait();

 private:
  Channel channel_;
  pid_t process_ = -1;
  support::ProcessEnd end_;
};

}  // namespace bracket::tools
