#include "bracket/runtime/complex.hpp"

#include "reducer/request.hpp"

namespace bracket::runtime::reducers {

template <class Number>
Made make_of_complexes(const Request& request) {
  using Complex = std::complex<Number>;
  if (request.op == Op::digest) return make_digest<Complex>();
  const Kernel& kernel = select_kernel(request.settings.kernel);
  const bool widened = std::is_same_v<Number, float> && request.settings.widened;
  if (request.op == Op::sum) {
    if (widened) return make_rounded<Complex>(ComplexSum<double>{&kernel}, 0);
    return make_rounded<Complex>(ComplexSum<Number>{&kernel}, 0);
  }
  if (widened) return make_rounded<Complex>(ComplexProduct<double>{}, 1);
  return make_rounded<Complex>(ComplexProduct<Number>{}, 1);
}

template Made make_of_complexes<float>(const Request&);
template Made make_of_complexes<double>(const Request&);

}  // namespace bracket::runtime::reducers
