// SPDX-License-Identifier: MIT

#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "bracket/runtime/communicator.hpp"
#include "bracket/runtime/computation.hpp"
#include "bracket/runtime/execution.hpp"
#include "bracket/runtime/program.hpp"
#include "bracket/runtime/program_messages.hpp"

namespace bracket::runtime {

/// Runs one rank's program: folds the rank's own elements, joins partials, and exchanges them with
/// the other ranks of a communicator. An exception ends all runs: the other ranks throw
/// `CollectiveError` with its message and this rank's number, in this run if they still wait for a
/// message, otherwise in a later one: when they wait for a message after the notice has arrived or,
/// if they get none, when they begin.
class ProgramExecution final : public Execution {
 public:
  explicit ProgramExecution(Communicator communicator) : communicator_(std::move(communicator)) {}

  /// Gives up a run under way: ranks that need a message of this rank wait forever.
  ~ProgramExecution() override;
  ProgramExecution(const ProgramExecution&) = delete;
  ProgramExecution& operator=(const ProgramExecution&) = delete;

  /// Sets the program and its computation, which must exist as long as the execution. Call it once,
  /// before the first run. `wanted` are the items of the result that this rank gets. Throws `Error`
  /// as `Program` and `ProgramMessages` do.
  void set_up(Computation& computation, const RankPart& part, std::span<const Program::Item> fields,
              Range wanted);

  /// Lets short messages between ranks of a node go through memory that they share. `failure`, if
  /// not empty, is an error of this rank in `set_up`. Collective; call it before the first run.
  /// Throws `CollectiveError` if there is one, and as `Mailboxes` does.
  void share_memory(Sharing sharing, const std::string& failure = {}) {
    messages_.share_memory(sharing, communicator_, failure);
  }

  [[nodiscard]] const Communicator& communicator() const override { return communicator_; }
  void check_idle() const override;
  void start() override;
  bool test() override;
  void wait() override;
  void run() override;
  [[nodiscard]] bool under_way() const override { return under_way_; }
  [[nodiscard]] const void* result() const override { return slot(program_.result()); }
  [[nodiscard]] Index messages_sent() const override { return messages_.sent(); }

 private:
  enum class Patience { none, all };

  /// Runs `action`. An exception ends the run, and the other ranks are notified, unless it came
  /// from one of them.
  template <class Action>
  void guarded(Action&& action) {
    try {
      action();
    } catch (const CollectiveError&) {
      end_for_good();
      throw;
    } catch (...) {
      give_up(words_of_current_exception());
      throw;
    }
  }

  inline void begin();
  inline bool advance(Patience patience);
  inline bool run_on(Patience patience);
  void end_for_good();
  std::string refuse(const std::string& words) override;
  std::string give_up(const std::string& words) override;
  void leave_behind();
  [[nodiscard]] std::byte* slot(Program::Slot slot) const {
    return static_cast<std::byte*>(slots_.get()) + slot * value_bytes_;
  }

  Communicator communicator_;
  Program program_;
  std::size_t value_bytes_ = 0;
  std::shared_ptr<void> slots_;
  ProgramMessages messages_;  // from and to the slots

  // State of the run under way.
  bool under_way_ = false;
  bool running_ = false;  // it is not complete
  std::size_t next_ = 0;  // instruction
};

}  // namespace bracket::runtime
