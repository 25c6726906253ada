// SPDX-License-Identifier: MIT

#include "common/interrupt.hpp"

#include <csignal>
#include <cstdio>
#include <ctime>
#include <iostream>

namespace bracket::tools {

namespace {

volatile std::sig_atomic_t interrupted = 0;
timespec first_at{};
struct sigaction before {};

double since(const timespec& time) {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec - time.tv_sec) +
         1e-9 * static_cast<double>(now.tv_nsec - time.tv_nsec);
}

extern "C" void keep(int) {
  // Launchers and `timeout` may send one interrupt twice.
  constexpr double one_interrupt = 0.5;  // seconds
  if (interrupted == 0) {
    ::clock_gettime(CLOCK_MONOTONIC, &first_at);
    interrupted = 1;
  } else if (since(first_at) > one_interrupt) {
    std::signal(SIGINT, SIG_DFL);
    std::raise(SIGINT);
  }
}

}  // namespace

Interrupt::Interrupt() {
  interrupted = 0;
  struct sigaction action {};
  action.sa_handler = keep;
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGINT, &action, &before);
}

Interrupt::~Interrupt() { ::sigaction(SIGINT, &before, nullptr); }

bool Interrupt::came() { return interrupted != 0; }

void Interrupt::obey() {
  if (!came()) return;
  std::cout << std::flush;
  std::fflush(nullptr);
  std::signal(SIGINT, SIG_DFL);
  std::raise(SIGINT);
}

}  // namespace bracket::tools
