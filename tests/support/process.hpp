// SPDX-License-Identifier: MIT

#pragma once

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "bracket/support/child.hpp"
#include "bracket/support/descriptor.hpp"
#include "common/spawn.hpp"

namespace bracket::testing {

/// Settings of a program's start.
struct Setting {
  std::filesystem::path directory = ".";
  std::vector<std::pair<std::string, std::string>> environment;  ///< added to this process
  std::string output;     ///< file for its stdout; `&-` closes it; captured if empty
  std::size_t space = 0;  ///< limit of its memory in bytes; 0 for no limit
  std::chrono::seconds limit{20};
};

/// Exit code and output of a program.
struct Outcome {
  int code = -1;  ///< exit code; 128 + signal; -1 if it or its children were still running
  std::string out;
  std::string err;
};

/// A program that runs beside the test. If it stays, it is killed with all its children.
class Process {
 public:
  explicit Process(const std::vector<std::string>& command, const Setting& setting = {})
      : end_(std::chrono::steady_clock::now() + setting.limit) {
    std::array<support::Pipe, ends> pipes;
    child_ =
        tools::start_program({.command = command, .output = pipes[0].to.number(), .prepare = [&] {
                                return prepare(setting, pipes);
                              }});
    for (std::size_t i = 0; i < ends; ++i) from_[i] = std::move(pipes[i].from);
  }
  ~Process() {
    if (child_ <= 0) return;
    ::kill(-child_, SIGKILL);
    support::wait_for(child_);
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  [[nodiscard]] pid_t id() const { return child_; }

  /// Sends a signal to the program alone, not to its children.
  void signal(int number) const { ::kill(child_, number); }

  Outcome wait() {
    Outcome outcome;
    std::string alive;
    std::array<std::string*, ends> into{&outcome.out, &outcome.err, &alive};
    const auto open = [](const support::Descriptor& from) { return from.number() >= 0; };
    while (std::any_of(from_.begin(), from_.end(), open)) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
          end_ - std::chrono::steady_clock::now());
      std::array<pollfd, ends> polled{};
      for (std::size_t i = 0; i < ends; ++i) polled[i] = {from_[i].number(), POLLIN, 0};
      if (left.count() <= 0 || ::poll(polled.data(), ends, static_cast<int>(left.count())) == 0) {
        return outcome;
      }
      for (std::size_t i = 0; i < ends; ++i) {
        if (polled[i].revents != 0) read(from_[i], *into[i]);
      }
    }
    const support::ProcessEnd end = support::wait_for(std::exchange(child_, 0));
    outcome.code = end.signal != 0 ? 128 + end.signal : end.code;
    return outcome;
  }

 private:
  // stdout, stderr, and a pipe that all children inherit and no process writes to.
  static constexpr std::size_t ends = 3;

  static bool prepare(const Setting& setting, const std::array<support::Pipe, ends>& pipes) {
    ::setpgid(0, 0);
    [[maybe_unused]] const int alive = ::fcntl(pipes[2].to.number(), F_DUPFD, STDERR_FILENO + 1);
    ::dup2(pipes[1].to.number(), STDERR_FILENO);
    if (setting.output == "&-") {
      ::close(STDOUT_FILENO);
    } else if (!setting.output.empty()) {
      ::dup2(::open(setting.output.c_str(), O_WRONLY | O_CREAT, 0666), STDOUT_FILENO);
    }
    if (setting.space != 0) {
      const rlimit limit{setting.space, setting.space};
      ::setrlimit(RLIMIT_AS, &limit);
    }
    for (const auto& [name, value] : setting.environment) {
      ::setenv(name.c_str(), value.c_str(), 1);
    }
    return ::chdir(setting.directory.c_str()) == 0;
  }

  static void read(support::Descriptor& from, std::string& into) {
    std::array<char, 65536> buffer{};
    const ssize_t got = ::read(from.number(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) return;
    if (got > 0) {
      into.append(buffer.data(), static_cast<std::size_t>(got));
      return;
    }
    from.close();
  }

  pid_t child_ = 0;
  std::array<support::Descriptor, ends> from_;
  std::chrono::steady_clock::time_point end_;
};

inline Outcome run_process(const std::vector<std::string>& command, const Setting& setting = {}) {
  return Process(command, setting).wait();
}

}  // namespace bracket::testing
