#pragma once

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

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
    std::array<std::array<int, 2>, ends> pipes{};
    for (auto& pipe : pipes) {
      if (::pipe2(pipe.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    }
    std::vector<char*> arguments;
    for (const auto& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    child_ = ::fork();
    if (child_ < 0) throw std::runtime_error("no process");
    if (child_ == 0) start(arguments, setting, pipes);
    for (std::size_t i = 0; i < ends; ++i) {
      ::close(pipes[i][1]);
      from_[i] = pipes[i][0];
    }
  }
  ~Process() {
    if (child_ > 0) {
      ::kill(-child_, SIGKILL);
      ::waitpid(child_, nullptr, 0);
    }
    for (const int from : from_) {
      if (from >= 0) ::close(from);
    }
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
    while (from_ != std::array<int, ends>{-1, -1, -1}) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
          end_ - std::chrono::steady_clock::now());
      std::array<pollfd, ends> polled{};
      for (std::size_t i = 0; i < ends; ++i) polled[i] = {from_[i], POLLIN, 0};
      if (left.count() <= 0 || ::poll(polled.data(), ends, static_cast<int>(left.count())) == 0) {
        return outcome;
      }
      for (std::size_t i = 0; i < ends; ++i) {
        if (polled[i].revents != 0) read(from_[i], *into[i]);
      }
    }
    int status = 0;
    ::waitpid(child_, &status, 0);
    child_ = 0;
    outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return outcome;
  }

 private:
  // stdout, stderr, and a pipe that all children inherit and no process writes to.
  static constexpr std::size_t ends = 3;

  [[noreturn]] static void start(const std::vector<char*>& arguments, const Setting& setting,
                                 const std::array<std::array<int, 2>, ends>& pipes) {
    ::setpgid(0, 0);
    [[maybe_unused]] const int alive = ::fcntl(pipes[2][1], F_DUPFD, STDERR_FILENO + 1);
    ::dup2(pipes[1][1], STDERR_FILENO);
    ::dup2(pipes[0][1], STDOUT_FILENO);
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
    if (::chdir(setting.directory.c_str()) == 0) ::execvp(arguments[0], arguments.data());
    ::_exit(127);
  }

  static void read(int& from, std::string& into) {
    std::array<char, 65536> buffer{};
    const ssize_t got = ::read(from, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) return;
    if (got > 0) {
      into.append(buffer.data(), static_cast<std::size_t>(got));
      return;
    }
    ::close(from);
    from = -1;
  }

  pid_t child_ = 0;
  std::array<int, ends> from_{-1, -1, -1};
  std::chrono::steady_clock::time_point end_;
};

inline Outcome run_process(const std::vector<std::string>& command, const Setting& setting = {}) {
  return Process(command, setting).wait();
}

}  // namespace bracket::testing
