#include "sweep/sweep_jobs.hpp"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <utility>

#include "bracket/support/error.hpp"

namespace bracket::tools {

namespace {

/// How a process ended, in words; it is gone after that.
std::string end_of(pid_t process) {
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status)) {
    return text("signal ", WTERMSIG(status), " (", ::strsignal(WTERMSIG(status)), ")");
  }
  return text("exit code ", WEXITSTATUS(status));
}

}  // namespace

SweepJobs::SweepJobs(int count, const Work& work) {
  // Else they inherit what is not yet written, and write it again.
  std::cout << std::flush;
  std::fflush(nullptr);
  try {
    for (int i = 0; i < count; ++i) start(work);
  } catch (...) {
    end_all();
    throw;
  }
}

void SweepJobs::start(const Work& work) {
  const auto refuse = [this](const std::string& why) {
    throw Error(text("--jobs: ", jobs_.size(), " processes could be started, and no more: ", why));
  };
  std::pair<Channel, Channel> ends{Channel(-1), Channel(-1)};
  try {
    ends = Channel::pair();
  } catch (const Error& error) {
    refuse(error.what());
  }
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) refuse(std::strerror(errno));
  if (child > 0) {
    jobs_.push_back({child, std::move(ends.first)});
    return;
  }
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  // A terminal interrupts all of them: they end with the parent, without words of their own.
  sigset_t interrupt;
  ::sigemptyset(&interrupt);
  ::sigaddset(&interrupt, SIGINT);
  ::sigprocmask(SIG_BLOCK, &interrupt, nullptr);
  for (Job& other : jobs_) other.channel.close();
  ends.first.close();
  try {
    work(ends.second);
  } catch (...) {
    ::_exit(1);
  }
  // Without destructors and exit handlers, which are the parent's.
  ::_exit(0);
}

SweepJobs::~SweepJobs() { end_all(); }

void SweepJobs::end_all() {
  for (const Job& job : jobs_) ::kill(job.process, SIGKILL);
  for (const Job& job : jobs_) end_of(job.process);
  jobs_.clear();
}

bool SweepJobs::any_idle() const {
  return std::any_of(jobs_.begin(), jobs_.end(), [](const Job& job) { return !job.busy; });
}

void SweepJobs::give(const Message& work) {
  const auto idle =
      std::find_if(jobs_.begin(), jobs_.end(), [](const Job& job) { return !job.busy; });
  idle->busy = true;
  idle->piece = work.piece;
  idle->channel.send(work);
}

void SweepJobs::answer(const Message& message) {
  for (Job& job : jobs_) {
    if (job.busy && job.piece == message.piece) job.channel.send(message);
  }
}

void SweepJobs::add_to(std::vector<pollfd>& polled) const {
  for (const Job& job : jobs_) {
    polled.push_back({job.channel.descriptor(), job.channel.events(), 0});
  }
}

void SweepJobs::receive(const Take& take) {
  for (Job& job : jobs_) {
    job.channel.flush();
    for (Message& message : job.channel.receive()) {
      if (message.kind == Message::Kind::done || message.kind == Message::Kind::failed) {
        job.busy = false;
      }
      take(std::move(message));
    }
  }
  for (auto job = jobs_.begin(); job != jobs_.end();) {
    if (!job->channel.closed()) {
      ++job;
      continue;
    }
    const std::string how = end_of(job->process);
    const bool lost = job->busy;
    const Message message{Message::Kind::lost, 0, job->piece, how};
    job = jobs_.erase(job);
    if (lost) take(message);
  }
}

}  // namespace bracket::tools
