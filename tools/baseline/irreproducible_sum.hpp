#pragma once

#include "bracket/runtime/kernel.hpp"

namespace bracket {

/// Sums `count` ≥ 0 elements as fast as it can, in an order of its own.
template <class Number>
using IrreproducibleSum = Number (*)(const Number* elements, Index count);

/// The sum with the vector length of the kernel and eight accumulators; for `scalar`, from left to
/// right. `Number` is double or float. The processor must support the kernel.
template <class Number>
IrreproducibleSum<Number> irreproducible_sum(const Kernel& kernel);

}  // namespace bracket
