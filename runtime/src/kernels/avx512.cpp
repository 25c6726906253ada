#include <immintrin.h>

#include "kernels/blocks.hpp"
#include "kernels/kernels.hpp"

namespace bracket {

namespace {

/// Adds neighbours within each of `a` and `b`: a01 b01 a23 b23 a45 b45 a67 b67.
__m512d add_pairs(__m512d a, __m512d b) {
  return _mm512_add_pd(_mm512_unpacklo_pd(a, b), _mm512_unpackhi_pd(a, b));
}

/// Adds neighbouring 128-bit lanes within each of `a` and `b`, those of `a` first.
__m512d add_lanes(__m512d a, __m512d b) {
  return _mm512_add_pd(_mm512_shuffle_f64x2(a, b, 0x88), _mm512_shuffle_f64x2(a, b, 0xDD));
}

/// Eight vectors of eight elements to one of their eight sums, in order.
__m512d sums_of_8(__m512d a, __m512d b, __m512d c, __m512d d, __m512d e, __m512d f, __m512d g,
                  __m512d h) {
  const __m512d abcd = add_lanes(add_pairs(a, b), add_pairs(c, d));  // a03 b03 a47 b47 c03 …
  const __m512d efgh = add_lanes(add_pairs(e, f), add_pairs(g, h));
  return add_lanes(abcd, efgh);
}

/// Sums of the eight eighths of 64 elements.
__m512d eighth_sums(const double* x, kernels::width<64>) {
  const auto load = [x](int i) { return _mm512_loadu_pd(x + 8 * i); };
  return sums_of_8(load(0), load(1), load(2), load(3), load(4), load(5), load(6), load(7));
}

/// Sums of the eight eighths of W elements.
template <Index W>
__m512d eighth_sums(const double* x, kernels::width<W>) {
  const auto eighth = [x](Index i) {
    return eighth_sums(x + i * (W / 8), kernels::width<W / 8>{});
  };
  return sums_of_8(eighth(0), eighth(1), eighth(2), eighth(3), eighth(4), eighth(5), eighth(6),
                   eighth(7));
}

double sum_of_lanes(__m512d v) {
  const __m256d low = _mm512_castpd512_pd256(v);
  const __m256d high = _mm512_extractf64x4_pd(v, 1);
  const __m256d pairs = _mm256_hadd_pd(low, high);  // 01 45 23 67
  const __m128d quads = _mm_add_pd(_mm256_castpd256_pd128(pairs), _mm256_extractf128_pd(pairs, 1));
  return _mm_cvtsd_f64(_mm_add_sd(quads, _mm_unpackhi_pd(quads, quads)));
}

struct Avx512Blocks {
  static constexpr Index widest = 512;
  static constexpr Index narrower(Index w) { return w == 512 ? 64 : w == 64 ? 8 : 1; }

  static double sum(const double* x, kernels::width<1>) { return x[0]; }
  static double sum(const double* x, kernels::width<8>) { return sum_of_lanes(_mm512_loadu_pd(x)); }
  template <Index W>
  static double sum(const double* x, kernels::width<W> width) {
    return sum_of_lanes(eighth_sums(x, width));
  }
};

}  // namespace

double sum_avx512(const double* elements, Index count) {
  return kernels::fold<Avx512Blocks>(elements, count);
}

}  // namespace bracket
