// SPDX-License-Identifier: MIT

#pragma once

#include <sys/types.h>

#include <functional>
#include <string>

/// Processes that this process starts.
namespace bracket::support {

/// How a process ended.
struct ProcessEnd {
  int code = 0;    ///< exit code; 0 if a signal ended it
  int signal = 0;  ///< signal that ended it, or 0

  [[nodiscard]] bool succeeded() const { return code == 0 && signal == 0; }

  /// "exit code 3" or "signal 9 (Killed)".
  [[nodiscard]] std::string words() const;
};

/// Starts a copy of this process that calls `work` and ends, without destructors and exit handlers,
/// with exit code 0, or 1 if `work` throws. The copy gets `orphan_signal` when this process ends
/// before it. Returns its number. To be called while this process has one thread. Throws `Error` if
/// there can be no more processes.
pid_t start_child(int orphan_signal, const std::function<void()>& work);

/// Waits for the end of a process that this process started.
ProcessEnd wait_for(pid_t child);

}  // namespace bracket::support
