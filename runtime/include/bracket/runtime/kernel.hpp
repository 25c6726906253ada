#pragma once

#include <span>
#include <string>
#include <string_view>

#include "bracket/model/range.hpp"

namespace bracket {

/// A way of folding elements by the tree order on this processor. Every kernel gives the bits of
/// `scalar` (NaN payloads excepted), reads its input in place at any alignment and writes
/// nothing but its result.
struct Kernel {
  std::string_view name;     ///< "scalar", "avx2", "avx512"
  std::string_view summary;  ///< one line
  bool (*supported)();       ///< whether this processor can run it
  /// Sum of `count` ≥ 1 elements by the tree order over `count` elements. Any bracket of a
  /// longer tree has that shape.
  double (*sum)(const double* elements, Index count);
};

/// The kernels built into this program, fastest last.
std::span<const Kernel> kernels();

/// The kernel called `name`; for an empty name the one that the environment variable
/// BRACKET_KERNEL names, otherwise the fastest this processor supports. Throws `Error` for one
/// that is unknown or that this processor lacks.
const Kernel& select_kernel(std::string_view name = {});

/// Throws `Error` unless additions round to nearest and subnormals are neither flushed nor taken
/// for zero: under anything else the bits would differ.
void check_floating_point();

/// `value`, or the one quiet NaN that stands for all of them: a NaN's payload and sign depend on
/// the operands' order in the instruction, which no standard fixes.
double canonical(double value);

}  // namespace bracket
