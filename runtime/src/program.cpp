#include "bracket/runtime/program.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "bracket/model/error.hpp"

namespace bracket {

/// Gives every value and run of a part its slots. No slot is written twice, so that a message may
/// leave while later steps run.
class Compiler {
 public:
  using Slot = Program::Slot;
  using Action = Program::Action;

  Compiler(Program& program, const RankPart& part, Range held)
      : program_(program), part_(part), held_(held) {}

  void compile(Index elements) {
    reserve_folds();
    for (const Step& step : part_.steps()) {
      switch (step.kind) {
        case StepKind::fold:
          fold(part_.operands(step)[0].range);
          break;
        case StepKind::join:
          join(part_.operands(step)[0], part_.operands(step)[1]);
          break;
        case StepKind::send:
          send(step);
          break;
        case StepKind::recv:
          recv(step);
          break;
      }
    }
    if (const auto found = values_.find({0, elements}); found != values_.end()) {
      program_.has_result_ = true;
      program_.result_ = found->second;
    }
  }

 private:
  /// Elements that lie side by side.
  struct Piece {
    Index end = 0;
    Slot slot = 0;
  };

  Slot take_slots(Index count) {
    const Slot first = program_.slots_;
    program_.slots_ += static_cast<Slot>(count);
    return first;
  }

  void emit(Program::Instruction instruction) { program_.instructions_.push_back(instruction); }

  /// A fold of elements from elsewhere needs them side by side: they are received where they will
  /// be folded.
  void reserve_folds() {
    for (const Step& step : part_.steps()) {
      if (step.kind != StepKind::fold) continue;
      const Range range = part_.operands(step)[0].range;
      if (range.empty()) throw Error(text("fold of the empty range ", range));
      if (!held_.contains(range)) reserved_[range] = take_slots(range.size());
    }
  }

  /// Where the reserved place of `run` is, or new slots.
  Slot place_for(Range run) {
    for (const auto& [range, slot] : reserved_) {
      if (range.contains(run)) return slot + static_cast<Slot>(run.begin - range.begin);
    }
    return take_slots(run.size());
  }

  void fold(Range range) {
    const Slot target = take_slots(1);
    if (held_.contains(range)) {
      emit({.action = Action::fold_own,
            .target = target,
            .offset = range.begin - held_.begin,
            .count = range.size()});
    } else {
      const Slot elements = gather(range, reserved_.at(range));
      emit({.action = Action::fold_slots,
            .target = target,
            .right = elements,
            .count = range.size()});
    }
    yield(range, target);
  }

  void join(const Partial& left, const Partial& right) {
    const Slot first = value(left.range);
    const bool run = right.run;
    const Slot second = run ? elements(right.range) : value(right.range);
    const Slot target = take_slots(1);
    emit({.action = run ? Action::extend : Action::join,
          .target = target,
          .left = first,
          .right = second,
          .count = right.values()});
    yield({left.range.begin, right.range.end}, target);
  }

  void send(const Step& step) {
    std::vector<std::pair<Slot, Index>> sources;
    bool side_by_side = true;
    for (const Partial& partial : part_.operands(step)) {
      const Slot slot = partial.run ? elements(partial.range) : value(partial.range);
      side_by_side &= sources.empty() ||
                      slot == sources.back().first + static_cast<Slot>(sources.back().second);
      sources.emplace_back(slot, partial.values());
    }
    if (sources.empty()) throw Error("an empty message");
    Slot first = sources.front().first;
    if (!side_by_side) {
      Slot target = first = take_slots(part_.values(step));
      for (const auto& [slot, count] : sources) {
        emit({.action = Action::copy_slots, .target = target, .right = slot, .count = count});
        target += static_cast<Slot>(count);
      }
    }
    emit({.action = Action::send, .message = program_.sends_.size()});
    program_.sends_.push_back({step.peer, first, part_.values(step)});
  }

  void recv(const Step& step) {
    const auto operands = part_.operands(step);
    const bool one_run = operands.size() == 1 && operands[0].run;
    Slot slot = one_run ? place_for(operands[0].range) : take_slots(part_.values(step));
    emit({.action = Action::recv, .message = program_.receives_.size()});
    program_.receives_.push_back({step.peer, slot, part_.values(step)});
    for (const Partial& partial : operands) {
      if (partial.run) {
        pieces_[partial.range.begin] = {partial.range.end, slot};
      } else {
        yield(partial.range, slot);
      }
      slot += static_cast<Slot>(partial.values());
    }
  }

  void yield(Range range, Slot slot) {
    values_[range] = slot;
    if (range.size() == 1 && !held_.contains(range)) pieces_[range.begin] = {range.end, slot};
  }

  [[nodiscard]] Slot value(Range range) const {
    const auto found = values_.find(range);
    if (found == values_.end()) throw Error(text("no step yields ", range, " before its use"));
    return found->second;
  }

  /// Slots in which the elements of `run` lie side by side.
  Slot elements(Range run) {
    const auto above = pieces_.upper_bound(run.begin);
    if (above != pieces_.begin()) {
      const auto& [begin, piece] = *std::prev(above);
      if (piece.end >= run.end) return piece.slot + static_cast<Slot>(run.begin - begin);
    }
    return gather(run, take_slots(run.size()));
  }

  /// Copies to the slots from `target` on what of `run` is not there yet.
  Slot gather(Range run, Slot target) {
    for (Index x = run.begin; x < run.end;) {
      const Slot to = target + static_cast<Slot>(x - run.begin);
      if (held_.contains(x)) {
        const Index end = std::min(held_.end, run.end);
        emit({.action = Action::copy_own,
              .target = to,
              .offset = x - held_.begin,
              .count = end - x});
        x = end;
        continue;
      }
      const auto above = pieces_.upper_bound(x);
      if (above == pieces_.begin() || std::prev(above)->second.end <= x) {
        throw Error(text("no step yields the element ", x, " before its use"));
      }
      const auto& [begin, piece] = *std::prev(above);
      const Index end = std::min(piece.end, run.end);
      const Slot from = piece.slot + static_cast<Slot>(x - begin);
      if (from != to) {
        emit({.action = Action::copy_slots, .target = to, .right = from, .count = end - x});
      }
      x = end;
    }
    return target;
  }

  Program& program_;
  const RankPart& part_;
  Range held_;
  std::unordered_map<Range, Slot> values_;
  std::map<Index, Piece> pieces_;   // of elements from elsewhere, by their beginning
  std::map<Range, Slot> reserved_;  // for folds of such elements
};

Program::Program(const RankPart& part, Range held, Index elements) {
  Compiler(*this, part, held).compile(elements);
}

}  // namespace bracket
