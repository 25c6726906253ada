// SPDX-License-Identifier: MIT

#pragma once

#include <memory>
#include <string>

#include "bracket/runtime/communicator.hpp"
#include "bracket/runtime/computation.hpp"

namespace bracket::runtime {

/// Message of the error if a run begins while another is under way.
inline constexpr const char* run_under_way = "a run is under way: wait for it before the next";

/// Runs one rank's part of a reduction as often as you want. A run looks nothing up and allocates
/// no memory.
class Execution {
 public:
  virtual ~Execution() = default;

  /// The computation of the next runs, which must exist as long as they do.
  void compute_by(Computation& computation) { computation_ = &computation; }

  [[nodiscard]] virtual const Communicator& communicator() const = 0;

  /// Throws `Error` if a run is under way, if an earlier one failed or if MPI has ended.
  virtual void check_idle() const = 0;

  /// Begins a run, if `check_idle` does not throw. Folds as far as possible without messages of
  /// other ranks, and starts the messages that the others need.
  virtual void start() = 0;

  /// Ends the run that would begin, and all further ones. Throws `CollectiveError` with these words
  /// and this rank's number; the others throw the same.
  [[noreturn]] void fail(const std::string& words) { throw CollectiveError(refuse(words)); }

  /// Makes progress, and returns whether the run is complete; true without a run. Throws `Error` if
  /// an earlier run failed or if MPI has ended.
  virtual bool test() = 0;

  /// Completes the run, if there is one. Throws as `test` does.
  virtual void wait() = 0;

  /// `start` and `wait`.
  virtual void run() {
    start();
    wait();
  }

  /// Whether a run has begun that neither `test` nor `wait` has reported complete. Does not depend
  /// on the pace of the other ranks.
  [[nodiscard]] virtual bool under_way() const = 0;

  /// Result of the latest run, when it is complete: this rank's items, contiguous.
  [[nodiscard]] virtual const void* result() const = 0;

  /// Ends all runs after an exception in `action`, which takes over the result on this rank alone;
  /// the others throw `CollectiveError` with its message and this rank's number, in this run if
  /// they still wait for a message, otherwise in a later one.
  template <class Action>
  void deliver_alone(Action&& action) {
    try {
      action();
    } catch (...) {
      give_up(words_of_current_exception());
      throw;
    }
  }

  /// Number of messages that this rank has begun to send in all runs; 0 if only the MPI library
  /// knows.
  [[nodiscard]] virtual Index messages_sent() const = 0;

 protected:
  /// Tells the other ranks that this one does not begin a run, and why. Returns the text that they
  /// get.
  virtual std::string refuse(const std::string& words) = 0;

  /// The same for the run under way.
  virtual std::string give_up(const std::string& words) = 0;

  Computation* computation_ = nullptr;
};

}  // namespace bracket::runtime
