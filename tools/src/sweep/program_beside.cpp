// SPDX-License-Identifier: MIT

#include "sweep/program_beside.hpp"

#include <fcntl.h>

#include <csignal>
#include <cstdlib>
#include <utility>

#include "common/spawn.hpp"

namespace bracket::tools {

ProgramBeside::ProgramBeside(const std::vector<std::string>& command, const std::string& variable)
    : channel_(-1) {
  auto ends = Channel::pair();
  const int there = ends.second.descriptor();
  const auto keep = [&] {
    return ::setenv(variable.c_str(), std::to_string(there).c_str(), 1) == 0 &&
           ::fcntl(there, F_SETFD, 0) == 0;
  };
  process_ = start_program({.command = command, .prepare = keep});
  channel_ = std::move(ends.first);
}

ProgramBeside::~ProgramBeside() {
  if (process_ >= 0) ::kill(process_, SIGTERM);
  wait();
}

support::ProcessEnd ProgramBeside::wait() {
  channel_.close();
  if (process_ >= 0) end_ = support::wait_for(std::exchange(process_, -1));
  return end_;
}

}  // namespace bracket::tools
