#pragma once

#include <algorithm>
#include <list>
#include <optional>
#include <span>
#include <vector>

#include "bracket/model/error.hpp"
#include "bracket/runtime/communicator.hpp"
#include "bracket/runtime/folder.hpp"
#include "bracket/runtime/messages.hpp"
#include "bracket/runtime/program.hpp"

namespace bracket {

/// Why no run begins.
inline constexpr const char* run_under_way = "a run is under way: wait for it before the next";

/// Runs one rank's program, as often as wanted: elements that a `Source` gives are folded, partials
/// joined and exchanged with the other ranks of a communicator of its own. While it runs it looks
/// nothing up and allocates nothing. `Operation` and `Source` as in `Folder`.
template <class Operation, class Source>
class Engine {
 public:
  using Value = typename Operation::Value;

  /// Collective.
  explicit Engine(MPI_Comm communicator) : communicator_(communicator) {}

  /// Gives up a run under way: ranks that need something of this one wait in vain.
  ~Engine() {
    if (running_) messages_.abandon();
    if (messages_.abandoned()) leave_behind();
  }
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// What it runs, with a `prepare`d operation; once, before the first run. `wanted` are the items
  /// of the result that this rank ends with. Throws `Error` as `Folder`, `Program` and `Messages`.
  void set_up(const Operation& operation, Index chunk, int threads, const RankPart& part,
              std::span<const Program::Field> fields, Range wanted) {
    folder_.emplace(operation, chunk, fields.size() == 1 ? part.items() : 1, threads);
    program_ = Program(part, fields, wanted);
    wanted_ = wanted;
    values_.resize(program_.slots());
    messages_ = Messages(communicator_, program_, values_.data(), sizeof(Value));
  }

  [[nodiscard]] const Communicator& communicator() const { return communicator_; }
  [[nodiscard]] const Operation& operation() const { return folder_->operation(); }

  /// Throws `Error` if a run is under way or if an earlier one failed.
  void check_idle() const {
    if (under_way_) throw Error(run_under_way);
    messages_.check_usable();
  }

  /// Begins a run, if it is `check_idle`: folds as far as nothing from other ranks is needed, and
  /// what others need is on its way. What the source refers to must last until the run is complete.
  /// Whatever is thrown, here or below, ends the run for good: the others throw `CollectiveError`
  /// with its words, and this rank's number, if they wait for anything.
  void start(const Source& source) {
    messages_.begin_run();
    source_ = source;
    next_ = 0;
    running_ = under_way_ = true;
    try {
      messages_.post_receives();
    } catch (...) {
      give_up(words_of_current_exception());
      throw;
    }
    advance(Patience::none);
  }

  /// Ends the run that would begin, and all further ones, as if something had been thrown in it.
  /// Throws `CollectiveError` with these words and this rank's number.
  [[noreturn]] void fail(const std::string& words) {
    messages_.begin_run();
    throw CollectiveError(give_up(words));
  }

  /// Does what has become possible since, and says whether the run is complete; true without one.
  /// Throws `Error` if an earlier run failed.
  bool test() {
    messages_.check_usable();
    if (running_ && !advance(Patience::none)) return false;
    under_way_ = false;
    return true;
  }

  /// Completes the run, if there is one. Throws as `test` does.
  void wait() {
    messages_.check_usable();
    if (running_) advance(Patience::all);
    under_way_ = false;
  }

  /// Whether a run has begun of which neither `test` nor `wait` has said that it is complete: no
  /// matter of the others' pace.
  [[nodiscard]] bool under_way() const { return under_way_; }

  /// Of the latest run, when it is complete: the items that this rank ends with.
  [[nodiscard]] std::span<const Value> result() const {
    return std::span(values_).subspan(program_.result(), static_cast<std::size_t>(wanted_.size()));
  }

  /// Messages that this rank has sent since it was made, counted where they start.
  [[nodiscard]] Index messages_sent() const { return messages_.sent(); }

 private:
  enum class Patience { none, all };

  bool advance(Patience patience);
  std::string give_up(const std::string& words);
  void leave_behind();
  void compute(const Program::Instruction& step);

  Communicator communicator_;
  std::optional<Folder<Operation>> folder_;
  Program program_;
  Range wanted_;
  std::vector<Value> values_;  // one for each slot
  Messages messages_;          // over those

  // Of the run under way.
  bool under_way_ = false;
  bool running_ = false;  // it is not complete
  std::size_t next_ = 0;  // instruction
  Source source_{};
};

/// Runs on from where the run is, to its end or, without patience, to what is not there yet.
/// Whether it is complete.
template <class Operation, class Source>
bool Engine<Operation, Source>::advance(Patience patience) {
  const auto& instructions = program_.instructions();
  try {
    for (; next_ < instructions.size(); ++next_) {
      const auto& step = instructions[next_];
      if (step.action == Program::Action::send) {
        messages_.start_send(step.message);
      } else if (step.action != Program::Action::recv) {
        compute(step);
      } else if (patience == Patience::all) {
        messages_.wait_for_receive(step.message);
      } else if (!messages_.received(step.message)) {
        return false;
      }
    }
    if (patience == Patience::all) {
      messages_.wait_for_sends();
    } else if (!messages_.all_sent()) {
      return false;
    }
  } catch (const CollectiveError&) {
    running_ = under_way_ = false;
    messages_.abandon();
    throw;
  } catch (...) {
    give_up(words_of_current_exception());
    throw;
  }
  running_ = false;
  return true;
}

/// What the others are told.
template <class Operation, class Source>
std::string Engine<Operation, Source>::give_up(const std::string& words) {
  std::string told = text("rank ", communicator_.rank(), ": ", words);
  messages_.notify(told);
  running_ = under_way_ = false;
  messages_.abandon();
  return told;
}

/// Keeps, to the end of the process, what MPI may still read and the communicator in which messages
/// may still be under way.
template <class Operation, class Source>
void Engine<Operation, Source>::leave_behind() {
  static auto* const left = new std::list<std::vector<Value>>;
  left->push_back(std::move(values_));
  communicator_.leave();
}

template <class Operation, class Source>
void Engine<Operation, Source>::compute(const Program::Instruction& step) {
  Value* const values = values_.data();
  Value* const target = values + step.target;
  const Value* const left = values + step.left;
  const Value* const right = values + step.right;
  const Vectors<Operation> received{right, step.stride};
  switch (step.action) {
    case Program::Action::fold_own:
      folder_->fold(source_, step.offset, step.count, step.item, step.items, target);
      break;
    case Program::Action::fold_slots:
      folder_->fold(received, 0, step.count, 0, step.items, target);
      break;
    case Program::Action::join:
      for (Index i = 0; i < step.items; ++i) target[i] = operation().join(left[i], right[i]);
      break;
    case Program::Action::extend:
      std::copy_n(left, step.items, target);
      for (Index k = 0; k < step.count; ++k) {
        const Value* const element = right + k * step.stride;
        for (Index i = 0; i < step.items; ++i) target[i] = operation().join(target[i], element[i]);
      }
      break;
    case Program::Action::copy_own:
      source_.copy(operation(), step.offset, step.count, step.item, step.items, target);
      break;
    default:
      received.copy(operation(), 0, step.count, 0, step.items, target);
  }
}

}  // namespace bracket
