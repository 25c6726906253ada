// SPDX-License-Identifier: MIT

#include "sweep/sweep_jobs.hpp"

#include <algorithm>
#include <csignal>
#include <utility>

#include "bracket/support/child.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

namespace bracket::tools {

SweepJobs::SweepJobs(int count, const Work& work) {
  try {
    for (int i = 0; i < count; ++i) start(work);
  } catch (...) {
    end_all();
    throw;
  }
}

void SweepJobs::start(const Work& work) {
  try {
    auto [here, there] = Channel::pair();
    const auto run = [&, &mine = there, &others = here] {
      // A terminal interrupts all processes. Jobs end with the parent and print no message.
      sigset_t interrupt;
      ::sigemptyset(&interrupt);
      ::sigaddset(&interrupt, SIGINT);
      ::sigprocmask(SIG_BLOCK, &interrupt, nullptr);
      for (Job& other : jobs_) other.channel.close();
      others.close();
      work(mine);
    };
    const pid_t child = support::start_child(SIGKILL, run);
    jobs_.push_back({child, std::move(here)});
  } catch (const Error& error) {
    throw Error(
        text("--jobs: ", jobs_.size(), " processes could be started, but no more: ", error.what()));
  }
}

SweepJobs::~SweepJobs() { end_all(); }

void SweepJobs::end_all() {
  for (const Job& job : jobs_) ::kill(job.process, SIGKILL);
  for (const Job& job : jobs_) support::wait_for(job.process);
  jobs_.clear();
}

bool SweepJobs::any_idle() const {
  return std::any_of(jobs_.begin(), jobs_.end(), [](const Job& job) { return !job.busy; });
}

void SweepJobs::give(const SweepMessage& work) {
  const auto idle =
      std::find_if(jobs_.begin(), jobs_.end(), [](const Job& job) { return !job.busy; });
  idle->busy = true;
  idle->piece = work.piece;
  idle->channel.send(work);
}

void SweepJobs::answer(const SweepMessage& message) {
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
    for (SweepMessage& message : job.channel.receive()) {
      if (message.kind == SweepMessage::Kind::done || message.kind == SweepMessage::Kind::failed) {
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
    const std::string how = support::wait_for(job->process).words();
    const bool lost = job->busy;
    const SweepMessage message{SweepMessage::Kind::lost, 0, job->piece, how};
    job = jobs_.erase(job);
    if (lost) take(message);
  }
}

}  // namespace bracket::tools
