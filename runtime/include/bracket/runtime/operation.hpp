#pragma once

#include <type_traits>

#include "bracket/model/range.hpp"
#include "bracket/runtime/fold.hpp"
#include "bracket/runtime/kernel.hpp"

namespace bracket {

/// An *operation* is what elements are folded and partials joined with:
///
///     using Element, Value, Result;        // what is folded, a partial, and what comes of it
///     associative                          // whether the result does not depend on the bracketing
///     void prepare();                      // once, before all else; may throw
///     Value value(element, index)          // of one element, of that global index
///     Value fold(elements, count, chunk, index)
///                                          // a bracket of `count` >= 1 elements side by side, the
///                                          // first of that global index, in chunks of `chunk`
///     Value join(left, right)
///     Result finish(value)                 // of the whole; may throw
///
/// `Value` is trivially copyable, can be made from nothing and travels as bytes between ranks of
/// one architecture; while a range is folded up to 128 of them lie on the stack of each thread.
/// Where it is the same as `Element`, an element is its own value.

/// An operation by any function object, called with the left operand first, which need be neither
/// associative nor commutative.
template <class Type, class Join>
struct Reduction {
  using Element = Type;
  using Value = Type;
  using Result = Type;
  static_assert(std::is_trivially_copyable_v<Value>,
                "elements travel as bytes: their type must be trivially copyable");
  static_assert(std::is_default_constructible_v<Value> && std::is_copy_assignable_v<Value>,
                "there are places for elements: give their type a default constructor and "
                "an assignment");
  static_assert(sizeof(Value) <= 4096,
                "elements have at most 4096 bytes, as a hundred of them may lie on the stack: "
                "reduce the parts of larger ones as fields or items of their own");

  Join join_function{};
  bool associative = false;  ///< whether the result does not depend on the bracketing

  void prepare() {}
  [[nodiscard]] const Value& value(const Element& element, Index) const { return element; }
  [[nodiscard]] Value fold(const Element* elements, Index count, Index chunk, Index) const {
    // By reference: a copy of a function object may allocate.
    return bracket::fold(elements, count, chunk, [this](const Value& left, const Value& right) {
      return join_function(left, right);
    });
  }
  [[nodiscard]] Value join(const Value& left, const Value& right) const {
    return join_function(left, right);
  }
  [[nodiscard]] Value finish(const Value& value) const { return value; }
};

/// Sum, product, minimum or maximum of float64 or float32 with a kernel, the one that
/// `select_kernel` takes if none is given. All NaN results are one.
template <class Number, class Operator>
struct KernelReduction {
  using Element = Number;
  using Value = Number;
  using Result = Number;

  const Kernel* kernel = nullptr;
  static constexpr bool associative = Operator::associative;

  void prepare() {
    if (kernel == nullptr) kernel = &select_kernel();
  }
  [[nodiscard]] Number value(Number element, Index) const { return element; }
  [[nodiscard]] Number join(Number left, Number right) const { return Operator()(left, right); }
  [[nodiscard]] Number fold(const Number* elements, Index count, Index chunk, Index) const {
    if (chunk == 1 || associative) {
      return kernel->folds<Number>().template of<Operator>()(elements, count);
    }
    return bracket::fold(elements, count, chunk, Operator());
  }
  [[nodiscard]] Number finish(Number value) const { return canonical(value); }
};

using DoubleSum = KernelReduction<double, Sum>;

}  // namespace bracket
