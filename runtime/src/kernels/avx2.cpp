// SPDX-License-Identifier: MIT

#include <immintrin.h>

#include <array>

#include "kernels/binned_folds.hpp"
#include "kernels/double_double_fold.hpp"
#include "kernels/folds.hpp"
#include "kernels/kernels.hpp"
#include "kernels/pre_rounded_fold.hpp"
#include "kernels/rows.hpp"
#include "kernels/stochastic_fold.hpp"

namespace bracket::runtime::kernel_folds {

namespace {

struct Avx2 {
  static constexpr Index bytes = 32;

  template <class Vector>
  [[gnu::always_inline]] static void keep(Vector& a) {
    asm volatile("" : "+v"(a));
  }

  [[gnu::always_inline]] static __m256d load_some(const double* x, Index count) {
    const __m256i lane = _mm256_setr_epi64x(0, 1, 2, 3);
    return _mm256_maskload_pd(x, _mm256_cmpgt_epi64(_mm256_set1_epi64x(count), lane));
  }

  [[gnu::always_inline]] static __m256d minus(__m256d a, __m256d b, __m256d one) {
    return _mm256_fmsub_pd(a, one, b);
  }

  /// The errors of products: here, the multiply-add is fused on purpose.
  [[gnu::always_inline]] static __m256d error(__m256d x, __m256d y, __m256d products) {
    return _mm256_fmsub_pd(x, y, products);
  }

  template <int Stage>
  [[gnu::always_inline]] static __m256d blend(__m256d a, __m256d b) {
    constexpr int lanes = std::array{0b1010, 0b1100}[Stage];
    return _mm256_blend_pd(a, b, lanes);
  }
  template <int Stage>
  [[gnu::always_inline]] static __m256 blend(__m256 a, __m256 b) {
    constexpr int lanes = std::array{0b10101010, 0b11001100, 0b11110000}[Stage];
    return _mm256_blend_ps(a, b, lanes);
  }
};

}  // namespace

constexpr Folds<double> avx2_float64 = make_folds<double, Avx2>();
constexpr Folds<float> avx2_float32 = make_folds<float, Avx2>();
constexpr DoubleDoubleKernel avx2_double_double = DoubleDoubleFold<Avx2>::fold;
constexpr StochasticKernel avx2_stochastic = StochasticFold<Avx2>::fold;
constexpr BinnedFolds avx2_binned = make_binned_folds<Avx2>();
constexpr PreRoundedKernel avx2_pre_rounded = PreRoundedFold<Avx2>::fold;
constexpr CopyRows avx2_copy_rows = copy_rows<Avx2>;

}  // namespace bracket::runtime::kernel_folds
