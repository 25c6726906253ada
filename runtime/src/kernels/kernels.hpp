#pragma once

#include "bracket/model/range.hpp"

/// The fold of each instruction set, one for each file of this folder.
namespace bracket {

double sum_scalar(const double* elements, Index count);
double sum_avx2(const double* elements, Index count);
double sum_avx512(const double* elements, Index count);

}  // namespace bracket
