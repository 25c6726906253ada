// SPDX-License-Identifier: MIT

#pragma once

#include "bracket/runtime/kernel.hpp"

/// The folds of each instruction set, one for each file of this folder.
namespace bracket::runtime::kernel_folds {

extern const Folds<double> scalar_float64, portable_float64, avx2_float64, avx512_float64;
extern const Folds<float> scalar_float32, portable_float32, avx2_float32, avx512_float32;
extern const WidenedFolds scalar_widened, portable_widened, avx2_widened, avx512_widened;
extern const BinnedFolds scalar_binned, portable_binned, avx2_binned, avx512_binned;

using PreRoundedKernel = decltype(Kernel::pre_rounded);
extern const PreRoundedKernel scalar_pre_rounded, portable_pre_rounded, avx2_pre_rounded,
    avx512_pre_rounded;

extern const CopyRows scalar_copy_rows, portable_copy_rows, avx2_copy_rows, avx512_copy_rows;

using DoubleDoubleKernel = decltype(Kernel::double_double);
extern const DoubleDoubleKernel scalar_double_double, portable_double_double, avx2_double_double,
    avx512_double_double;

using StochasticKernel = decltype(Kernel::stochastic);
extern const StochasticKernel scalar_stochastic, portable_stochastic, avx2_stochastic,
    avx512_stochastic;

/// Whether this processor is a Zen 4, which computes with 512 bits in halves.
bool halves_512_bits();

/// Whether folds prefetch rows that lie close together. Processors without AVX-512 may fetch too
/// little of one array by themselves. On the Zen 4, prefetching takes longer than it saves.
bool prefetches_rows();

}  // namespace bracket::runtime::kernel_folds
