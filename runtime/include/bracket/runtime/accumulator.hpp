// SPDX-License-Identifier: MIT

#pragma once

#include "bracket/runtime/any_accumulator.hpp"
#include "bracket/runtime/reducer.hpp"

namespace bracket {

/// A reduction of elements that come one after the other, without an array of them. The result has
/// the bits of a `Reducer` over all elements, with the same settings.
///
///     bracket::Accumulator<double> sum({.algorithm = "binned"});
///     for (const Cell& cell : cells) sum.add(cell.mass());
///     const double total = sum.reduce(MPI_COMM_WORLD).value();
///
/// `Operator` is one of the library's: see `Reducer`. Sums by "binned", minima, maxima, and sums
/// and products of integers do not depend on the sequence: elements may come in any. All other
/// results need the elements in their global sequence: the accumulator is made with the global
/// index of its first element, and the elements of all ranks together are those from 0 on, without
/// a gap. Orders other than the tree, such as "sequential", are refused.
///
/// Only one thread at a time may use an accumulator. Give each thread its own, and add these.
template <class Element, class Operator = Sum>
class Accumulator {
 public:
  static_assert(runtime::op_of<Operator>().has_value(),
                "an accumulator takes the library's operators: an operator of your own needs a "
                "Reducer");

  using Result = typename Reducer<Element, Operator>::Result;

  /// Not collective. Throws `Error` as `AnyAccumulator` does.
  explicit Accumulator(const Settings& settings = {}, Index first = 0)
      : any_(runtime::type_of<Element>().value(), runtime::op_of<Operator>().value(), settings,
             first) {}

  void add(const Element& element) { any_.add_one(element); }

  void add(std::span<const Element> elements) {
    any_.add(elements.data(), static_cast<Index>(elements.size()));
  }

  /// Adds the elements of another accumulator, which keeps them. Throws `Error` as
  /// `AnyAccumulator::add` does.
  void add(const Accumulator& other) { any_.add(other.any_); }

  /// Number of elements that were added.
  [[nodiscard]] Index count() const { return any_.held().size(); }

  /// Forgets all elements. The next one has the global index `first`.
  void reset(Index first = 0) { any_.reset(first); }

  /// The result of this accumulator's elements alone. Throws `Error` as `AnyAccumulator::value`
  /// does.
  [[nodiscard]] Result value() {
    Result result{};
    any_.value(&result);
    return result;
  }

  /// The result of all ranks' elements, on the ranks that get it: every rank, or the `root` of the
  /// settings. The accumulator keeps its elements. Collective. Throws as `AnyAccumulator::reduce`
  /// does.
  Delivered<Result> reduce(MPI_Comm communicator) {
    Result result{};
    return any_.reduce(communicator, &result) ? Delivered<Result>(result) : Delivered<Result>();
  }

 private:
  AnyAccumulator any_;
};

}  // namespace bracket
