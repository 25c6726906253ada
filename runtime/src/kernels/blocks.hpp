#pragma once

#include "bracket/runtime/fold.hpp"

// Included by files that are compiled for one instruction set each: everything here, and what it
// instantiates, must be a template over a type of that file (the type of `join` is one), so that
// no instantiation is shared between them.

namespace bracket::kernels {

/// W consecutive elements.
template <Index W>
struct width {};

/// Sum by the tree order, one pass, nothing written but at most 64 partials.
///
/// `Blocks::sum(elements, width<W>)` sums W consecutive elements, W a power of two, beginning
/// with `Blocks::widest`; `Blocks::narrower(W)` is the width for what is left over.
template <class Blocks, Index W = Blocks::widest>
inline double fold(const double* elements, Index count) {
  const auto join = [](double left, double right) { return left + right; };
  Pending<double, decltype(join)> pending(join);
  const Index whole = count / W;
  for (Index i = 0; i < whole; ++i) {
    pending.add(i, Blocks::sum(elements + i * W, width<W>{}));
  }
  if constexpr (W > 1) {
    const Index rest = count - whole * W;
    if (rest > 0) pending.add_rest(fold<Blocks, Blocks::narrower(W)>(elements + whole * W, rest));
  }
  return pending.finish();
}

}  // namespace bracket::kernels
