// SPDX-License-Identifier: MIT

#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>

#include "bracket/runtime/folder.hpp"

namespace bracket::runtime {

/// Computation of the instructions of a rank's program, without static types: folds the rank's own
/// elements and joins partials. Partials lie in slots; `items` contiguous slots are one element.
class Computation {
 public:
  Computation() = default;
  virtual ~Computation() = default;
  Computation(const Computation&) = delete;
  Computation& operator=(const Computation&) = delete;

  [[nodiscard]] virtual std::size_t value_bytes() const = 0;
  [[nodiscard]] virtual std::shared_ptr<void> make_slots(std::size_t count) const = 0;

  /// Folds or copies `count` >= 1 own elements from number `first` on, of each the items from
  /// `item` on. Allocates no memory; nor do the functions below.
  virtual void fold_own(Index first, Index count, Index item, Index items, void* target) = 0;
  virtual void copy_own(Index first, Index count, Index item, Index items, void* target) = 0;

  /// Folds or copies `count` >= 1 elements from slot `from` on, which lie `stride` slots apart and
  /// begin with item `item`.
  virtual void fold(const void* from, Index stride, Index count, Index item, Index items,
                    void* target) = 0;
  virtual void copy(const void* from, Index stride, Index count, Index items, void* target) = 0;

  /// target := left ∘ right, for the items from `item` on; `target` may be `left`.
  virtual void join(const void* left, const void* right, Index item, Index items, void* target) = 0;
};

/// Computes by an operation (see reductions.hpp) on elements of a `Source` (see folder.hpp).
template <class Operation, class Source>
class ComputationOf final : public Computation {
 public:
  using Value = typename Operation::Value;

  /// The operation must be prepared. Throws `Error` as `Folder` does.
  ComputationOf(const Operation& operation, Index chunk, Index items, int threads,
                const Source& source = {})
      : folder_(operation, chunk, items, threads), source_(source) {}

  [[nodiscard]] const Operation& operation() const { return folder_.operation(); }

  /// The source's arrays must exist while a run is under way.
  void set_source(const Source& source) { source_ = source; }

  [[nodiscard]] std::size_t value_bytes() const override { return sizeof(Value); }
  [[nodiscard]] std::shared_ptr<void> make_slots(std::size_t count) const override {
    return std::shared_ptr<Value[]>(new Value[count]());
  }

  void fold_own(Index first, Index count, Index item, Index items, void* target) override {
    folder_.fold(source_, first, count, item, items, static_cast<Value*>(target));
  }
  void copy_own(Index first, Index count, Index item, Index items, void* target) override {
    source_.copy(operation(), first, count, item, items, static_cast<Value*>(target));
  }
  void fold(const void* from, Index stride, Index count, Index /*item*/, Index items,
            void* target) override {
    folder_.fold(at(from, stride), 0, count, 0, items, static_cast<Value*>(target));
  }
  void copy(const void* from, Index stride, Index count, Index items, void* target) override {
    at(from, stride).copy(operation(), 0, count, 0, items, static_cast<Value*>(target));
  }
  void join(const void* left, const void* right, Index /*item*/, Index items,
            void* target) override {
    const auto* const lefts = static_cast<const Value*>(left);
    const auto* const __restrict rights = static_cast<const Value*>(right);
    auto* const targets = static_cast<Value*>(target);
    if (lefts == targets) {
      // The compiler vectorises this loop, but not the next one if both pointers are equal.
      for (Index i = 0; i < items; ++i) targets[i] = operation().join(targets[i], rights[i]);
      return;
    }
    for (Index i = 0; i < items; ++i) targets[i] = operation().join(lefts[i], rights[i]);
  }

 private:
  static Vectors<Operation> at(const void* from, Index stride) {
    return {static_cast<const Value*>(from), stride};
  }

  Folder<Operation> folder_;
  Source source_;
};

}  // namespace bracket::runtime
