#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "bracket/runtime/communicator.hpp"
#include "bracket/runtime/computation.hpp"
#include "bracket/runtime/messages.hpp"
#include "bracket/runtime/program.hpp"

namespace bracket {

/// Message of the error if a run begins while another is under way.
inline constexpr const char* run_under_way = "a run is under way: wait for it before the next";

/// Runs one rank's program as often as you want: folds the rank's own elements, joins partials, and
/// exchanges them with the other ranks of a communicator. A run looks nothing up and allocates no
/// memory.
class Engine {
 public:
  /// Collective.
  explicit Engine(MPI_Comm communicator) : communicator_(communicator) {}

  /// Gives up a run under way: ranks that need a message of this rank wait forever.
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// Sets the program and its computation, which must exist as long as the engine. Call it once,
  /// before the first run. `wanted` are the items of the result that this rank gets. Throws `Error`
  /// as `Program` and `Messages` do.
  void set_up(Computation& computation, const RankPart& part,
              std::span<const Program::Field> fields, Range wanted);

  [[nodiscard]] const Communicator& communicator() const { return communicator_; }

  /// Throws `Error` if a run is under way, if an earlier one failed or if MPI has ended.
  void check_idle() const;

  /// Begins a run, if `check_idle` does not throw. Folds as far as possible without messages of
  /// other ranks, and starts the messages that the others need. An exception, here or below, ends
  /// all runs: the others throw `CollectiveError` with its message and this rank's number, in this
  /// run if they still wait for a message, otherwise when they begin a run after the notice has
  /// arrived.
  void start();

  /// Ends the run that would begin, and all further ones, as an exception in it would. Throws
  /// `CollectiveError` with these words and this rank's number.
  [[noreturn]] void fail(const std::string& words);

  /// Makes progress, and returns whether the run is complete; true without a run. Throws `Error` if
  /// an earlier run failed or if MPI has ended.
  bool test();

  /// Completes the run, if there is one. Throws as `test` does.
  void wait();

  /// Whether a run has begun that neither `test` nor `wait` has reported complete. Does not depend
  /// on the pace of the other ranks.
  [[nodiscard]] bool under_way() const { return under_way_; }

  /// Result of the latest run, when it is complete: this rank's items, contiguous.
  [[nodiscard]] const void* result() const { return slot(program_.result()); }

  /// Runs `action`, which takes over that result. An exception ends all runs, as above, unless all
  /// ranks get the result (`everywhere`): then every rank throws it, and further runs are possible.
  template <class Action>
  void deliver(bool everywhere, Action&& action) {
    if (everywhere) return action();
    guarded(action);
  }

  /// Number of messages that this rank has begun to send in all runs.
  [[nodiscard]] Index messages_sent() const { return messages_.sent(); }

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

  bool advance(Patience patience);
  bool run_on(Patience patience);
  void end_for_good();
  std::string give_up(const std::string& words);
  void leave_behind();
  void compute(const Program::Instruction& step);
  [[nodiscard]] std::byte* slot(Program::Slot slot) const {
    return static_cast<std::byte*>(slots_.get()) + slot * value_bytes_;
  }

  Communicator communicator_;
  Computation* computation_ = nullptr;
  Program program_;
  std::size_t value_bytes_ = 0;
  std::shared_ptr<void> slots_;
  Messages messages_;  // from and to the slots

  // State of the run under way.
  bool under_way_ = false;
  bool running_ = false;  // it is not complete
  std::size_t next_ = 0;  // instruction
};

}  // namespace bracket
