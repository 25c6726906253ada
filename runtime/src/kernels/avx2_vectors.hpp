// SPDX-License-Identifier: MIT

#pragma once

#include <immintrin.h>

#include <array>

#include "bracket/model/range.hpp"

// Included by files that are compiled for one instruction set each; see simd_vectors.hpp.

namespace bracket::runtime::kernel_folds {

namespace {

/// Vectors of 256 bits. Each file that includes this header has a type of its own.
struct Avx2 {
  static constexpr Index bytes = 32;
  static constexpr bool shuffles_load = true;
  using Short = Avx2;

  template <class Vector>
  [[gnu::always_inline]] static void keep(Vector& a) {
    asm volatile("" : "+v"(a));
  }

  [[gnu::always_inline]] static __m256d load_some(const double* x, Index count) {
    const __m256i lane = _mm256_setr_epi64x(0, 1, 2, 3);
    return _mm256_maskload_pd(x, _mm256_cmpgt_epi64(_mm256_set1_epi64x(count), lane));
  }

  [[gnu::always_inline]] static __m256 plus(__m256 a, __m256 b) {
    __m256 one = _mm256_set1_ps(1);
    asm("" : "+v"(one));  // or the compiler would not multiply
    return _mm256_fmadd_ps(a, one, b);
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

}  // namespace bracket::runtime::kernel_folds
