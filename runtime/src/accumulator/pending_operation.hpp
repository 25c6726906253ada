// SPDX-License-Identifier: MIT

#pragma once

#include <cstddef>
#include <memory>

#include "accumulator/pending_brackets.hpp"
#include "bracket/runtime/computation.hpp"
#include "bracket/runtime/field_operation.hpp"
#include "bracket/support/error.hpp"

namespace bracket::runtime {

/// Gives a rank's program the values of pending brackets in place of folds of elements.
class PendingComputation final : public Computation {
 public:
  explicit PendingComputation(const PendingBrackets& brackets)
      : brackets_(brackets), computation_(brackets.computation()) {}

  [[nodiscard]] std::size_t value_bytes() const override { return computation_.value_bytes(); }
  [[nodiscard]] std::shared_ptr<void> make_slots(std::size_t count) const override {
    return computation_.make_slots(count);
  }
  void fold_own(Index first, Index count, Index, Index, void* target) override {
    brackets_.combine(brackets_.within(first, count), target);
  }
  void copy_own(Index first, Index count, Index item, Index items, void* target) override {
    for (Index i = 0; i < count; ++i) {
      fold_own(first + i, 1, item, items,
               static_cast<std::byte*>(target) + static_cast<std::size_t>(i) * value_bytes());
    }
  }
  void fold(const void* from, Index stride, Index count, Index item, Index items,
            void* target) override {
    computation_.fold(from, stride, count, item, items, target);
  }
  void copy(const void* from, Index stride, Index count, Index items, void* target) override {
    computation_.copy(from, stride, count, items, target);
  }
  void join(const void* left, const void* right, Index item, Index items, void* target) override {
    computation_.join(left, right, item, items, target);
  }

 private:
  const PendingBrackets& brackets_;
  Computation& computation_;
};

/// The operation of a reducer whose elements are those of pending brackets.
class PendingOperation final : public FieldOperation {
 public:
  explicit PendingOperation(const PendingBrackets& brackets)
      : brackets_(brackets), operation_(brackets.operation()) {}

  [[nodiscard]] bool associative() const override { return operation_.associative(); }
  void prepare() override {}
  [[nodiscard]] std::unique_ptr<Computation> computation(const FieldCells*, const FieldArrays*,
                                                         Index, int) const override {
    return std::make_unique<PendingComputation>(brackets_);
  }
  [[nodiscard]] std::unique_ptr<Computation> vectors(const FieldArrays*, Index, Index,
                                                     int) const override {
    throw Error("an accumulator has single elements, no vectors");
  }
  [[nodiscard]] std::size_t result_bytes() const override { return operation_.result_bytes(); }
  void finish(const void* partials, Index count, void* results, std::size_t field) const override {
    operation_.finish(partials, count, results, field);
  }
  void finish_of_nothing(void* results, std::size_t field) const override {
    operation_.finish_of_nothing(results, field);
  }

 private:
  const PendingBrackets& brackets_;
  const FieldOperation& operation_;
};

}  // namespace bracket::runtime
