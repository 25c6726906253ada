// SPDX-License-Identifier: MIT

#include "bracket/runtime/program.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>

#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

namespace bracket::runtime {

/// Assigns slots to every value and run of a part. No slot is written twice, so a message may leave
/// while later steps run.
class Compiler {
 public:
  using Slot = Program::Slot;
  using Action = Program::Action;

  Compiler(Program& program, const RankPart& part, std::span<const Program::Item> items)
      : program_(program), part_(part), items_(items) {}

  void compile(Range wanted) {
    reserve_folds();
    for (const Step& step : part_.steps()) {
      switch (step.kind) {
        case StepKind::fold:
          fold(part_.operands(step)[0]);
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
    if (!wanted.empty()) program_.result_ = result(wanted);
    prepare_for_execution();
  }

 private:
  /// Slots that are assigned only once: a message may still be on its way to or from them.
  class OnceOnly {
   public:
    bool take(Range range) {
      const auto above = taken_.lower_bound(range.end);
      if (above != taken_.begin() && std::prev(above)->second > range.begin) return false;
      taken_[range.begin] = range.end;
      return true;
    }

   private:
    std::map<Index, Index> taken_;  // begin and end
  };

  /// SlotRange of items: of a value, or of each of several elements.
  struct SlotRange {
    Range elements;
    Range segment;
    Slot slot = 0;

    [[nodiscard]] Slot at(Index element, Index item) const {
      return slot + static_cast<Slot>((element - elements.begin) * segment.size() +
                                      (item - segment.begin));
    }
  };

  struct Reserved {
    SlotRange place;
    OnceOnly elements;
  };

  Slot take_slots(Index count) {
    const Slot first = program_.slots_;
    program_.slots_ += static_cast<Slot>(count);
    return first;
  }

  void emit(Program::Instruction instruction) { program_.instructions_.push_back(instruction); }

  /// Counts what an execution does at once.
  void prepare_for_execution() {
    auto& instructions = program_.instructions_;
    for (std::size_t number = instructions.size(), end = number; number-- > 0;) {
      Program::Instruction& instruction = instructions[number];
      if (instruction.action == Action::send || instruction.action == Action::recv) {
        end = number;
      } else {
        instruction.end = end;
        count_neighbours(instruction, number + 1 < end ? &instructions[number + 1] : nullptr);
      }
    }
  }

  static void count_neighbours(Program::Instruction& one, const Program::Instruction* next) {
    if (one.action != Action::fold_own || one.items != 1) return;
    const bool followed = next != nullptr && next->neighbours > 0 && next->item == one.item &&
                          next->offset == one.offset + one.count;
    one.neighbours = 1 + (followed ? next->neighbours : 0);
  }

  /// Item of a segment, which must lie in one description.
  [[nodiscard]] const Program::Item& item_of(Range segment) const {
    return items_[items_.size() == 1 ? 0 : static_cast<std::size_t>(segment.begin)];
  }
  [[nodiscard]] Range held(Range segment) const { return item_of(segment).held; }
  [[nodiscard]] Range all(Range segment) const { return {0, item_of(segment).elements}; }

  /// Reserves slots for folds of received elements, which must be contiguous: elements are received
  /// where they will be folded.
  void reserve_folds() {
    for (const Step& step : part_.steps()) {
      if (step.kind != StepKind::fold) continue;
      const Partial& value = part_.operands(step)[0];
      if (value.range.empty()) throw Error(text("fold of the empty range ", value.range));
      if (held(value.segment).contains(value.range)) continue;
      const Slot slot = take_slots(value.range.size() * value.segment.size());
      reserved_.push_back({{value.range, value.segment, slot}, {}});
    }
  }

  /// Slots for the result of a step. Items of the final result get slots in which they form the
  /// whole.
  Slot place_for(const Partial& partial) {
    if (partial.range == all(partial.segment) && !partial.run &&
        result_items_.take(partial.segment)) {
      if (!result_) result_ = take_slots(part_.items());
      return *result_ + static_cast<Slot>(partial.segment.begin);
    }
    if (partial.run) {
      for (auto& [place, elements] : reserved_) {
        if (place.elements.contains(partial.range) && place.segment == partial.segment &&
            elements.take(partial.range)) {
          return place.at(partial.range.begin, partial.segment.begin);
        }
      }
    }
    return take_slots(partial.values());
  }

  void fold(const Partial& value) {
    if (const Range own = held(value.segment); own.contains(value.range)) {
      const Slot target = place_for(value);
      emit({.action = Action::fold_own,
            .target = target,
            .offset = value.range.begin - own.begin,
            .item = value.segment.begin,
            .count = value.range.size(),
            .items = value.segment.size(),
            .stride = part_.items()});
      yield(value, target);
      return;
    }
    const auto reserved = std::find_if(reserved_.begin(), reserved_.end(), [&](const auto& r) {
      return r.place.elements == value.range && r.place.segment == value.segment;
    });
    const Slot elements = gather(value, reserved->place.slot);
    reserved->elements = {};
    reserved->elements.take(value.range);
    const Slot target = place_for(value);
    emit({.action = Action::fold_slots,
          .target = target,
          .right = elements,
          .item = value.segment.begin,
          .count = value.range.size(),
          .items = value.segment.size(),
          .stride = value.segment.size()});
    yield(value, target);
  }

  void join(const Partial& left, const Partial& right) {
    const Slot first = value(left);
    const SlotRange second =
        right.run ? elements(right) : SlotRange{right.range, right.segment, value(right)};
    const Partial joined = Partial(Range{left.range.begin, right.range.end}).over(left.segment);
    const Slot target = place_for(joined);
    emit({.action = right.run ? Action::extend : Action::join,
          .target = target,
          .left = first,
          .right = second.at(right.range.begin, right.segment.begin),
          .item = left.segment.begin,
          .count = right.count(),
          .items = left.segment.size(),
          .stride = second.segment.size()});
    yield(joined, target);
  }

  /// Sends one partial from its place. Several partials are first copied side by side.
  void send(const Step& step) {
    const auto operands = part_.operands(step);
    if (operands.empty()) throw Error("an empty message");
    std::vector<Slot> sources;
    Slot end = 0;
    bool side_by_side = true;
    for (const Partial& partial : operands) {
      sources.push_back(partial.run ? close_elements(partial) : value(partial));
      side_by_side &= sources.size() == 1 || sources.back() == end;
      end = sources.back() + static_cast<Slot>(partial.values());
    }
    Slot first = sources.front();
    if (!side_by_side) {
      Slot target = first = take_slots(part_.values(step));
      for (std::size_t i = 0; i < sources.size(); ++i) {
        const Index values = operands[i].values();
        emit(
            {.action = Action::copy_slots, .target = target, .right = sources[i], .count = values});
        target += static_cast<Slot>(values);
      }
    }
    emit({.action = Action::send, .message = program_.sends_.size()});
    program_.sends_.push_back({step.peer, first, part_.values(step)});
  }

  void recv(const Step& step) {
    const auto operands = part_.operands(step);
    Slot slot = operands.size() == 1 ? place_for(operands[0]) : take_slots(part_.values(step));
    emit({.action = Action::recv, .message = program_.receives_.size()});
    program_.receives_.push_back({step.peer, slot, part_.values(step)});
    for (const Partial& partial : operands) {
      if (partial.run) {
        add_piece({partial.range, partial.segment, slot});
      } else {
        yield(partial, slot);
      }
      slot += static_cast<Slot>(partial.values());
    }
  }

  void yield(const Partial& value, Slot slot) {
    const SlotRange place{value.range, value.segment, slot};
    values_[value.range].emplace(value.segment.begin, place);
    const bool own = held(value.segment).contains(value.range);
    if (value.range.size() == 1 && !own) add_piece(place);
  }

  /// Slots in which the items of a value are contiguous.
  Slot value(const Partial& wanted) {
    const auto& [range, _, segment] = wanted;
    std::vector<Program::Instruction> copies;  // one for each place that has some of them
    const auto found = values_.find(range);
    for (Index item = segment.begin; item < segment.end; item += copies.back().count) {
      const SlotRange* place = nullptr;
      if (found != values_.end()) {
        const auto& places = found->second;
        for (auto at = places.upper_bound(item); place == nullptr && at != places.begin();) {
          if ((--at)->second.segment.contains(item)) place = &at->second;
        }
      }
      if (place == nullptr) throw Error(text("no step yields ", wanted, " before its use"));
      copies.push_back({.action = Action::copy_slots,
                        .target = static_cast<Slot>(item - segment.begin),
                        .right = place->at(range.begin, item),
                        .count = std::min(place->segment.end, segment.end) - item});
    }
    const Slot first = copies.front().right;
    const bool side_by_side = std::all_of(copies.begin(), copies.end(), [&](const auto& copy) {
      return copy.right == first + copy.target;
    });
    if (side_by_side) return first;
    const Slot target = take_slots(segment.size());
    for (auto& copy : copies) {
      copy.target += target;
      emit(copy);
    }
    return target;
  }

  /// Slots in which the items of the result are contiguous.
  Slot result(Range wanted) {
    if (items_.size() == 1) return value(Partial(all(wanted)).over(wanted));
    std::vector<Slot> slots;
    bool side_by_side = true;
    for (Index item = wanted.begin; item < wanted.end; ++item) {
      const Range segment{item, item + 1};
      slots.push_back(value(Partial(all(segment)).over(segment)));
      side_by_side &= slots.back() == slots.front() + slots.size() - 1;
    }
    if (side_by_side) return slots.front();
    const Slot first = take_slots(wanted.size());
    for (std::size_t i = 0; i < slots.size(); ++i) {
      emit({.action = Action::copy_slots, .target = first + i, .right = slots[i], .count = 1});
    }
    return first;
  }

  void add_piece(const SlotRange& piece) { pieces_.emplace(piece.elements.begin, piece); }

  /// Received elements that include these items of an element. Null if there are none.
  [[nodiscard]] const SlotRange* piece_with(Index element, Range items) const {
    for (auto at = pieces_.upper_bound(element); at != pieces_.begin();) {
      const SlotRange& piece = (--at)->second;
      if (piece.elements.contains(element) && piece.segment.contains(items)) return &piece;
    }
    return nullptr;
  }

  /// SlotRange that holds the elements of a run, with at least its items.
  SlotRange elements(const Partial& run) {
    const SlotRange* const piece = piece_with(run.range.begin, run.segment);
    if (piece != nullptr && piece->elements.contains(run.range)) return *piece;
    return {run.range, run.segment, gather(run, take_slots(run.values()))};
  }

  /// Slots in which the elements of a run are contiguous, without other items.
  Slot close_elements(const Partial& run) {
    const SlotRange place = elements(run);
    if (place.segment == run.segment) return place.at(run.range.begin, run.segment.begin);
    return gather(run, take_slots(run.values()));
  }

  /// Copies the elements of a run that are not yet in the slots from `target` on. Returns `target`.
  Slot gather(const Partial& run, Slot target) {
    const auto& [range, _, segment] = run;
    const Range own = held(segment);
    for (Index x = range.begin; x < range.end;) {
      const Slot to = target + static_cast<Slot>((x - range.begin) * segment.size());
      if (own.contains(x)) {
        const Index end = std::min(own.end, range.end);
        emit({.action = Action::copy_own,
              .target = to,
              .offset = x - own.begin,
              .item = segment.begin,
              .count = end - x,
              .items = segment.size(),
              .stride = part_.items()});
        x = end;
        continue;
      }
      const SlotRange* const piece = piece_with(x, segment);
      if (piece == nullptr) {
        gather_items(x, segment, to);
        ++x;
        continue;
      }
      const Index end = std::min(piece->elements.end, range.end);
      if (const Slot from = piece->at(x, segment.begin); from != to) {
        emit({.action = Action::copy_slots,
              .target = to,
              .right = from,
              .count = end - x,
              .items = segment.size(),
              .stride = piece->segment.size()});
      }
      x = end;
    }
    return target;
  }

  /// Copies the items of one element from several places.
  void gather_items(Index element, Range items, Slot target) {
    for (Index item = items.begin; item < items.end;) {
      const SlotRange* const piece = piece_with(element, {item, item + 1});
      if (piece == nullptr) {
        throw Error(text("no step yields the element ", element, " before its use"));
      }
      const Index count = std::min(piece->segment.end, items.end) - item;
      emit({.action = Action::copy_slots,
            .target = target + static_cast<Slot>(item - items.begin),
            .right = piece->at(element, item),
            .count = count});
      item += count;
    }
  }

  Program& program_;
  const RankPart& part_;
  std::span<const Program::Item> items_;
  std::unordered_map<Range, std::multimap<Index, SlotRange>> values_;  // by first item
  std::multimap<Index, SlotRange> pieces_;  // received elements, by first element
  std::vector<Reserved> reserved_;          // for folds of received elements
  std::optional<Slot> result_;              // slot of the first item
  OnceOnly result_items_;
};

Program::Program(const RankPart& part, std::span<const Item> items, Range wanted) {
  if (items.size() != 1 && static_cast<Index>(items.size()) != part.items()) {
    throw Error(text(items.size(), " descriptions for ", part.items(), " items"));
  }
  Compiler(*this, part, items).compile(wanted);
}

}  // namespace bracket::runtime
