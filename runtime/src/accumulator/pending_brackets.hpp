// SPDX-License-Identifier: MIT

#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "bracket/model/range.hpp"
#include "bracket/runtime/arrays.hpp"
#include "bracket/runtime/computation.hpp"
#include "bracket/runtime/field_operation.hpp"

namespace bracket::runtime {

/// The values of brackets that wait for the elements after them, like the digits of a binary
/// counter. They are the frontier of a range of the tree order without its end: brackets of 2^k
/// elements that begin at a multiple of 2^k. Such brackets are the same for every number of
/// elements in all. An associative operation has one bracket for the whole range.
class PendingBrackets {
 public:
  /// `operation` must be prepared, and exist as long as this object.
  PendingBrackets(const FieldOperation& operation, std::size_t element_bytes, int threads);
  PendingBrackets(const PendingBrackets&) = delete;
  PendingBrackets& operator=(const PendingBrackets&) = delete;

  /// The range of all elements.
  [[nodiscard]] Range elements() const { return elements_; }

  /// `count` elements from the `first`-th on; all of them if the operation is associative.
  [[nodiscard]] Range within(Index first, Index count) const {
    if (associative_) return elements_;
    return {elements_.begin + first, elements_.begin + first + count};
  }

  [[nodiscard]] const FieldOperation& operation() const { return operation_; }
  [[nodiscard]] Computation& computation() const { return *computation_; }

  /// Forgets all elements. The next one has the index `first`.
  void reset(Index first) {
    elements_ = {first, first};
    brackets_.clear();
  }

  /// Appends `count` ≥ 0 elements, which lie side by side.
  void append(const void* elements, Index count);

  /// Appends the elements of another object with the same operation. If the operation is not
  /// associative, they must begin where these elements end.
  void append(const PendingBrackets& other);

  /// Writes the value of a bracket of the tree over any number of elements: one of the pending
  /// brackets, or several up to the end. Throws `Error` for another range.
  void combine(Range range, void* target) const;

 private:
  [[nodiscard]] std::byte* slot(std::size_t number) const {
    return static_cast<std::byte*>(slots_.get()) + number * computation_->value_bytes();
  }
  [[nodiscard]] bool joinable(Range left, Range right) const;
  /// Appends the bracket of `count` elements whose value is in the first free slot.
  void push(Index count);

  const FieldOperation& operation_;
  bool associative_;
  FieldCells cells_;    // of the array that is appended
  FieldArrays arrays_;  // the same
  std::unique_ptr<Computation> computation_;
  Range elements_;
  std::vector<Range> brackets_;  // their values are in the first slots
  std::shared_ptr<void> slots_;
};

}  // namespace bracket::runtime
