#pragma once

#include <cstdint>
#include <vector>

#include "bracket/model/schedule.hpp"

namespace bracket {

/// One rank's part of a schedule with every name resolved: values are slots of a flat array, a
/// run lies in slots side by side, messages are numbered, the rank's own elements are offsets.
class Program {
 public:
  /// A place in the array of values.
  using Slot = std::size_t;

  enum class Action : std::uint8_t {
    fold_own,    ///< target := own elements [offset, offset + count) folded
    fold_slots,  ///< target := the elements in `count` slots from `right` on, folded
    join,        ///< target := left ∘ right
    extend,  ///< target := left ∘ right ∘ …, one after the other, `count` slots from `right` on
    copy_own,    ///< `count` slots from target on := own elements from `offset` on
    copy_slots,  ///< `count` slots from target on := those from `right` on
    send,        ///< message number `message` of `sends()`
    recv         ///< message number `message` of `receives()`
  };

  struct Instruction {
    Action action = Action::join;
    Slot target = 0;
    Slot left = 0;
    Slot right = 0;
    Index offset = 0;
    Index count = 0;
    std::size_t message = 0;
  };

  /// A message: the `count` slots from `first` on.
  struct Message {
    Rank peer = 0;
    Slot first = 0;
    Index count = 0;
  };

  /// Of a rank that does nothing.
  Program() = default;

  /// `part` of a schedule over `elements` elements, of a rank that holds `held`. Throws `Error` if
  /// a step uses what no step before it yields.
  Program(const RankPart& part, Range held, Index elements);

  [[nodiscard]] const std::vector<Instruction>& instructions() const { return instructions_; }
  [[nodiscard]] const std::vector<Message>& sends() const { return sends_; }
  [[nodiscard]] const std::vector<Message>& receives() const { return receives_; }
  [[nodiscard]] std::size_t slots() const { return slots_; }

  /// Whether the rank ends with the result, and in which slot.
  [[nodiscard]] bool has_result() const { return has_result_; }
  [[nodiscard]] Slot result() const { return result_; }

 private:
  friend class Compiler;

  std::vector<Instruction> instructions_;
  std::vector<Message> sends_;
  std::vector<Message> receives_;
  Slot slots_ = 0;
  bool has_result_ = false;
  Slot result_ = 0;
};

}  // namespace bracket
