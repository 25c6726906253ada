// SPDX-License-Identifier: MIT

#include "kernels/avx2_vectors.hpp"
#include "kernels/binned_folds.hpp"
#include "kernels/double_double_fold.hpp"
#include "kernels/folds.hpp"
#include "kernels/kernels.hpp"
#include "kernels/pre_rounded_fold.hpp"
#include "kernels/rows.hpp"
#include "kernels/stochastic_fold.hpp"

namespace bracket::runtime::kernel_folds {

constexpr Folds<double> avx2_float64 = make_folds<double, Avx2>();
constexpr Folds<float> avx2_float32 = make_folds<float, Avx2>();
constexpr WidenedFolds avx2_widened = make_widened_folds<Avx2>();
constexpr DoubleDoubleKernel avx2_double_double = DoubleDoubleFold<Avx2>::fold;
constexpr StochasticKernel avx2_stochastic = StochasticFold<Avx2>::fold;
constexpr BinnedFolds avx2_binned = make_binned_folds<Avx2>();
constexpr PreRoundedKernel avx2_pre_rounded = PreRoundedFold<Avx2>::fold;
constexpr CopyRows avx2_copy_rows = copy_rows<Avx2>;

}  // namespace bracket::runtime::kernel_folds
