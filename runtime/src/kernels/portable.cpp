// SPDX-License-Identifier: MIT

#include "kernels/binned_folds.hpp"
#include "kernels/double_double_fold.hpp"
#include "kernels/folds.hpp"
#include "kernels/kernels.hpp"
#include "kernels/rows.hpp"
#include "kernels/stochastic_fold.hpp"

namespace bracket::runtime::kernel_folds {

namespace {

/// Vectors that the compiler supports on every processor: SSE2, NEON, VSX.
struct Portable {
  static constexpr Index bytes = 16;

  template <class Vector>
  [[gnu::always_inline]] static void keep(Vector&) {}  // register names are not portable

  template <class Vector>
  [[gnu::always_inline]] static Vector minus(Vector a, Vector b, Vector /*one*/) {
    return a - b;
  }

  template <int Stage, class Vector>
  [[gnu::always_inline]] static Vector blend(Vector a, Vector b) {
    constexpr int distance = 1 << Stage;
    if constexpr (sizeof a[0] == 8) return __builtin_shufflevector(a, b, 0, 3);
    if constexpr (sizeof a[0] == 4) {
      return __builtin_shufflevector(a, b, 0, distance & 1 ? 5 : 1, distance & 2 ? 6 : 2, 7);
    }
  }
};

}  // namespace

constexpr Folds<double> portable_float64 = make_folds<double, Portable>();
constexpr Folds<float> portable_float32 = make_folds<float, Portable>();
constexpr DoubleDoubleKernel portable_double_double = DoubleDoubleFold<Portable>::fold;
constexpr StochasticKernel portable_stochastic = StochasticFold<Portable>::fold;
constexpr BinnedFolds portable_binned = make_binned_folds<Portable>();
constexpr CopyRows portable_copy_rows = copy_rows<Portable>;

}  // namespace bracket::runtime::kernel_folds
