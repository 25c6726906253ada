// SPDX-License-Identifier: MIT

#include "common/spawn.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "bracket/support/child.hpp"
#include "bracket/support/text.hpp"

// Boost.Process 1.74 leaves a zombie if a program cannot be started, and its pipes are inherited by
// every program. It passes no signals on, ends no orphans, and needs Boost.Filesystem's library to
// find a program on PATH. Boost 1.88 replaces its interface.
namespace bracket::tools {

namespace {

/// Makes `descriptor` available to a program as `number`. The two may be equal.
bool become(int descriptor, int number) {
  return descriptor == number ? ::fcntl(number, F_SETFD, 0) == 0 : ::dup2(descriptor, number) >= 0;
}

/// Replaces the new process by the program. Returns only on failure, with the reason in errno.
void execute(const Start& start) {
  std::vector<char*> words;
  for (const auto& word : start.command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (nothing < 0 || !become(nothing, STDIN_FILENO) || !become(start.output, STDOUT_FILENO)) return;
  if (start.prepare && !start.prepare()) return;
  ::execvp(words[0], words.data());
}

volatile pid_t running = 0;
volatile std::sig_atomic_t ending_signal = 0;

/// Passes signals that end this process to its child first, so that mpiexec can end its ranks.
class SignalsToChild {
 public:
  SignalsToChild() {
    running = 0;
    ending_signal = 0;
    struct sigaction forward {};
    forward.sa_handler = [](int signal) {
      ending_signal = signal;
      if (running > 0) ::kill(running, signal);
    };
    for (std::size_t i = 0; i < signals.size(); ++i) {
      ::sigaction(signals[i], nullptr, &before_[i]);
      if (before_[i].sa_handler != SIG_IGN) ::sigaction(signals[i], &forward, nullptr);
    }
  }
  ~SignalsToChild() {
    for (std::size_t i = 0; i < signals.size(); ++i) ::sigaction(signals[i], &before_[i], nullptr);
    if (ending_signal != 0) std::raise(ending_signal);
  }
  SignalsToChild(const SignalsToChild&) = delete;
  SignalsToChild& operator=(const SignalsToChild&) = delete;

  void child(pid_t started) {
    running = started;
    if (ending_signal != 0) ::kill(started, ending_signal);
  }

  /// Waits for the child's end. Forgets its process number before the system can reuse it.
  support::ProcessEnd reap(pid_t started) {
    siginfo_t ended;
    while (::waitid(P_PID, static_cast<id_t>(started), &ended, WEXITED | WNOWAIT) < 0 &&
           errno == EINTR) {
    }
    running = 0;
    return support::wait_for(started);
  }

 private:
  static constexpr std::array signals{SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, signals.size()> before_{};
};

}  // namespace

pid_t start_program(const Start& start) {
  std::string why;
  try {
    support::Pipe failure;  // a start that succeeds closes it
    const pid_t child = support::start_child(SIGTERM, [&] {
      execute(start);
      const int reason = errno;
      support::write_all(failure.to.number(),
                         {reinterpret_cast<const char*>(&reason), sizeof reason});
    });
    failure.to.close();
    const std::string said = support::read_all(failure.from.number());
    int reason = 0;
    if (said.size() != sizeof reason) return child;
    std::memcpy(&reason, said.data(), sizeof reason);
    support::wait_for(child);
    why = std::strerror(reason);
  } catch (const Error& error) {
    why = error.what();
  }
  throw Error(text(start.command[0], ": cannot be started: ", why));
}

std::string output_of(const std::vector<std::string>& command) {
  support::Pipe output;
  SignalsToChild signals;
  const pid_t child = start_program({.command = command, .output = output.to.number()});
  output.to.close();
  signals.child(child);
  std::string written = support::read_all(output.from.number());
  output.from.close();
  const support::ProcessEnd end = signals.reap(child);
  if (end.succeeded()) return written;
  std::string words;
  for (const auto& word : command) words += (words.empty() ? "" : " ") + word;
  if (end.signal != 0) throw Error(text("`", words, "` was ended by ", end.words()));
  throw ProgramFailed(text("`", words, "` failed with ", end.words()), end.code);
}

FileInMemory::FileInMemory(std::string_view content) {
  const support::Descriptor made(::memfd_create("bracket", MFD_CLOEXEC));
  // If stdout is closed, the descriptor may get its number, which a started program uses itself.
  if (made.number() >= 0)
    file_ = support::Descriptor(::fcntl(made.number(), F_DUPFD, STDERR_FILENO + 1));
  if (file_.number() < 0)
    throw Error(text("a file in memory cannot be created: ", std::strerror(errno)));
  append(content);
}

void FileInMemory::append(std::string_view content) {
  if (!support::write_all(file_.number(), content)) {
    throw Error(text("a file in memory cannot be written: ", std::strerror(errno)));
  }
}

std::string FileInMemory::path() const { return text("/proc/self/fd/", file_.number()); }

}  // namespace bracket::tools
