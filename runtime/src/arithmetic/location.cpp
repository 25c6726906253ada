// SPDX-License-Identifier: MIT

#include "bracket/runtime/location.hpp"

#include <algorithm>
#include <bit>
#include <concepts>

#include "bracket/runtime/integers.hpp"

namespace bracket::runtime {

namespace {

/// Elements per block: the block is still in cache when it is searched.
constexpr Index location_block = 2048;

template <std::integral Integer>
Integer canonical(Integer value) {
  return value;
}
using runtime::canonical;

template <class Number>
auto bits(Number value) {
  if constexpr (std::is_integral_v<Number>) {
    return value;
  } else {
    return std::bit_cast<std::conditional_t<sizeof value == 4, std::uint32_t, std::uint64_t>>(
        value);
  }
}

/// Compares values so that +0 and −0 differ. All NaNs are the same.
template <class Number>
bool same(Number x, Number y) {
  return bits(canonical(x)) == bits(canonical(y));
}

/// Index of the first of `count` elements that is the same as `wanted`, which is one of them.
template <class Number>
Index find(const Number* elements, Index count, Number wanted) {
  const Number* const end = elements + count;
  if (wanted != wanted) {
    return std::find_if(elements, end, [](Number x) { return x != x; }) - elements;
  }
  const auto pattern = bits(wanted);
  return std::find_if(elements, end, [=](Number x) { return bits(x) == pattern; }) - elements;
}

template <class Operator, class Number>
Number extreme(const Kernel* kernel, const Number* elements, Index count) {
  if constexpr (std::is_floating_point_v<Number>) {
    return canonical(kernel->folds<Number>().template of<Operator>()(elements, count));
  } else {
    return WrappingReduction<Number, Operator>().fold(elements, count, 1, 0);
  }
}

}  // namespace

template <class Number, class Operator>
typename Location<Number, Operator>::Value Location<Number, Operator>::value(const Number& element,
                                                                             Index index) const {
  return {static_cast<Wide>(canonical(element)), index};
}

template <class Number, class Operator>
typename Location<Number, Operator>::Value Location<Number, Operator>::join(
    const Value& left, const Value& right) const {
  if (same(left.value, right.value)) return left.index < right.index ? left : right;
  return same(left.value, canonical(Operator()(left.value, right.value))) ? left : right;
}

template <class Number, class Operator>
typename Location<Number, Operator>::Value Location<Number, Operator>::fold(const Number* elements,
                                                                            Index count,
                                                                            Index /*chunk*/,
                                                                            Index index) const {
  Number best = elements[0];
  Index at = 0;
  for (Index begin = 0; begin < count; begin += location_block) {
    const Number* const x = elements + begin;
    const Index size = std::min(location_block, count - begin);
    const Number candidate = extreme<Operator>(kernel, x, size);
    if (same(best, canonical(Operator()(best, candidate)))) continue;
    best = candidate;
    at = begin + find(x, size, best);
  }
  return value(best, index + at);
}

template struct Location<std::int32_t, Minimum>;
template struct Location<std::int32_t, Maximum>;
template struct Location<std::int64_t, Minimum>;
template struct Location<std::int64_t, Maximum>;
template struct Location<std::uint32_t, Minimum>;
template struct Location<std::uint32_t, Maximum>;
template struct Location<std::uint64_t, Minimum>;
template struct Location<std::uint64_t, Maximum>;
template struct Location<float, Minimum>;
template struct Location<float, Maximum>;
template struct Location<double, Minimum>;
template struct Location<double, Maximum>;

}  // namespace bracket::runtime
