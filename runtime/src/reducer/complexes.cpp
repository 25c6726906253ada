#include "bracket/runtime/complex.hpp"

#include "bracket/runtime/double_double.hpp"
#include "reducer/request.hpp"

namespace bracket::reducers {

template <class Number>
Made make_of_complexes(const Request& request) {
  using Complex = std::complex<Number>;
  if (request.op == Op::digest) return make_digest<Complex>();
  const Kernel& kernel = select_kernel(request.settings.kernel);
  const bool widened = std::is_same_v<Number, float> && request.settings.widened;
  if (request.algorithm.arithmetic == Arithmetic::binned) {
    return with_bins(request.algorithm, [&](auto bins) {
      using Operation = Complexes<BinnedSum<bins()>>;
      return make_rounded<Complex>(Operation{{&kernel}}, 0);
    });
  }
  if (request.algorithm.arithmetic == Arithmetic::double_double) {
    return make_rounded<Complex>(Complexes<DoubleDoubleSum>{{&kernel}}, 0);
  }
  if (request.op == Op::sum) {
    if (widened) return make_rounded<Complex>(ComplexSum<double>{&kernel}, 0);
    return make_rounded<Complex>(ComplexSum<Number>{&kernel}, 0);
  }
  if (widened) return make_rounded<Complex>(ComplexProduct<double>{}, 1);
  return make_rounded<Complex>(ComplexProduct<Number>{}, 1);
}

template Made make_of_complexes<float>(const Request&);
template Made make_of_complexes<double>(const Request&);

}  // namespace bracket::reducers
