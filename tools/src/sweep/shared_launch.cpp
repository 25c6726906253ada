// SPDX-License-Identifier: MIT

#include "sweep/shared_launch.hpp"

#include <unistd.h>

#include <cstdlib>
#include <optional>

#include "bracket/support/error.hpp"
#include "common/command_line.hpp"
#include "sweep/sweep_sharing.hpp"

namespace bracket::tools {

SharedLaunch* SharedLaunch::of_this_process() {
  static std::optional<SharedLaunch> launch = []() -> std::optional<SharedLaunch> {
    const char* const socket = std::getenv(shared_launch_variable);
    if (socket == nullptr) return {};
    return std::optional<SharedLaunch>(std::in_place, std::atoi(socket));
  }();
  return launch ? &*launch : nullptr;
}

void SharedLaunch::wait_for_place() {
  if (cores_ > 0) return;
  const auto place = channel_.wait();
  // bracket-mpi prints why it has ended.
  if (!place) throw SaidError();
  rank_ = place->rank;
  ranks_ = static_cast<Rank>(place->piece);
  cores_ = std::stoi(place->content);
}

bool SharedLaunch::first() {
  wait_for_place();
  return rank_ == 0;
}

Rank SharedLaunch::others() {
  wait_for_place();
  return ranks_ - 1;
}

int SharedLaunch::cores() {
  wait_for_place();
  return cores_;
}

void SharedLaunch::serve(SweepJobs& jobs, int count) {
  // One piece more than jobs, so that no job waits for a round trip to rank 0.
  serve_sweep(channel_, jobs, count + 1);
}

void SharedLaunch::refuse(const std::string& why) {
  channel_.send_now({SweepMessage::Kind::refused, 0, 0, why});
}

}  // namespace bracket::tools
