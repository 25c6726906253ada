#include <immintrin.h>

#include "kernels/blocks.hpp"
#include "kernels/kernels.hpp"

namespace bracket {

namespace {

/// Four vectors of four elements to one of their four sums, in order: the first two levels of
/// the thesis's Algorithm 4 on twice as many registers, so that no lane stays idle.
__m256d sums_of_4(__m256d a, __m256d b, __m256d c, __m256d d) {
  const __m256d ab = _mm256_hadd_pd(a, b);  // a01 b01 a23 b23
  const __m256d cd = _mm256_hadd_pd(c, d);
  return _mm256_add_pd(_mm256_permute2f128_pd(ab, cd, 0x20), _mm256_permute2f128_pd(ab, cd, 0x31));
}

/// Sums of the four quadruples in 16 elements.
__m256d quarter_sums(const double* x, kernels::width<16>) {
  return sums_of_4(_mm256_loadu_pd(x), _mm256_loadu_pd(x + 4), _mm256_loadu_pd(x + 8),
                   _mm256_loadu_pd(x + 12));
}

/// Sums of the four quarters of W elements.
template <Index W>
__m256d quarter_sums(const double* x, kernels::width<W>) {
  constexpr kernels::width<W / 4> quarter{};
  return sums_of_4(quarter_sums(x, quarter), quarter_sums(x + W / 4, quarter),
                   quarter_sums(x + W / 2, quarter), quarter_sums(x + 3 * (W / 4), quarter));
}

double sum_of_lanes(__m256d v) {
  const __m128d low = _mm256_castpd256_pd128(v);
  const __m128d high = _mm256_extractf128_pd(v, 1);
  const __m128d pairs = _mm_hadd_pd(low, high);
  return _mm_cvtsd_f64(_mm_add_sd(pairs, _mm_unpackhi_pd(pairs, pairs)));
}

struct Avx2Blocks {
  static constexpr Index widest = 256;
  static constexpr Index narrower(Index w) { return w == 256 ? 16 : 1; }

  static double sum(const double* x, kernels::width<1>) { return x[0]; }
  template <Index W>
  static double sum(const double* x, kernels::width<W> width) {
    return sum_of_lanes(quarter_sums(x, width));
  }
};

}  // namespace

double sum_avx2(const double* elements, Index count) {
  return kernels::fold<Avx2Blocks>(elements, count);
}

}  // namespace bracket
