// SPDX-License-Identifier: MIT

#include "bracket/support/child.hpp"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>

#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

namespace bracket::support {

std::string ProcessEnd::words() const {
  if (signal != 0) return text("signal ", signal, " (", ::strsignal(signal), ")");
  return text("exit code ", code);
}

pid_t start_child(int orphan_signal, const std::function<void()>& work) {
  // Else the copy inherits what is not yet written and writes it again.
  std::cout << std::flush;
  std::fflush(nullptr);
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) throw Error(text("no child process: ", std::strerror(errno)));
  if (child > 0) return child;
  ::prctl(PR_SET_PDEATHSIG, orphan_signal);
  if (::getppid() != parent) ::_exit(1);  // it ended before that
  try {
    work();
  } catch (...) {
    ::_exit(1);
  }
  ::_exit(0);
}

ProcessEnd wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status)) return {.code = 0, .signal = WTERMSIG(status)};
  return {.code = WEXITSTATUS(status), .signal = 0};
}

}  // namespace bracket::support
