// SPDX-License-Identifier: MIT

// The compiler refuses each of these with words of the library; refused.cmake looks for them.
#include <bracket/runtime/reducer.hpp>
#include <complex>

struct Owning {
  Owning(const Owning&) {}
};
struct OfOne {
  double operator()(double) const { return 0; }
};
struct Changing {
  double operator()(double left, double right) { return left + right; }
};

template class bracket::Reducer<Owning, bracket::Sum>;
template class bracket::Reducer<short, bracket::Sum>;
template class bracket::Reducer<std::complex<double>, bracket::Minimum>;
template class bracket::Reducer<double, OfOne>;
template class bracket::Reducer<double, Changing>;
