// SPDX-License-Identifier: MIT

#include "kernels/binned_folds.hpp"
#include "kernels/double_double_fold.hpp"
#include "kernels/folds.hpp"
#include "kernels/kernels.hpp"
#include "kernels/pre_rounded_fold.hpp"
#include "kernels/rows.hpp"
#include "kernels/stochastic_fold.hpp"

namespace bracket::runtime::kernel_folds {

namespace {

/// Vectors that the compiler supports on every processor: SSE2, NEON, VSX.
struct Portable {
  static constexpr Index bytes = 16;
  static constexpr bool shuffles_load = false;
  using Short = Portable;

  template <class Vector>
  [[gnu::always_inline]] static void keep(Vector&) {}  // register names are not portable

  /// Fewer than two numbers.
  [[gnu::always_inline]] static auto load_some(const double* x, Index count) {
    typedef double Vector __attribute__((vector_size(bytes)));
    return Vector{count > 0 ? *x : 0, 0};
  }

  template <class Vector>
  [[gnu::always_inline]] static Vector plus(Vector a, Vector b) {
    return a + b;
  }
  template <class Vector>
  [[gnu::always_inline]] static Vector minus(Vector a, Vector b, Vector /*one*/) {
    return a - b;
  }

  /// The errors of products, by Veltkamp's splitting and Dekker's product if neither may overflow
  /// and no part of the error is below the least subnormal; otherwise by a function.
  template <class Vector>
  [[gnu::always_inline]] static Vector error(Vector x, Vector y, Vector products) {
    const auto safe = (magnitude(x) < 0x1p995) & (magnitude(y) < 0x1p995) &
                      ((magnitude(products) >= 0x1p-968) | (x == 0) | (y == 0));
    if ((safe[0] & safe[1]) == 0) {
      return Vector{__builtin_fma(x[0], y[0], -products[0]),
                    __builtin_fma(x[1], y[1], -products[1])};
    }
    const Vector of_x = upper(x);
    const Vector of_y = upper(y);
    const Vector rest_of_x = x - of_x;
    const Vector rest_of_y = y - of_y;
    return ((of_x * of_y - products) + of_x * rest_of_y + rest_of_x * of_y) + rest_of_x * rest_of_y;
  }

  template <int Stage, class Vector>
  [[gnu::always_inline]] static Vector blend(Vector a, Vector b) {
    constexpr int distance = 1 << Stage;
    if constexpr (sizeof a[0] == 8) return __builtin_shufflevector(a, b, 0, 3);
    if constexpr (sizeof a[0] == 4) {
      return __builtin_shufflevector(a, b, 0, distance & 1 ? 5 : 1, distance & 2 ? 6 : 2, 7);
    }
  }

 private:
  template <class Vector>
  [[gnu::always_inline]] static Vector magnitude(Vector a) {
    return a < 0 ? -a : a;
  }

  /// The upper half of the significand (Veltkamp), so that products of halves are exact.
  template <class Vector>
  [[gnu::always_inline]] static Vector upper(Vector a) {
    const Vector scaled = a * 0x1.0000002p27;  // 2^27 + 1
    return scaled - (scaled - a);
  }
};

}  // namespace

constexpr Folds<double> portable_float64 = make_folds<double, Portable>();
constexpr Folds<float> portable_float32 = make_folds<float, Portable>();
constexpr WidenedFolds portable_widened = make_widened_folds<Portable>();
constexpr DoubleDoubleKernel portable_double_double = DoubleDoubleFold<Portable>::fold;
constexpr StochasticKernel portable_stochastic = StochasticFold<Portable>::fold;
constexpr BinnedFolds portable_binned = make_binned_folds<Portable>();
constexpr PreRoundedKernel portable_pre_rounded = PreRoundedFold<Portable>::fold;
constexpr CopyRows portable_copy_rows = copy_rows<Portable>;

}  // namespace bracket::runtime::kernel_folds
