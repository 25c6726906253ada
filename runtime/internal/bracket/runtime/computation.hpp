// SPDX-License-Identifier: MIT

#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>

#include "bracket/runtime/folder.hpp"
#include "bracket/runtime/program.hpp"

namespace bracket::runtime {

/// Computation of the instructions of a rank's program, without static types: folds the rank's own
/// elements and joins partials. Partials lie in slots; `items` contiguous slots are one element.
///
/// The functions that compute allocate no memory.
class Computation {
 public:
  Computation() = default;
  virtual ~Computation() = default;
  Computation(const Computation&) = delete;
  Computation& operator=(const Computation&) = delete;

  [[nodiscard]] virtual std::size_t value_bytes() const = 0;
  [[nodiscard]] virtual std::shared_ptr<void> make_slots(std::size_t count) const = 0;

  /// Executes instructions other than `send` and `recv`, in their order. `slots` are the program's.
  virtual void execute(std::span<const Program::Instruction> steps, void* slots);

  /// Folds or copies `count` >= 1 own elements from number `first` on, of each the items from
  /// `item` on.
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

/// Executes an instruction other than `send` and `recv` by the other functions of a computation. If
/// its class is final, the calls are not virtual: a virtual call takes as long as a join.
template <class Computes>
void execute_by(Computes& computation, std::size_t value_bytes, const Program::Instruction& step,
                void* slots) {
  const auto slot = [&](Program::Slot number) {
    return static_cast<std::byte*>(slots) + number * value_bytes;
  };
  std::byte* const target = slot(step.target);
  const std::byte* const right = slot(step.right);
  switch (step.action) {
    case Program::Action::fold_own:
      computation.fold_own(step.offset, step.count, step.item, step.items, target);
      break;
    case Program::Action::fold_slots:
      computation.fold(right, step.stride, step.count, step.item, step.items, target);
      break;
    case Program::Action::join:
      computation.join(slot(step.left), right, step.item, step.items, target);
      break;
    case Program::Action::extend: {
      const std::size_t stride = static_cast<std::size_t>(step.stride) * value_bytes;
      computation.copy(slot(step.left), step.items, 1, step.items, target);
      for (std::size_t k = 0; k < static_cast<std::size_t>(step.count); ++k) {
        computation.join(target, right + k * stride, step.item, step.items, target);
      }
      break;
    }
    case Program::Action::copy_own:
      computation.copy_own(step.offset, step.count, step.item, step.items, target);
      break;
    default:
      computation.copy(right, step.stride, step.count, step.items, target);
  }
}

inline void Computation::execute(std::span<const Program::Instruction> steps, void* slots) {
  const std::size_t bytes = value_bytes();
  for (const auto& step : steps) execute_by(*this, bytes, step, slots);
}

/// Computes by an operation (see reductions.hpp) on partials; which elements a rank has does not
/// matter to it.
template <class Operation>
class ComputationOfPartials : public Computation {
 public:
  using Value = typename Operation::Value;

  [[nodiscard]] const Operation& operation() const { return folder_.operation(); }

  [[nodiscard]] std::size_t value_bytes() const final { return sizeof(Value); }
  [[nodiscard]] std::shared_ptr<void> make_slots(std::size_t count) const final {
    return std::shared_ptr<Value[]>(new Value[count]());
  }
  void fold(const void* from, Index stride, Index count, Index /*item*/, Index items,
            void* target) final {
    folder_.fold(at(from, stride), 0, count, 0, items, static_cast<Value*>(target));
  }
  void copy(const void* from, Index stride, Index count, Index items, void* target) final {
    at(from, stride).copy(operation(), 0, count, 0, items, static_cast<Value*>(target));
  }
  void join(const void* left, const void* right, Index /*item*/, Index items, void* target) final {
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

 protected:
  /// The operation must be prepared. Throws `Error` as `Folder` does.
  ComputationOfPartials(const Operation& operation, Index chunk, Index items, int threads)
      : folder_(operation, chunk, items, threads) {}

  /// Returns whether `join_chain` executes an instruction. Larger values do not fit into registers.
  static bool joins_one(const Program::Instruction& step) {
    constexpr bool fits = sizeof(Value) <= 2 * sizeof(double);
    return fits && step.action == Program::Action::join && step.items == 1;
  }

  /// Executes the joins of one item with which `steps` begin, at least one, and returns their
  /// number. Most of them need the value of the join before. That value stays in a register,
  /// because it takes longer to load than to join.
  std::size_t join_chain(std::span<const Program::Instruction> steps, Value* values) const {
    Program::Slot place = steps[0].target;
    Value latest = operation().join(values[steps[0].left], values[steps[0].right]);
    values[place] = latest;
    std::size_t done = 1;
    for (; done < steps.size() && joins_one(steps[done]); ++done) {
      const Program::Slot left = steps[done].left;
      const Program::Slot right = steps[done].right;
      if (right == place) {
        latest = operation().join(values[left], latest);
      } else if (left == place) {
        latest = operation().join(latest, values[right]);
      } else {
        latest = operation().join(values[left], values[right]);
      }
      place = steps[done].target;
      values[place] = latest;
    }
    return done;
  }

  [[nodiscard]] Folder<Operation>& folder() { return folder_; }

 private:
  static Vectors<Operation> at(const void* from, Index stride) {
    return {static_cast<const Value*>(from), stride};
  }

  Folder<Operation> folder_;
};

/// Computes on elements of a `Source` (see folder.hpp), too.
template <class Operation, class Source>
class ComputationOf final : public ComputationOfPartials<Operation> {
  using Base = ComputationOfPartials<Operation>;
  using Base::folder;

 public:
  using Value = typename Operation::Value;

  /// The operation must be prepared. Throws `Error` as `Folder` does.
  ComputationOf(const Operation& operation, Index chunk, Index items, int threads,
                const Source& source = {})
      : Base(operation, chunk, items, threads), source_(source) {}

  /// The source's arrays must exist while a run is under way.
  void set_source(const Source& source) { source_ = source; }

  void execute(std::span<const Program::Instruction> steps, void* slots) override {
    if constexpr (Operation::associative) {
      // In the usual order, a rank folds all its elements at once, and has few instructions.
      Computation::execute(steps, slots);
    } else {
      auto* const values = static_cast<Value*>(slots);
      for (std::size_t done = 0; done < steps.size();) {
        const Program::Instruction& step = steps[done];
        if (Base::joins_one(step)) {
          done += Base::join_chain(steps.subspan(done), values);
          continue;
        }
        const std::size_t folded =
            step.neighbours > 0 ? fold_neighbours(steps.subspan(done, step.neighbours), values) : 0;
        if (folded == 0) execute_by(*this, sizeof(Value), step, slots);
        done += std::max<std::size_t>(folded, 1);
      }
    }
  }
  void fold_own(Index first, Index count, Index item, Index items, void* target) override {
    folder().fold(source_, first, count, item, items, static_cast<Value*>(target));
  }
  void copy_own(Index first, Index count, Index item, Index items, void* target) override {
    source_.copy(Base::operation(), first, count, item, items, static_cast<Value*>(target));
  }

 private:
  /// Folds brackets that follow each other in one array: the first of `steps`, and those behind it
  /// that the source puts in the same block. Returns their number, 0 without a block. The place of
  /// a block in memory is looked up once, since that takes as long as the fold of a few elements.
  std::size_t fold_neighbours(std::span<const Program::Instruction> steps, Value* values) {
    const Operation& operation = Base::operation();
    const Index chunk = folder().chunk();
    const Index first = steps.front().offset;
    const Index all = steps.back().offset + steps.back().count - first;
    const auto fit = [&](Index most, Index unit) {
      if (unit == 1 && all <= most && !folder().shares(all)) return all;
      Index count = 0;
      for (const auto& step : steps) {
        const bool begins_unit = (count & (unit - 1)) == 0;
        if (!begins_unit || step.count > most - count || folder().shares(step.count)) break;
        count += step.count;
      }
      return count;
    };
    std::size_t folded = 0;
    const auto fold_each = [&](const auto& block, Index count) {
      std::size_t number = 0;
      for (Index done = 0; done < count; ++number) {
        const auto& step = steps[number];
        values[step.target] = block.fold(operation, chunk, done, step.count);
        done += step.count;
      }
      folded = number;
    };
    if constexpr (requires { source_.use_block(operation, chunk, first, 0, fit, fold_each); }) {
      source_.use_block(operation, chunk, first, steps.front().item, fit, fold_each);
    }
    return folded;
  }

  Source source_;
};

}  // namespace bracket::runtime
