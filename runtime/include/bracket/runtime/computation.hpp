#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>

#include "bracket/runtime/folder.hpp"

namespace bracket {

/// What the instructions of a rank's program compute, whatever the types: elements of the rank's
/// own are folded, partials joined. Partials lie in slots; `items` of them side by side are one
/// element.
class Computation {
 public:
  Computation() = default;
  virtual ~Computation() = default;
  Computation(const Computation&) = delete;
  Computation& operator=(const Computation&) = delete;

  [[nodiscard]] virtual std::size_t value_bytes() const = 0;
  [[nodiscard]] virtual std::shared_ptr<void> make_slots(std::size_t count) const = 0;

  /// `count` >= 1 own elements from number `first` on, of each the items from `item` on. Allocates
  /// nothing, as all below.
  virtual void fold_own(Index first, Index count, Index item, Index items, void* target) = 0;
  virtual void copy_own(Index first, Index count, Index item, Index items, void* target) = 0;

  /// `count` >= 1 elements from slot `from` on, `stride` slots from one to the next; the items from
  /// `item` on lie there.
  virtual void fold(const void* from, Index stride, Index count, Index item, Index items,
                    void* target) = 0;
  virtual void copy(const void* from, Index stride, Index count, Index items, void* target) = 0;

  /// target := left ∘ right, of the items from `item` on; `target` may be `left`.
  virtual void join(const void* left, const void* right, Index item, Index items, void* target) = 0;
};

/// By an operation (see operation.hpp), of elements that a `Source` (see folder.hpp) gives.
template <class Operation, class Source>
class ComputationOf final : public Computation {
 public:
  using Value = typename Operation::Value;

  /// With a `prepare`d operation. Throws `Error` as `Folder`.
  ComputationOf(const Operation& operation, Index chunk, Index items, int threads,
                const Source& source = {})
      : folder_(operation, chunk, items, threads), source_(source) {}

  [[nodiscard]] const Operation& operation() const { return folder_.operation(); }

  /// What it refers to must last while a run is under way.
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
    const auto* const rights = static_cast<const Value*>(right);
    auto* const targets = static_cast<Value*>(target);
    for (Index i = 0; i < items; ++i) targets[i] = operation().join(lefts[i], rights[i]);
  }

 private:
  static Vectors<Operation> at(const void* from, Index stride) {
    return {static_cast<const Value*>(from), stride};
  }

  Folder<Operation> folder_;
  Source source_;
};

}  // namespace bracket
