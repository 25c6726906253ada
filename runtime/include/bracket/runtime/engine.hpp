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

/// Why no run begins.
inline constexpr const char* run_under_way = "a run is under way: wait for it before the next";

/// Runs one rank's program, as often as wanted: elements of the rank's own are folded, partials
/// joined and exchanged with the other ranks of a communicator. While it runs it looks
/// nothing up and allocates nothing.
class Engine {
 public:
  /// Collective.
  explicit Engine(MPI_Comm communicator) : communicator_(communicator) {}

  /// Gives up a run under way: ranks that need something of this one wait in vain.
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// What it runs, and what that computes, which must last; once, before the first run. `wanted`
  /// are the items of the result that this rank ends with. Throws `Error` as `Program` and
  /// `Messages`.
  void set_up(Computation& computation, const RankPart& part,
              std::span<const Program::Field> fields, Range wanted);

  [[nodiscard]] const Communicator& communicator() const { return communicator_; }

  /// Throws `Error` if a run is under way, if an earlier one failed or if MPI has ended.
  void check_idle() const;

  /// Begins a run, if it is `check_idle`: folds as far as nothing from other ranks is needed, and
  /// what others need is on its way. Whatever is thrown, here or below, ends the run for good: the
  /// others throw `CollectiveError` with its words, and this rank's number, in this run if they
  /// still wait for anything, else when they begin one and have been told.
  void start();

  /// Ends the run that would begin, and all further ones, as if something had been thrown in it.
  /// Throws `CollectiveError` with these words and this rank's number.
  [[noreturn]] void fail(const std::string& words);

  /// Does what has become possible since, and says whether the run is complete; true without one.
  /// Throws `Error` if an earlier run failed or if MPI has ended.
  bool test();

  /// Completes the run, if there is one. Throws as `test` does.
  void wait();

  /// Whether a run has begun of which neither `test` nor `wait` has said that it is complete: no
  /// matter of the others' pace.
  [[nodiscard]] bool under_way() const { return under_way_; }

  /// Of the latest run, when it is complete: the items that this rank ends with, side by side.
  [[nodiscard]] const void* result() const { return slot(program_.result()); }

  /// Hands that result over by an `action`. What it throws ends all runs, as above, unless the
  /// result is the same `everywhere`: then every rank throws it, and further runs are possible.
  template <class Action>
  void deliver(bool everywhere, Action&& action) {
    if (everywhere) return action();
    guarded(action);
  }

  /// Messages that this rank has sent since it was made, counted where they start.
  [[nodiscard]] Index messages_sent() const { return messages_.sent(); }

 private:
  enum class Patience { none, all };

  /// Runs `action`. What it throws ends the run, and the others are told, unless they told this
  /// one.
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
  Messages messages_;  // between those

  // Of the run under way.
  bool under_way_ = false;
  bool running_ = false;  // it is not complete
  std::size_t next_ = 0;  // instruction
};

}  // namespace bracket
