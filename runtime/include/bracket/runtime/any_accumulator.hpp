// SPDX-License-Identifier: MIT

#pragma once

#include "bracket/runtime/mpi.hpp"

#include "bracket/support/language.hpp"

#include <cstddef>
#include <cstring>
#include <memory>
#include <string>

#include "bracket/model/range.hpp"
#include "bracket/runtime/settings.hpp"

namespace bracket {

/// An accumulator without static types, which `Accumulator` and the interfaces of other languages
/// call. Only one thread at a time may use it.
class AnyAccumulator {
 public:
  /// `first` is the global index of the first element. It has no meaning if the result does not
  /// depend on the sequence of the elements. Throws `Error` for a wrong setting, for a combination
  /// that makes no sense, and for an order that is not the tree.
  AnyAccumulator(Type type, Op op, const Settings& settings, Index first = 0);
  ~AnyAccumulator();
  AnyAccumulator(AnyAccumulator&& other) noexcept;
  AnyAccumulator& operator=(AnyAccumulator&& other) noexcept;

  /// Adds an element of the accumulator's type.
  template <class Element>
  void add_one(const Element& element) {
    if (next_ == end_) make_room();
    std::memcpy(next_, &element, sizeof element);
    next_ += sizeof element;
  }

  /// Adds `count` ≥ 0 elements that lie side by side in the memory of the host.
  void add(const void* elements, Index count);

  /// Adds the elements of another accumulator, which keeps them. If the result depends on the
  /// sequence, they must follow this accumulator's elements. Throws `Error` if they do not, and if
  /// type, operator, algorithm, `widened` or `checked` differ.
  void add(const AnyAccumulator& other);

  /// Elements that were added, as global indices; from 0 on if their sequence has no meaning.
  [[nodiscard]] Range held() const;

  /// Whether the result depends on the sequence of the elements.
  [[nodiscard]] bool in_sequence() const;

  /// Forgets all elements. The next one has the global index `first`.
  void reset(Index first = 0);

  /// Writes the result of this accumulator's elements alone. Throws `Error` if it depends on the
  /// sequence and the elements do not begin at index 0, and if integers do not fit.
  void value(void* result);

  /// Reduces the elements of all ranks' accumulators, and writes the result on the ranks that get
  /// it. Returns whether this rank does. The accumulator keeps its elements. Collective. Throws
  /// `CollectiveError` as `make_reducer` does, and if the elements of the ranks overlap or have
  /// gaps. Throws `Error` if integers do not fit, as `AnyReducer::test` does.
  bool reduce(MPI_Comm communicator, void* result);

  /// Refuses, with this message, a reduction that the other ranks begin by `reduce`. Collective.
  /// Throws the message as `CollectiveError` on every rank.
  [[noreturn]] static void refuse(MPI_Comm communicator, const std::string& words);

 private:
  struct State;

  void make_room();
  void open_room();
  [[nodiscard]] Index waiting() const;

  // Room for elements that wait for their fold.
  std::byte* next_ = nullptr;
  std::byte* end_ = nullptr;
  std::unique_ptr<State> state_;
};

}  // namespace bracket
