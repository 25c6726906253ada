// SPDX-License-Identifier: MIT

#include <immintrin.h>

#include <cstdint>

#include "kernels/avx2_vectors.hpp"
#include "kernels/binned_folds.hpp"
#include "kernels/double_double_fold.hpp"
#include "kernels/folds.hpp"
#include "kernels/kernels.hpp"
#include "kernels/pre_rounded_fold.hpp"
#include "kernels/rows.hpp"
#include "kernels/sources.hpp"
#include "kernels/stochastic_fold.hpp"

namespace bracket::runtime::kernel_folds {

namespace {

struct Avx512 {
  static constexpr Index bytes = 64;
  static constexpr bool shuffles_load = false;
  using Short = Avx2;

  /// Whether vectors of 256 bits fold `count` elements faster. A processor that computes with 512
  /// bits in halves takes twice as long to load a vector across two cache lines, and vectors of 256
  /// bits cross lines half as often.
  [[gnu::always_inline]] static bool short_is_faster(Elements<double, Avx512> x, Index count) {
    return pays(count) && crosses_lines(x.x) && halves_512_bits();
  }
  [[gnu::always_inline]] static bool short_is_faster(Products<double, Avx512> x, Index count) {
    return pays(count) && (crosses_lines(x.x) || crosses_lines(x.y)) && halves_512_bits();
  }

  template <class Vector>
  [[gnu::always_inline]] static void keep(Vector& a) {
    asm volatile("" : "+v"(a));
  }

  [[gnu::always_inline]] static __m512d load_some(const double* x, Index count) {
    return _mm512_maskz_loadu_pd(static_cast<__mmask8>((1U << count) - 1), x);
  }

  [[gnu::always_inline]] static __m512 plus(__m512 a, __m512 b) {
    __m512 one = _mm512_set1_ps(1);
    asm("" : "+v"(one));  // or the compiler would not multiply
    return _mm512_fmadd_ps(a, one, b);
  }

  [[gnu::always_inline]] static __m512d minus(__m512d a, __m512d b, __m512d one) {
    return _mm512_fmsub_pd(a, one, b);
  }

  /// The errors of products: here, the multiply-add is fused on purpose.
  [[gnu::always_inline]] static __m512d error(__m512d x, __m512d y, __m512d products) {
    return _mm512_fmsub_pd(x, y, products);
  }

  template <int Stage>
  [[gnu::always_inline]] static __m512d blend(__m512d a, __m512d b) {
    constexpr __mmask8 lanes[] = {0xAA, 0xCC, 0xF0};
    return _mm512_mask_blend_pd(lanes[Stage], a, b);
  }
  template <int Stage>
  [[gnu::always_inline]] static __m512 blend(__m512 a, __m512 b) {
    constexpr __mmask16 lanes[] = {0xAAAA, 0xCCCC, 0xF0F0, 0xFF00};
    return _mm512_mask_blend_ps(lanes[Stage], a, b);
  }

 private:
  static bool crosses_lines(const void* x) { return reinterpret_cast<std::uintptr_t>(x) % 64 != 0; }

  /// 64 KiB to 2 MiB. Larger blocks may come from memory: then vectors of 512 bits are faster.
  static bool pays(Index elements) { return elements >= 1 << 13 && elements <= 1 << 18; }
};

}  // namespace

constexpr Folds<double> avx512_float64 = make_folds<double, Avx512>();
constexpr Folds<float> avx512_float32 = make_folds<float, Avx512>();
constexpr WidenedFolds avx512_widened = make_widened_folds<Avx512>();
constexpr DoubleDoubleKernel avx512_double_double = DoubleDoubleFold<Avx512>::fold;
constexpr StochasticKernel avx512_stochastic = StochasticFold<Avx512>::fold;
constexpr BinnedFolds avx512_binned = make_binned_folds<Avx512>();
constexpr PreRoundedKernel avx512_pre_rounded = PreRoundedFold<Avx512>::fold;
constexpr CopyRows avx512_copy_rows = copy_rows<Avx512>;

}  // namespace bracket::runtime::kernel_folds
