// SPDX-License-Identifier: MIT

#pragma once

#include "bracket/runtime/kernel.hpp"

namespace bracket::baseline {

/// Function that sums `count` ≥ 0 elements as fast as possible, in any order.
template <class Number>
using IrreproducibleSum = Number (*)(const Number* elements, Index count);

/// Returns the sum with the kernel's number of vector lanes and eight accumulators; for `scalar`,
/// the sum from left to right. `Number` is double or float. The processor must support the kernel.
template <class Number>
IrreproducibleSum<Number> irreproducible_sum(const runtime::Kernel& kernel);

/// Same as `irreproducible_sum`, but reads the elements as four streams, which is faster in memory.
template <class Number>
IrreproducibleSum<Number> irreproducible_sum_of_streams(const runtime::Kernel& kernel);

/// Function that sums `count` ≥ 0 float32 elements as float64, as fast as possible, in any order.
using WidenedIrreproducibleSum = double (*)(const float* elements, Index count);

/// Returns the sum in the way of `irreproducible_sum`.
WidenedIrreproducibleSum widened_irreproducible_sum(const runtime::Kernel& kernel);

/// Function that sums `count` ≥ 0 products as fast as possible, in any order.
using IrreproducibleDot = double (*)(const double* elements, const double* factors, Index count);

/// Returns the dot product in the way of `irreproducible_sum`.
IrreproducibleDot irreproducible_dot(const runtime::Kernel& kernel);

}  // namespace bracket::baseline
