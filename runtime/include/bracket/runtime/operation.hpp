#pragma once

#include <type_traits>

#include "bracket/model/range.hpp"
#include "bracket/runtime/fold.hpp"
#include "bracket/runtime/kernel.hpp"

namespace bracket {

/// What an `Executor` applies: how elements are folded and partials joined. `Join` is called with
/// the left operand first and need be neither associative nor commutative. `Element` is
/// trivially copyable, can be made from nothing, travels as bytes between ranks of one
/// architecture, and while a range is folded 64 of them lie on the stack of each thread.
template <class Element, class Join>
struct Reduction {
  using Value = Element;
  static_assert(std::is_trivially_copyable_v<Value>);

  Join join_function{};
  bool associative = false;  ///< whether the result does not depend on the bracketing

  /// Called once, when the executor is made; may throw.
  void prepare() {}
  [[nodiscard]] Value join(const Value& left, const Value& right) const {
    return join_function(left, right);
  }
  /// A bracket of `count` ≥ 1 elements in chunks of `chunk`.
  [[nodiscard]] Value fold(const Value* elements, Index count, Index chunk) const {
    return bracket::fold(elements, count, chunk, join_function);
  }
  /// The same item by item: `items` of each element, which lie `stride` apart, to `target`.
  void fold_items(const Value* elements, Index count, Index stride, Index items, Index chunk,
                  Value* target) const {
    bracket::fold_items(elements, count, stride, items, chunk, join_function, target);
  }
  [[nodiscard]] Value finish(const Value& value) const { return value; }
};

/// Sum, product, minimum or maximum of float64 or float32 with a kernel, the one that
/// `select_kernel` takes if none is given. All NaN results are one.
template <class Number, class Operator>
struct KernelReduction {
  using Value = Number;

  const Kernel* kernel = nullptr;
  static constexpr bool associative = Operator::associative;

  void prepare() {
    if (kernel == nullptr) kernel = &select_kernel();
  }
  [[nodiscard]] Number join(Number left, Number right) const { return Operator()(left, right); }
  [[nodiscard]] Number fold(const Number* elements, Index count, Index chunk) const {
    if (chunk == 1 || associative) {
      return kernel->folds<Number>().template of<Operator>()(elements, count);
    }
    return bracket::fold(elements, count, chunk, Operator());
  }
  void fold_items(const Number* elements, Index count, Index stride, Index items, Index chunk,
                  Number* target) const {
    bracket::fold_items(elements, count, stride, items, chunk, Operator(), target);
  }
  [[nodiscard]] Number finish(Number value) const { return canonical(value); }
};

using DoubleSum = KernelReduction<double, Sum>;

}  // namespace bracket
