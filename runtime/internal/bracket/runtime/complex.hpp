// SPDX-License-Identifier: MIT

#pragma once

#include <algorithm>
#include <complex>
#include <type_traits>

#include "bracket/model/range.hpp"
#include "bracket/runtime/fold.hpp"
#include "bracket/runtime/kernel.hpp"
#include "bracket/runtime/operators.hpp"
#include "bracket/runtime/reductions.hpp"
#include "bracket/runtime/results.hpp"

namespace bracket::runtime {

/// Folds complex elements in tree order, real and imaginary parts separately.
/// `fold_parts(real, imaginary, size, first)` folds the parts of `size` contiguous elements from
/// `first` on, which are one bracket of the tree; `join` joins its values.
template <class Value, class Number, class FoldParts, class Join>
Value fold_by_parts(const std::complex<Number>* elements, Index count, FoldParts fold_parts,
                    Join join) {
  constexpr Index block_size = 1024;  // a power of two: blocks are brackets
  const auto block_value = [=](Index block) {
    const Index first = block * block_size;
    const Index size = std::min(block_size, count - first);
    Number real[block_size];
    Number imaginary[block_size];
    for (Index i = 0; i < size; ++i) {
      real[i] = elements[first + i].real();
      imaginary[i] = elements[first + i].imag();
    }
    return fold_parts(real, imaginary, size, first);
  };
  return fold_elements<Value>((count - 1) / block_size + 1, 1, block_value, join);
}

/// Sum of complex numbers. The real parts and the imaginary parts are each added in the order.
/// `Number` is float or double.
template <class Number>
struct ComplexSum {
  using Element = std::complex<Number>;
  using Value = std::complex<Number>;
  using Result = std::complex<Number>;

  const Kernel* kernel = nullptr;
  static constexpr bool associative = false;

  /// Takes the kernel of `select_kernel` if none is given, and throws as `select_kernel` does.
  void prepare() {
    if (kernel == nullptr) kernel = &select_kernel();
  }
  [[nodiscard]] Value value(const Element& element, Index /*index*/) const { return element; }
  [[nodiscard]] Value fold(const Element* elements, Index count, Index chunk,
                           Index /*index*/) const {
    const auto add = [this](const Value& left, const Value& right) { return join(left, right); };
    if (chunk != 1) return bracket::fold(elements, count, chunk, add);
    const auto sum = kernel->folds<Number>().sum;
    return fold_by_parts<Value>(
        elements, count,
        [=](const Number* real, const Number* imaginary, Index size, Index /*first*/) {
          return Value(sum(real, size), sum(imaginary, size));
        },
        add);
  }
  [[nodiscard]] Value join(const Value& left, const Value& right) const {
    return {left.real() + right.real(), left.imag() + right.imag()};
  }
  /// Each part that is a NaN becomes the quiet NaN of `canonical`.
  [[nodiscard]] Result finish(const Value& value) const {
    return {canonical(value.real()), canonical(value.imag())};
  }
};

/// Product of complex numbers. The product of a + bi and c + di is (ac − bd) + (ad + bc)i, with
/// each operation rounded on its own. Unlike in C (Annex G), infinities are not recovered from
/// NaN parts. `Number` is float or double.
template <class Number>
struct ComplexProduct {
  using Element = std::complex<Number>;
  using Value = std::complex<Number>;
  using Result = std::complex<Number>;
  static constexpr bool associative = false;

  void prepare() {}
  [[nodiscard]] Value value(const Element& element, Index /*index*/) const { return element; }
  [[nodiscard]] Value fold(const Element* elements, Index count, Index chunk,
                           Index /*index*/) const {
    return bracket::fold(elements, count, chunk, [this](const Value& left, const Value& right) {
      return join(left, right);
    });
  }
  [[nodiscard]] Value join(const Value& left, const Value& right) const {
    return product_of(left, right);
  }
  /// Each part that is a NaN becomes the quiet NaN of `canonical`.
  [[nodiscard]] Result finish(const Value& value) const {
    return {canonical(value.real()), canonical(value.imag())};
  }
};

/// Reduces the real and the imaginary parts separately by `Operation`, which reduces real numbers.
template <class Operation>
struct Complexes {
  using Number = typename Operation::Element;
  using Element = std::complex<Number>;
  struct Value {
    typename Operation::Value real{};
    typename Operation::Value imaginary{};
  };
  using Result = std::complex<typename Operation::Result>;

  Operation operation{};
  static constexpr bool associative = Operation::associative;

  void prepare() { operation.prepare(); }
  [[nodiscard]] Value value(const Element& element, Index index) const {
    return {operation.value(element.real(), index), operation.value(element.imag(), index)};
  }
  [[nodiscard]] Value fold(const Element* elements, Index count, Index chunk, Index index) const {
    const auto joined = [this](const Value& left, const Value& right) { return join(left, right); };
    if (chunk != 1 && !associative) {
      const auto element = [=, this](Index i) { return value(elements[i], index + i); };
      return fold_elements<Value>(count, chunk, element, joined);
    }
    return fold_by_parts<Value>(
        elements, count,
        [=, this](const Number* real, const Number* imaginary, Index size, Index first) {
          return Value{operation.fold(real, size, 1, index + first),
                       operation.fold(imaginary, size, 1, index + first)};
        },
        joined);
  }
  [[nodiscard]] Value join(const Value& left, const Value& right) const {
    return {operation.join(left.real, right.real), operation.join(left.imaginary, right.imaginary)};
  }
  /// Throws as `finish` of `Operation` does.
  [[nodiscard]] Result finish(const Value& value) const {
    return {operation.finish(value.real), operation.finish(value.imaginary)};
  }
  /// The digits of the less accurate part, and the cancellations of both, if `Operation` knows
  /// them.
  [[nodiscard]] Accuracy accuracy(const Value& value,
                                  double most) const requires KnowsAccuracy<Operation> {
    const Accuracy real = operation.accuracy(value.real, most);
    const Accuracy imaginary = operation.accuracy(value.imaginary, most);
    return {std::min(real.digits, imaginary.digits), real.cancellations + imaginary.cancellations};
  }
  /// Rounds both parts to odd, if `Operation` can.
  [[nodiscard]] Result finish_to_odd(const Value& value) const requires RoundsToOdd<Operation> {
    return {operation.finish_to_odd(value.real), operation.finish_to_odd(value.imaginary)};
  }
};

}  // namespace bracket::runtime
