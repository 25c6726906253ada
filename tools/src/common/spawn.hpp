// SPDX-License-Identifier: MIT

#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "bracket/support/descriptor.hpp"
#include "bracket/support/error.hpp"

/// Starts other programs. No other place does.
namespace bracket::tools {

/// A program to start, and an action of the new process before it.
struct Start {
  std::vector<std::string> command;  ///< the first word is found on PATH
  int output = 1;                    ///< descriptor of this process that becomes its stdout
  /// Runs in the new process before it becomes the program. Stdin is then empty, and stdout is in
  /// place. Returns false, with the reason in errno, if the program must not start.
  std::function<bool()> prepare = {};
};

/// Starts a program and returns its process number. The program gets SIGTERM if this process ends
/// before it, even by SIGKILL. Throws `Error` if it cannot be started.
pid_t start_program(const Start& start);

/// Error of a started program that ended with an exit code other than 0.
class ProgramFailed : public Error {
 public:
  ProgramFailed(const std::string& what, int code) : Error(what), code_(code) {}
  [[nodiscard]] int code() const { return code_; }

 private:
  int code_;
};

/// Runs `command` (found on PATH), waits, and returns its output on stdout. It shares the stderr of
/// this process. Passes SIGINT, SIGTERM and SIGHUP on to it; this process ends by them after it.
/// Throws `Error` if it cannot be started, and `ProgramFailed` if it fails.
std::string output_of(const std::vector<std::string>& command);

/// A file outside the file system. Programs that start while it exists can read it.
class FileInMemory {
 public:
  /// Throws `Error` if it cannot be created or written.
  explicit FileInMemory(std::string_view content);

  /// Adds content at the end, which programs that have started can read, too. Throws `Error`.
  void append(std::string_view content);

  /// Returns the path for this program and for programs that it starts.
  [[nodiscard]] std::string path() const;

 private:
  support::Descriptor file_;
};

}  // namespace bracket::tools
