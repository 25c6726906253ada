// SPDX-License-Identifier: MIT

#include "bracket/runtime/kernel.hpp"

#ifdef BRACKET_X86_KERNELS
#include <cpuid.h>
#endif

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <limits>

#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "kernels/kernels.hpp"

namespace bracket::runtime {

namespace {

constexpr const char* environment_variable = "BRACKET_KERNEL";

}  // namespace

std::span<const Kernel> kernels() {
  namespace folds = kernel_folds;
  static const Kernel table[] = {
      {"scalar", "one at a time, the reference", [] { return true; }, folds::scalar_float64,
       folds::scalar_float32, folds::scalar_widened, folds::scalar_double_double,
       folds::scalar_stochastic, folds::scalar_binned, folds::scalar_pre_rounded,
       folds::scalar_copy_rows},
      {"portable", "128-bit vectors of the compiler's own", [] { return true; },
       folds::portable_float64, folds::portable_float32, folds::portable_widened,
       folds::portable_double_double, folds::portable_stochastic, folds::portable_binned,
       folds::portable_pre_rounded, folds::portable_copy_rows},
#ifdef BRACKET_X86_KERNELS
      {"avx2", "256-bit vectors",
       [] { return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0; },
       folds::avx2_float64, folds::avx2_float32, folds::avx2_widened, folds::avx2_double_double,
       folds::avx2_stochastic, folds::avx2_binned, folds::avx2_pre_rounded, folds::avx2_copy_rows},
      {"avx512", "512-bit vectors",
       [] { return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("fma") != 0; },
       folds::avx512_float64, folds::avx512_float32, folds::avx512_widened,
       folds::avx512_double_double, folds::avx512_stochastic, folds::avx512_binned,
       folds::avx512_pre_rounded, folds::avx512_copy_rows},
#endif
  };
  return table;
}

bool kernel_folds::halves_512_bits() {
#ifdef BRACKET_X86_KERNELS
  static const bool known = [] {
    unsigned signature = 0;
    unsigned other = 0;
    if (__builtin_cpu_is("amd") == 0 || __builtin_cpu_supports("avx512f") == 0 ||
        __get_cpuid(1, &signature, &other, &other, &other) == 0) {
      return false;
    }
    const unsigned family = (signature >> 8 & 15) + (signature >> 20 & 255);
    return family == 25;
  }();
  return known;
#else
  return false;
#endif
}

bool kernel_folds::prefetches_rows() {
#ifdef BRACKET_X86_KERNELS
  return __builtin_cpu_supports("avx512f") == 0;
#else
  return true;
#endif
}

const Kernel& select_kernel(std::string_view name) {
  const std::span<const Kernel> table = kernels();
  std::string_view asked_by = "kernel";
  if (name.empty()) {
    if (const char* const from_environment = std::getenv(environment_variable)) {
      name = from_environment;
      asked_by = environment_variable;
    }
  }
  if (name.empty()) {
    return *std::find_if(table.rbegin(), table.rend(),
                         [](const Kernel& kernel) { return kernel.supported(); });
  }
  const auto found = std::find_if(table.begin(), table.end(),
                                  [&](const Kernel& kernel) { return kernel.name == name; });
  if (found == table.end()) {
    std::string known;
    for (const auto& kernel : table) {
      known += known.empty() ? "" : ", ";
      known += kernel.name;
    }
    throw Error(text(asked_by, ": unknown kernel '", excerpt(name), "'; known: ", known));
  }
  if (!found->supported()) {
    throw Error(
        text(asked_by, ": this processor does not support the kernel '", excerpt(name), "'"));
  }
  return *found;
}

void check_floating_point() {
  // Tests with additions instead of fegetround: on x86, fegetround reads the mode of another unit
  // than the one that adds.
  volatile double one = 1;
  volatile double half_ulp = 0x1p-53;
  volatile double above_half_ulp = 0x1.8p-53;
  const bool ties_to_even = one + half_ulp == 1 && -one - half_ulp == -1;
  const bool nearest = ties_to_even && one + above_half_ulp > 1 && -one - above_half_ulp < -1;
  if (!nearest) {
    throw Error("the rounding mode is not to nearest: the result's bits would differ");
  }
  volatile double smallest_normal = std::numeric_limits<double>::min();
  volatile double subnormal = smallest_normal / 2;  // 0 if results are flushed
  volatile double doubled = std::numeric_limits<double>::denorm_min();
  doubled = doubled + doubled;  // 0 if operands are flushed
  if (subnormal == 0 || doubled == 0) {
    throw Error(
        "subnormal numbers are flushed to zero: the result's bits would differ. If the program was "
        "linked with -ffast-math or -Ofast, link it without; otherwise clear FTZ and DAZ before");
  }
}

}  // namespace bracket::runtime
