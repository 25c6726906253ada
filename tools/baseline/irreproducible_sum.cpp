#include "irreproducible_sum.hpp"

namespace bracket::baseline {

namespace {

template <class Number>
Number left_to_right(const Number* elements, Index count) {
  Number sum = 0;
  for (Index i = 0; i < count; ++i) sum += elements[i];
  return sum;
}

/// Sums with vectors of `Bytes` bytes and eight accumulators, reading the elements as so many
/// streams. Inlined into functions for one instruction set each.
template <class Number, int Bytes, Index Streams>
[[gnu::always_inline]] inline Number by_vectors(const Number* x, Index count) {
  typedef Number Vector __attribute__((vector_size(Bytes)));
  typedef Number Anywhere __attribute__((vector_size(Bytes), aligned(alignof(Number)), may_alias));
  constexpr Index lanes = Bytes / sizeof(Number);
  constexpr Index accumulators = 8;
  constexpr Index each = accumulators / Streams;
  const Index stream = count / (accumulators * lanes) * each * lanes;
  Vector sums[accumulators] = {};
  for (Index i = 0; i < stream; i += each * lanes) {
    for (Index k = 0; k < accumulators; ++k) {
      sums[k] += *reinterpret_cast<const Anywhere*>(x + k / each * stream + i + k % each * lanes);
    }
  }
  Index i = Streams * stream;
  for (; i + lanes <= count; i += lanes) sums[0] += *reinterpret_cast<const Anywhere*>(x + i);
  for (Index k = accumulators / 2; k > 0; k /= 2) {
    for (Index j = 0; j < k; ++j) sums[j] += sums[j + k];
  }
  Number sum = 0;
  for (Index lane = 0; lane < lanes; ++lane) sum += sums[0][lane];
  for (; i < count; ++i) sum += x[i];
  return sum;
}

template <class Number, Index Streams>
Number portable(const Number* elements, Index count) {
  return by_vectors<Number, 16, Streams>(elements, count);
}

#ifdef __x86_64__
template <class Number, Index Streams>
[[gnu::target("avx2")]] Number avx2(const Number* elements, Index count) {
  return by_vectors<Number, 32, Streams>(elements, count);
}

template <class Number, Index Streams>
[[gnu::target("avx512f")]] Number avx512(const Number* elements, Index count) {
  return by_vectors<Number, 64, Streams>(elements, count);
}
#endif

template <class Number, Index Streams>
IrreproducibleSum<Number> of_streams(const runtime::Kernel& kernel) {
#ifdef __x86_64__
  if (kernel.name == "avx2") return avx2<Number, Streams>;
  if (kernel.name == "avx512") return avx512<Number, Streams>;
#endif
  return kernel.name == "scalar" ? left_to_right<Number> : portable<Number, Streams>;
}

}  // namespace

template <class Number>
IrreproducibleSum<Number> irreproducible_sum(const runtime::Kernel& kernel) {
  return of_streams<Number, 1>(kernel);
}

template <class Number>
IrreproducibleSum<Number> irreproducible_sum_of_streams(const runtime::Kernel& kernel) {
  return of_streams<Number, 4>(kernel);
}

template IrreproducibleSum<double> irreproducible_sum(const runtime::Kernel& kernel);
template IrreproducibleSum<float> irreproducible_sum(const runtime::Kernel& kernel);
template IrreproducibleSum<double> irreproducible_sum_of_streams(const runtime::Kernel& kernel);
template IrreproducibleSum<float> irreproducible_sum_of_streams(const runtime::Kernel& kernel);

}  // namespace bracket::baseline
