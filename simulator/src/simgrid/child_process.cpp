#include "simgrid/child_process.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>
#include <sstream>

#include "bracket/support/error.hpp"

namespace bracket::simulator {

namespace {

// The first byte of what the child sends; the result or the message follows.
constexpr char is_result = 'r';
constexpr char is_error = 'e';    // an `Error`, complete
constexpr char is_failure = 'f';  // any other exception

[[noreturn]] void fail(const char* what) {
  throw Error(text("no child process to simulate in: ", what, ": ", std::strerror(errno)));
}

/// A file descriptor that is closed with its owner.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  void close() {
    if (number_ >= 0) ::close(number_);
    number_ = -1;
  }
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

struct FileCloser {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, FileCloser>;

bool write_all(int to, const std::string& bytes) {
  for (std::size_t written = 0; written < bytes.size();) {
    const auto count = ::write(to, bytes.data() + written, bytes.size() - written);
    if (count < 0 && errno != EINTR) return false;
    if (count > 0) written += static_cast<std::size_t>(count);
  }
  return true;
}

/// Everything up to the end; what there is if reading fails.
std::string read_all(int from) {
  std::string bytes;
  std::array<char, 65536> buffer{};
  for (;;) {
    const auto count = ::read(from, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return bytes;
    bytes.append(buffer.data(), static_cast<std::size_t>(count));
  }
}

int wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) fail("waitpid");
  }
  return status;
}

[[noreturn]] void run_child(int to_parent, std::FILE* printed,
                            const std::function<std::string()>& work) {
  // The caller's handlers mean the caller, and an abort that is expected needs no core file.
  for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGINT, SIGTERM, SIGHUP}) {
    std::signal(signal, SIG_DFL);
  }
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // nobody waits for the answer of a caller that was killed
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  // Out of the way of the standard streams, which the caller may have closed.
  const int answer_to = ::fcntl(to_parent, F_DUPFD, STDERR_FILENO + 1);
  if (answer_to < 0 || ::dup2(::fileno(printed), STDOUT_FILENO) < 0 ||
      ::dup2(::fileno(printed), STDERR_FILENO) < 0) {
    ::_exit(1);
  }
  std::string answer;
  try {
    answer = is_result + work();
  } catch (const Error& error) {
    answer = is_error + std::string(error.what());
  } catch (const std::exception& failure) {
    answer = is_failure + std::string(failure.what());
  } catch (...) {
    answer = is_failure + std::string("an unknown exception");
  }
  // Without destructors and exit handlers: they are the caller's, or SimGrid's.
  ::_exit(write_all(answer_to, answer) ? 0 : 1);
}

/// `lines` as one, without the blank ones: SimGrid quotes the platform's file.
std::string joined(const std::string& lines) {
  std::string line, all;
  for (std::istringstream in(lines); std::getline(in, line);) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    if (!all.empty()) all += "; ";
    all += line;
  }
  return excerpt(all, 1000);
}

std::string cause_of_end(int status, const std::string& printed) {
  std::string cause;
  if (WIFSIGNALED(status)) {
    cause =
        text("SimGrid ended by signal ", WTERMSIG(status), " (", strsignal(WTERMSIG(status)), ")");
  } else {
    cause = text("SimGrid ended with exit code ", WEXITSTATUS(status));
  }
  const std::string words = joined(printed);
  return words.empty() ? cause : text(cause, ": ", words);
}

}  // namespace

std::string in_child_process(const std::string& subject, const std::function<std::string()>& work) {
  const File printed(std::tmpfile());
  if (printed == nullptr) fail("tmpfile");
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) fail("pipe");
  const Descriptor from_child(ends[0]);
  Descriptor to_parent(ends[1]);

  std::fflush(nullptr);  // else the child inherits what is not yet written and writes it again
  const pid_t child = ::fork();
  if (child < 0) fail("fork");
  if (child == 0) run_child(to_parent.number(), printed.get(), work);
  to_parent.close();
  const std::string answer = read_all(from_child.number());
  const int status = wait_for(child);

  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || answer.empty()) {
    ::lseek(::fileno(printed.get()), 0, SEEK_SET);
    throw Error(text(subject, ": ", cause_of_end(status, read_all(::fileno(printed.get())))));
  }
  const std::string content = answer.substr(1);
  if (answer.front() == is_error) throw Error(content);
  if (answer.front() == is_failure) throw Error(text(subject, ": ", joined(content)));
  return content;
}

}  // namespace bracket::simulator
