// SPDX-License-Identifier: MIT

#pragma once

#include <concepts>
#include <type_traits>

#include "bracket/model/range.hpp"
#include "bracket/runtime/fold.hpp"
#include "bracket/runtime/kernel.hpp"

namespace bracket::runtime {

/// An *operation* folds elements and joins partials:
///
///     using Element, Value, Result;        // types of an element, a partial and the result
///     static constexpr bool associative    // whether the result does not depend on the bracketing
///     void prepare();                      // called once, before all else; may throw
///     Value value(element, index)          // value of the element with this global index
///     Value fold(elements, count, chunk, index)
///                                          // value of a bracket of `count` >= 1 contiguous
///                                          // elements, the first with this global index, in
///                                          // chunks of `chunk`
///     Value fold_products(elements, factors, count, chunk)
///                                          // optional: the same for products of elements
///     Value fold_widened(numbers, count)
///     Value fold_widened_products(numbers, factors, count)
///                                          // optional: the same for `count` >= 1 float32 numbers
///                                          // that become elements, in tree order
///     Value* fold_units(elements, rows, count, unit, waiting, values)
///     Value* fold_units(elements, factors, rows, count, unit, waiting, values)
///                                          // optional: the values of every `unit` elements of
///                                          // rows, in tree order; see `Folds::UnitsFold`
///     Value join(left, right)
///     Result finish(value)                 // result of the whole; may throw
///     Accuracy accuracy(value, most)       // optional: of the result, which has at most `most`
///                                          // decimal digits
///     Result finish_to_odd(value)          // optional, for values with more digits than float64:
///                                          // the result rounded to odd, which is then rounded to
///                                          // float32; without it, `finish` rounds to float64, and
///                                          // float32 is rounded twice
///
/// An operation of `make_float_sum` (operations/float_sum.hpp) is a sum of float64, an aggregate
/// whose first member is `const Kernel* kernel`.
///
/// `Value` is trivially copyable and default constructible. It is sent as bytes between ranks of
/// one architecture. While a range is folded, each thread has up to 128 values on its stack. If
/// `Value` is `Element`, an element is its own value.

/// An operation that has `finish_to_odd`.
template <class Operation>
concept RoundsToOdd = requires(const Operation& operation, const typename Operation::Value& value) {
  operation.finish_to_odd(value);
};

/// An operation that has `accuracy`.
template <class Operation>
concept KnowsAccuracy = requires(const Operation& operation,
                                 const typename Operation::Value& value) {
  operation.accuracy(value, 0.0);
};

/// An operation that has `fold_products`.
template <class Operation>
concept FoldsProducts = requires(const Operation& operation,
                                 const typename Operation::Element* elements, Index count) {
  operation.fold_products(elements, elements, count, count);
};

/// An operation that has `fold_widened`, and also for products if it folds products.
template <class Operation>
concept FoldsWidened = requires(const Operation& operation, const float* numbers, Index count) {
  operation.fold_widened(numbers, count);
  requires !FoldsProducts<Operation> || requires {
    operation.fold_widened_products(numbers, numbers, count);
  };
};

/// An operation that has `fold_units`, and also for products if it folds products.
template <class Operation>
concept FoldsUnits = requires(const Operation& operation, RowsOf<typename Operation::Element> rows,
                              Waiting<typename Operation::Element>& waiting,
                              typename Operation::Value* values) {
  operation.fold_units(rows, Index{}, Index{}, Index{}, waiting, values);
  requires !FoldsProducts<Operation> || requires {
    operation.fold_units(rows, rows, Index{}, Index{}, Index{}, waiting, values);
  };
};

/// An operation that may compute by a kernel; null if it does not.
template <class Operation>
concept HasKernel = requires(const Operation& operation) {
  { operation.kernel } -> std::convertible_to<const Kernel*>;
};

/// An operation by any function object, which is called with the left operand first and need not be
/// commutative. It must be associative if it `Associates`, and need not be otherwise.
template <class Type, class Join, bool Associates = false>
struct Reduction {
  using Element = Type;
  using Value = Type;
  using Result = Type;
  static_assert(std::is_trivially_copyable_v<Value>,
                "elements travel as bytes: their type must be trivially copyable");
  static_assert(std::is_default_constructible_v<Value> && std::is_copy_assignable_v<Value>,
                "elements are made and assigned: give their type a default constructor and an "
                "assignment");
  static_assert(sizeof(Value) <= 4096,
                "elements have at most 4096 bytes, since a hundred may lie on the stack: "
                "reduce the parts of larger ones as fields or items of their own");

  static constexpr bool associative = Associates;

  Join join_function{};

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

/// Sum, product, minimum or maximum of float64 or float32 with a kernel, by default the one that
/// `select_kernel` returns. All NaN results have the same bits.
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
    const Folds<Number>& folds = kernel->folds<Number>();
    if constexpr (!associative) {
      if (chunk != 1) return folds.template in_chunks_of<Operator>()(elements, count, chunk);
    }
    return folds.template of<Operator>()(elements, count);
  }
  [[nodiscard]] Number fold_products(const Number* elements, const Number* factors, Index count,
                                     Index chunk) const requires std::is_same_v<Operator, Sum> {
    const Folds<Number>& folds = kernel->folds<Number>();
    if (chunk == 1) return folds.sum_of_products(elements, factors, count);
    return folds.sum_of_products_in_chunks(elements, factors, count, chunk);
  }
  [[nodiscard]] Number fold_widened(const float* numbers, Index count) const
      requires(!associative && std::is_same_v<Number, double>) {
    return kernel->widened.template of<Operator>()(numbers, count);
  }
  [[nodiscard]] Number fold_widened_products(const float* numbers, const float* factors,
                                             Index count) const
      requires(std::is_same_v<Operator, Sum>&& std::is_same_v<Number, double>) {
    return kernel->widened.sum_of_products(numbers, factors, count);
  }
  Number* fold_units(RowsOf<Number> elements, Index rows, Index count, Index unit,
                     Waiting<Number>& waiting, Number* values) const requires(!associative) {
    return kernel->folds<Number>().template of_units<Operator>()(elements, rows, count, unit,
                                                                 waiting, values);
  }
  Number* fold_units(RowsOf<Number> elements, RowsOf<Number> factors, Index rows, Index count,
                     Index unit, Waiting<Number>& waiting,
                     Number* values) const requires std::is_same_v<Operator, Sum> {
    return kernel->folds<Number>().sums_of_units_of_products(elements, factors, rows, count, unit,
                                                             waiting, values);
  }
  [[nodiscard]] Number finish(Number value) const { return canonical(value); }
};

using DoubleSum = KernelReduction<double, Sum>;

}  // namespace bracket::runtime
