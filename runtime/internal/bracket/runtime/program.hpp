// SPDX-License-Identifier: MIT

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bracket/model/schedule.hpp"

namespace bracket::runtime {

/// One rank's part of a schedule with every name resolved. The items of a value are contiguous
/// slots of a flat array, the elements of a run follow each other, messages are numbered, and the
/// rank's own elements are offsets.
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

  /// An instruction works item by item, on `items` items from item number `item` on, which
  /// instructions that copy slots do not set. Elements that are read lie `stride` apart; in own
  /// elements the items begin at `item`. Elements that are written are contiguous.
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

    /// Number of the next instruction that sends or receives, or of instructions if there is none.
    /// 0 for instructions that send or receive.
    std::size_t end = 0;

    /// For a `fold_own` of one item: length of the run of such instructions that begins here, in
    /// which each folds the elements behind those of the one before. 0 for other instructions.
    std::size_t neighbours = 0;
  };

  /// A message: the `count` slots from `first` on.
  struct Message {
    Rank peer = 0;
    Slot first = 0;
    Index count = 0;
  };

  /// The program of a rank that does nothing.
  Program() = default;

  /// Elements that are reduced to an item of the result: their number on all ranks, and the range
  /// that this rank holds.
  struct Item {
    Range held;
    Index elements = 0;
  };

  /// Compiles the `part` of a rank that ends with the items `wanted` of the result. `items`
  /// describes each item, or has one description for all. Throws `Error` if a step uses a value
  /// that no earlier step yields, or if no step yields the result.
  Program(const RankPart& part, std::span<const Item> items, Range wanted);
  Program(const RankPart& part, Item item, Range wanted)
      : Program(part, std::span(&item, 1), wanted) {}

  [[nodiscard]] const std::vector<Instruction>& instructions() const { return instructions_; }
  [[nodiscard]] const std::vector<Message>& sends() const { return sends_; }
  [[nodiscard]] const std::vector<Message>& receives() const { return receives_; }
  [[nodiscard]] std::size_t slots() const { return slots_; }

  /// First slot of the rank's items of the result, if it ends with any.
  [[nodiscard]] Slot result() const { return result_; }

 private:
  friend class Compiler;

  std::vector<Instruction> instructions_;
  std::vector<Message> sends_;
  std::vector<Message> receives_;
  Slot slots_ = 0;
  Slot result_ = 0;
};

}  // namespace bracket::runtime
