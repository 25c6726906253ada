// SPDX-License-Identifier: MIT

#include "irreproducible_sum.hpp"

namespace bracket::baseline {

namespace {

/// Reads as many elements as `Vector` has lanes, at any address of an element. Compilers may drop
/// the alignment of a type that is a template argument, so the type is made here.
template <class Vector, class Element>
[[gnu::always_inline]] inline void read(const Element* elements, Vector& numbers) {
  typedef Element Anywhere
      __attribute__((vector_size(sizeof(Vector) / sizeof(numbers[0]) * sizeof(Element)),
                     aligned(alignof(Element)), may_alias));
  numbers = __builtin_convertvector(*reinterpret_cast<const Anywhere*>(elements), Vector);
}

/// What is added: the elements of one array, or the products of two.
template <class... Arrays>
struct Terms;

template <class Type>
struct Terms<const Type*> {
  const Type* elements;

  template <class Vector>
  [[gnu::always_inline]] void add(Index i, Vector& sum) const {
    Vector numbers;
    read(elements + i, numbers);
    sum += numbers;
  }
  template <class Number>
  [[gnu::always_inline]] void add_one(Index i, Number& sum) const {
    sum += static_cast<Number>(elements[i]);
  }
};

template <class Type>
struct Terms<const Type*, const Type*> {
  const Type* elements;
  const Type* factors;

  template <class Vector>
  [[gnu::always_inline]] void add(Index i, Vector& sum) const {
    Vector left;
    Vector right;
    read(elements + i, left);
    read(factors + i, right);
    sum += left * right;
  }
  template <class Number>
  [[gnu::always_inline]] void add_one(Index i, Number& sum) const {
    sum += static_cast<Number>(elements[i]) * static_cast<Number>(factors[i]);
  }
};

/// Sums as `Number` with vectors of `Bytes` bytes and eight accumulators, reading the terms as so
/// many streams. Inlined into functions for one instruction set each.
template <class Number, int Bytes, Index Streams, class... Arrays>
[[gnu::always_inline]] inline Number by_vectors(const Terms<Arrays...>& terms, Index count) {
  typedef Number Vector __attribute__((vector_size(Bytes)));
  constexpr Index lanes = Bytes / sizeof(Number);
  constexpr Index accumulators = 8;
  constexpr Index each = accumulators / Streams;
  const Index stream = count / (accumulators * lanes) * each * lanes;
  Vector sums[accumulators] = {};
  for (Index i = 0; i < stream; i += each * lanes) {
    for (Index k = 0; k < accumulators; ++k) {
      terms.add(k / each * stream + i + k % each * lanes, sums[k]);
    }
  }
  Index i = Streams * stream;
  for (; i + lanes <= count; i += lanes) terms.add(i, sums[0]);
  for (Index k = accumulators / 2; k > 0; k /= 2) {
    for (Index j = 0; j < k; ++j) sums[j] += sums[j + k];
  }
  Number sum = 0;
  for (Index lane = 0; lane < lanes; ++lane) sum += sums[0][lane];
  for (; i < count; ++i) terms.add_one(i, sum);
  return sum;
}

template <class Number, Index Streams, class... Arrays>
Number portable(Arrays... arrays, Index count) {
  return by_vectors<Number, 16, Streams>(Terms<Arrays...>{arrays...}, count);
}

#ifdef __x86_64__
template <class Number, Index Streams, class... Arrays>
[[gnu::target("avx2")]] Number avx2(Arrays... arrays, Index count) {
  return by_vectors<Number, 32, Streams>(Terms<Arrays...>{arrays...}, count);
}

template <class Number, Index Streams, class... Arrays>
[[gnu::target("avx512f")]] Number avx512(Arrays... arrays, Index count) {
  return by_vectors<Number, 64, Streams>(Terms<Arrays...>{arrays...}, count);
}
#endif

template <class Number, class... Arrays>
Number left_to_right(Arrays... arrays, Index count) {
  const Terms<Arrays...> terms{arrays...};
  Number sum = 0;
  for (Index i = 0; i < count; ++i) terms.add_one(i, sum);
  return sum;
}

/// Function of the terms of one array, or of two.
template <class Number, Index Streams, class... Arrays>
auto of_streams(const runtime::Kernel& kernel) -> Number (*)(Arrays..., Index) {
#ifdef __x86_64__
  if (kernel.name == "avx2") return avx2<Number, Streams, Arrays...>;
  if (kernel.name == "avx512") return avx512<Number, Streams, Arrays...>;
#endif
  if (kernel.name == "scalar") return left_to_right<Number, Arrays...>;
  return portable<Number, Streams, Arrays...>;
}

}  // namespace

template <class Number>
IrreproducibleSum<Number> irreproducible_sum(const runtime::Kernel& kernel) {
  return of_streams<Number, 1, const Number*>(kernel);
}

template <class Number>
IrreproducibleSum<Number> irreproducible_sum_of_streams(const runtime::Kernel& kernel) {
  return of_streams<Number, 4, const Number*>(kernel);
}

IrreproducibleDot irreproducible_dot(const runtime::Kernel& kernel) {
  return of_streams<double, 1, const double*, const double*>(kernel);
}

WidenedIrreproducibleSum widened_irreproducible_sum(const runtime::Kernel& kernel) {
  return of_streams<double, 1, const float*>(kernel);
}

template IrreproducibleSum<double> irreproducible_sum(const runtime::Kernel& kernel);
template IrreproducibleSum<float> irreproducible_sum(const runtime::Kernel& kernel);
template IrreproducibleSum<double> irreproducible_sum_of_streams(const runtime::Kernel& kernel);
template IrreproducibleSum<float> irreproducible_sum_of_streams(const runtime::Kernel& kernel);

}  // namespace bracket::baseline
