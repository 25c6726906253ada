#include "common/programs.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <utility>

#include "bracket/support/error.hpp"

namespace bracket::tools {

namespace fs = std::filesystem;

const std::vector<Helper>& helpers() {
  static const std::vector<Helper> all{
      {"bracket-mpi", "run", "Reduce a file on the ranks of mpiexec, and measure the time",
       "MPI runtime"},
      {"bracket-mpi", "bench",
       "Time reductions on the ranks of mpiexec side by side with an irreproducible sum",
       "MPI runtime"},
      {"bracket-mpi", "calibrate",
       "Measure this machine on the ranks of mpiexec, and write its file for --machine",
       "MPI runtime"},
      {"bracket-simulate", "simulate", "Predict the time of a schedule on a simulated network",
       "simulators"},
      {"bracket-simulate", "tune", "Search the distribution and the plan with the least cost",
       "simulators"},
  };
  return all;
}

const Helper* helper_for(const std::string& subcommand) {
  const auto found = std::find_if(helpers().begin(), helpers().end(), [&](const Helper& helper) {
    return helper.subcommand == subcommand;
  });
  return found == helpers().end() ? nullptr : &*found;
}

fs::path locate(const Helper& helper) {
  const fs::path here = fs::read_symlink("/proc/self/exe").parent_path();
  for (const fs::path& folder : {here, here / ".." / "libexec" / "bracket"}) {
    std::error_code ignored;
    if (fs::is_regular_file(folder / helper.program, ignored)) return folder / helper.program;
  }
  throw Error(text("`bracket ", helper.subcommand, "` needs the ", helper.part,
                   ", which this build has not: ", helper.program, " is not in ", here.string()));
}

std::vector<std::string> launcher_words(const std::string& launcher, Rank ranks) {
  const std::string place = "{ranks}";
  std::vector<std::string> words;
  std::istringstream in(launcher);
  bool has_count = false;
  for (std::string word; in >> word;) {
    if (const auto at = word.find(place); at != std::string::npos) {
      word.replace(at, place.size(), std::to_string(ranks));
      has_count = true;
    }
    words.push_back(word);
  }
  if (words.empty()) throw Error("--launcher is empty");
  if (!has_count) words.insert(words.end(), {"-n", std::to_string(ranks)});
  return words;
}

void hand_over(const Helper& helper, char** argv) {
  const std::string path = locate(helper).string();
  ::execv(path.c_str(), argv);
  throw Error(text(path, ": cannot be started: ", std::strerror(errno)));
}

namespace {

volatile pid_t running = 0;
volatile std::sig_atomic_t ending_signal = 0;

/// Signals that end this process end what it started first: mpiexec is to clear its ranks away.
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

  /// Waits for the child's end and returns its status. Its id is forgotten before it is free for
  /// another process.
  int reap(pid_t started) {
    siginfo_t ended;
    while (::waitid(P_PID, static_cast<id_t>(started), &ended, WEXITED | WNOWAIT) < 0 &&
           errno == EINTR) {
    }
    running = 0;
    int status = 0;
    while (::waitpid(started, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
  }

 private:
  static constexpr std::array signals{SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, signals.size()> before_{};
};

/// Has a program that is started next find `descriptor` as `number`, as which it may be open.
bool become(int descriptor, int number) {
  return descriptor == number ? ::fcntl(number, F_SETFD, 0) == 0 : ::dup2(descriptor, number) >= 0;
}

/// Starts a program (found on PATH) whose stdout is `output`, which finds `kept`, if it is one,
/// open under the same number, and which gets SIGTERM when this process ends without having ended
/// it: SIGKILL leaves no time for that. Negative, with the reason in errno, if it cannot be
/// started.
pid_t start(const std::vector<char*>& arguments, int output, int kept = -1) {
  int ends[2];  // closed by a start that succeeds; the reason comes of another
  if (::pipe2(ends, O_CLOEXEC) != 0) return -1;
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (::getppid() != parent) ::_exit(1);  // it ended before that
    const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (nothing >= 0 && become(nothing, STDIN_FILENO) && become(output, STDOUT_FILENO) &&
        (kept < 0 || become(kept, kept))) {
      ::execvp(arguments[0], arguments.data());
    }
    const int reason = errno;
    [[maybe_unused]] const auto said = ::write(ends[1], &reason, sizeof reason);
    ::_exit(1);
  }
  int reason = errno;
  ::close(ends[1]);
  ssize_t got = 0;
  while (child > 0 && (got = ::read(ends[0], &reason, sizeof reason)) < 0 && errno == EINTR) {
  }
  const bool failed = child < 0 || got == sizeof reason;
  ::close(ends[0]);
  if (child > 0 && failed) ::waitpid(child, nullptr, 0);
  errno = reason;
  return failed ? -1 : child;
}

}  // namespace

ProgramBeside::ProgramBeside(const std::vector<char*>& arguments, const std::string& variable)
    : channel_(-1) {
  auto [here, there] = Channel::pair();
  ::setenv(variable.c_str(), std::to_string(there.descriptor()).c_str(), 1);
  process_ = start(arguments, STDOUT_FILENO, there.descriptor());
  const int failure = errno;
  ::unsetenv(variable.c_str());
  if (process_ < 0)
    throw Error(text(arguments[0], ": cannot be started: ", std::strerror(failure)));
  channel_ = std::move(here);
}

int ProgramBeside::wait() {
  channel_.close();
  if (process_ < 0) return code_;
  int status = 0;
  while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  process_ = -1;
  return code_ = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

void ProgramBeside::end() {
  if (process_ >= 0) ::kill(process_, SIGTERM);
  wait();
}

FileInMemory::FileInMemory(std::string_view content) {
  const int made = ::memfd_create("bracket", MFD_CLOEXEC);
  // Where stdout is closed it may have stdout's number, which in a program started is its own.
  descriptor_ = made < 0 ? made : ::fcntl(made, F_DUPFD, STDERR_FILENO + 1);
  const int reason = errno;
  if (made >= 0) ::close(made);
  if (descriptor_ < 0) throw Error(text("no file in memory: ", std::strerror(reason)));
  while (!content.empty()) {
    const ssize_t written = ::write(descriptor_, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      const int why = errno;
      ::close(descriptor_);
      throw Error(text("a file in memory cannot be written: ", std::strerror(why)));
    }
    content.remove_prefix(static_cast<std::size_t>(written));
  }
}

FileInMemory::~FileInMemory() { ::close(descriptor_); }

std::string FileInMemory::path() const { return text("/proc/self/fd/", descriptor_); }

std::string output_of(const std::vector<std::string>& command) {
  std::vector<char*> arguments;
  for (const auto& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);

  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw Error(text("pipe: ", std::strerror(errno)));
  SignalsToChild signals;
  const pid_t child = start(arguments, ends[1]);
  const int failure = errno;
  ::close(ends[1]);
  if (child < 0) {
    ::close(ends[0]);
    throw Error(text(command[0], ": cannot be started: ", std::strerror(failure)));
  }
  signals.child(child);
  std::string output;
  char buffer[4096];
  while (true) {
    const ssize_t got = ::read(ends[0], buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    output.append(buffer, static_cast<std::size_t>(got));
  }
  ::close(ends[0]);
  const int status = signals.reap(child);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    std::string written;
    for (const auto& word : command) written += (written.empty() ? "" : " ") + word;
    if (!WIFEXITED(status)) {
      throw Error(text("`", written, "` was ended by signal ", WTERMSIG(status)));
    }
    throw ProgramFailed(text("`", written, "` failed with exit code ", WEXITSTATUS(status)),
                        WEXITSTATUS(status));
  }
  return output;
}

}  // namespace bracket::tools
