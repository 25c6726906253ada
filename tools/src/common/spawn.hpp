#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "bracket/support/descriptor.hpp"
#include "bracket/support/error.hpp"

/// The one place that starts other programs.
namespace bracket::tools {

/// What is run, and what the new process does first.
struct Start {
  std::vector<std::string> command;  ///< the first word is found on PATH
  int output = 1;                    ///< descriptor of this process that becomes the stdout
  /// Runs in the new process before it becomes the program, whose stdin is empty and whose stdout
  /// is in place by then. Returns false, with the reason in errno, if the program must not start.
  std::function<bool()> prepare = {};
};

/// Starts a program and returns its process, which gets SIGTERM when this process ends before it:
/// SIGKILL leaves no time to end it. Throws `Error` if it cannot be started.
pid_t start_program(const Start& start);

/// A program that was started has ended with another exit code than 0.
class ProgramFailed : public Error {
 public:
  ProgramFailed(const std::string& what, int code) : Error(what), code_(code) {}
  [[nodiscard]] int code() const { return code_; }

 private:
  int code_;
};

/// Runs `command` (found on PATH), waits, and returns what it wrote to stdout; its stderr is this
/// process's. Passes SIGINT, SIGTERM and SIGHUP on to it, and ends by them after it. Throws `Error`
/// if it cannot be started, and `ProgramFailed` if it fails.
std::string output_of(const std::vector<std::string>& command);

/// A file without a place in the file system, which programs started while it exists can read.
class FileInMemory {
 public:
  /// Throws `Error` if there can be none.
  explicit FileInMemory(std::string_view content);

  /// For this program and for those.
  [[nodiscard]] std::string path() const;

 private:
  Descriptor file_;
};

}  // namespace bracket::tools
