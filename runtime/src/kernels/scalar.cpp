#include "kernels/blocks.hpp"
#include "kernels/kernels.hpp"

namespace bracket {

namespace {

struct ScalarBlocks {
  static constexpr Index widest = 8;
  static constexpr Index narrower(Index) { return 1; }

  static double sum(const double* x, kernels::width<1>) { return x[0]; }
  static double sum(const double* x, kernels::width<8>) {
    return ((x[0] + x[1]) + (x[2] + x[3])) + ((x[4] + x[5]) + (x[6] + x[7]));
  }
};

}  // namespace

double sum_scalar(const double* elements, Index count) {
  return kernels::fold<ScalarBlocks>(elements, count);
}

}  // namespace bracket
