#pragma once

#include "bracket/runtime/kernel.hpp"

/// The folds of each instruction set, one for each file of this folder.
namespace bracket::kernel_folds {

extern const Folds<double> scalar_float64, portable_float64, avx2_float64, avx512_float64;
extern const Folds<float> scalar_float32, portable_float32, avx2_float32, avx512_float32;

}  // namespace bracket::kernel_folds
