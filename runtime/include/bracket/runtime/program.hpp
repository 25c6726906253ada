#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bracket/model/schedule.hpp"

namespace bracket {

/// One rank's part of a schedule with every name resolved: the items of a value are slots of a flat
/// array side by side, the elements of a run behind each other, messages are numbered, the rank's
/// own elements are offsets.
class Program {
 public:
  /// A place in the array of values.
  using Slot = std::size_t;

  enum class Action : std::uint8_t {
    fold_own,    ///< target := `count` own elements from `offset` on, folded
    fold_slots,  ///< target := `count` elements from slot `right` on, folded
    join,        ///< target := left ∘ right
    extend,      ///< target := left ∘ right ∘ …, `count` elements one after the other
    copy_own,    ///< `count` elements from target on := own elements from `offset` on
    copy_slots,  ///< `count` elements from target on := those from slot `right` on
    send,        ///< message number `message` of `sends()`
    recv         ///< message number `message` of `receives()`
  };

  /// Everything is done item by item, from item number `item` on: what copies slots does not say
  /// it. Elements that are read lie `stride` apart, of which `items` are meant, of own elements
  /// those from `item` on; what is written lies close.
  struct Instruction {
    Action action = Action::join;
    Slot target = 0;
    Slot left = 0;
    Slot right = 0;
    Index offset = 0;  ///< in the rank's own elements
    Index item = 0;
    Index count = 0;
    Index items = 1;
    Index stride = 1;
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

  /// What an item is about: elements from 0 to `elements`, of which the rank holds some.
  struct Field {
    Range held;
    Index elements = 0;
  };

  /// `part` of a schedule of a rank that ends with the items `wanted` of the result. One field for
  /// each item, or one for all. Throws `Error` if a step uses what no step before it yields, or if
  /// none yields the result.
  Program(const RankPart& part, std::span<const Field> fields, Range wanted);
  Program(const RankPart& part, Field field, Range wanted)
      : Program(part, std::span(&field, 1), wanted) {}

  [[nodiscard]] const std::vector<Instruction>& instructions() const { return instructions_; }
  [[nodiscard]] const std::vector<Message>& sends() const { return sends_; }
  [[nodiscard]] const std::vector<Message>& receives() const { return receives_; }
  [[nodiscard]] std::size_t slots() const { return slots_; }

  /// First slot of the items of the result that the rank ends with, if any.
  [[nodiscard]] Slot result() const { return result_; }

 private:
  friend class Compiler;

  std::vector<Instruction> instructions_;
  std::vector<Message> sends_;
  std::vector<Message> receives_;
  Slot slots_ = 0;
  Slot result_ = 0;
};

}  // namespace bracket
