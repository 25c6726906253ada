// SPDX-License-Identifier: MIT

#pragma once

#include "bracket/runtime/pre_rounded.hpp"
#include "kernels/simd_vectors.hpp"

// Included by files that are compiled for one instruction set each; see simd_vectors.hpp.

namespace bracket::runtime::kernel_folds {

/// Sums of levels (see `PreRounding`). All additions of multiples are exact, so their sequence does
/// not matter.
template <class Isa>
class PreRoundedFold {
 public:
  static void fold(const double* x, Index count, const PreRounding& rounding, double* sums) {
    switch (rounding.levels) {
      case 1:
        return add<1>(x, count, rounding, sums);
      case 2:
        return add<2>(x, count, rounding, sums);
      case 3:
        return add<3>(x, count, rounding, sums);
      default:
        static_assert(PreRounding::most == 4);
        return add<4>(x, count, rounding, sums);
    }
  }

 private:
  using V = SimdVectors<double, Isa, Sum>;
  using Vector = typename V::Vector;

  static constexpr Index lanes = V::lanes;
  static constexpr Index streams = 4;  // additions that do not wait for each other

  template <int K, class Number>
  [[gnu::always_inline]] static void extract(Number x, const Number (&constants)[K],
                                             Number (&sums)[K]) {
    for (int k = 0; k < K; ++k) {
      const Number multiple = (constants[k] + x) - constants[k];
      sums[k] += multiple;
      x -= multiple;
    }
  }

  template <int K>
  [[gnu::noinline]] static void add(const double* x, Index count, const PreRounding& rounding,
                                    double* sums) {
    Vector constants[K];
    double constant[K];
    Vector found[streams][K];
    double rest[K];
    for (int k = 0; k < K; ++k) {
      constant[k] = rounding.constants[k];
      constants[k] = Vector{} + constant[k];
      rest[k] = 0;
      for (auto& stream : found) stream[k] = Vector{};
    }
    const double scale = rounding.scale;
    Index i = 0;
    for (; i + streams * lanes <= count; i += streams * lanes) {
#pragma GCC unroll 4
      for (Index stream = 0; stream < streams; ++stream) {
        extract<K, Vector>(V::load(x + i + stream * lanes) * scale, constants, found[stream]);
      }
    }
    for (; i < count; ++i) extract<K, double>(x[i] * scale, constant, rest);
    for (int k = 0; k < K; ++k) {
      const Vector sum = (found[0][k] + found[1][k]) + (found[2][k] + found[3][k]);
      sums[k] = V::template finish<0>(sum) + rest[k];
    }
  }
};

}  // namespace bracket::runtime::kernel_folds
