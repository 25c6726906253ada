// SPDX-License-Identifier: MIT

#include "simgrid/child_process.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>
#include <sstream>

#include "bracket/support/child.hpp"
#include "bracket/support/descriptor.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

namespace bracket::simulator {

namespace {

// The first byte of what the child sends; the result or the message follows.
constexpr char is_result = 'r';
constexpr char is_error = 'e';    // an `Error`, complete
constexpr char is_failure = 'f';  // any other exception

struct FileCloser {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, FileCloser>;

void run_child(int to_parent, std::FILE* printed, const std::function<std::string()>& work) {
  // The caller's handlers mean the caller, and an abort that is expected needs no core file.
  for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGINT, SIGTERM, SIGHUP}) {
    std::signal(signal, SIG_DFL);
  }
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
  } catch (const std::bad_alloc&) {
    answer = is_error + std::string("there is not enough memory for this size");
  } catch (const std::exception& failure) {
    answer = is_failure + std::string(failure.what());
  } catch (...) {
    answer = is_failure + std::string("an unknown exception");
  }
  if (!support::write_all(answer_to, answer)) ::_exit(1);
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

std::string cause_of_end(const support::ProcessEnd& end, const std::string& printed) {
  const std::string cause = text("SimGrid ended ", end.signal != 0 ? "by " : "with ", end.words());
  const std::string words = joined(printed);
  return words.empty() ? cause : text(cause, ": ", words);
}

}  // namespace

std::string in_child_process(const std::string& subject, const std::function<std::string()>& work) {
  const File printed(std::tmpfile());
  if (printed == nullptr) throw Error(text("no temporary file: ", std::strerror(errno)));
  support::Pipe pipe;
  // The answer has no taker once this process is gone.
  const pid_t child =
      support::start_child(SIGKILL, [&] { run_child(pipe.to.number(), printed.get(), work); });
  pipe.to.close();
  const std::string answer = support::read_all(pipe.from.number());
  const support::ProcessEnd end = support::wait_for(child);
  if (!end.succeeded() || answer.empty()) {
    ::lseek(::fileno(printed.get()), 0, SEEK_SET);
    throw Error(text(subject, ": ", cause_of_end(end, support::read_all(::fileno(printed.get())))));
  }
  const std::string content = answer.substr(1);
  if (answer.front() == is_error) throw Error(content);
  if (answer.front() == is_failure) throw Error(text(subject, ": ", joined(content)));
  return content;
}

}  // namespace bracket::simulator
