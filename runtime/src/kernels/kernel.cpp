#include "bracket/runtime/kernel.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <limits>

#include "bracket/model/error.hpp"
#include "kernels/kernels.hpp"

namespace bracket {

namespace {

constexpr const char* environment_variable = "BRACKET_KERNEL";

constexpr Kernel table[] = {
    {"scalar", "plain additions, the reference", [] { return true; }, sum_scalar},
#ifdef BRACKET_X86_KERNELS
    {"avx2", "256-bit vectors", [] { return __builtin_cpu_supports("avx2") != 0; }, sum_avx2},
    {"avx512", "512-bit vectors", [] { return __builtin_cpu_supports("avx512f") != 0; },
     sum_avx512},
#endif
};

}  // namespace

std::span<const Kernel> kernels() { return table; }

const Kernel& select_kernel(std::string_view name) {
  std::string_view asked_by = "kernel";
  if (name.empty()) {
    if (const char* const from_environment = std::getenv(environment_variable)) {
      name = from_environment;
      asked_by = environment_variable;
    }
  }
  if (name.empty()) {
    return *std::find_if(std::rbegin(table), std::rend(table),
                         [](const Kernel& kernel) { return kernel.supported(); });
  }
  const auto found = std::find_if(std::begin(table), std::end(table),
                                  [&](const Kernel& kernel) { return kernel.name == name; });
  if (found == std::end(table)) {
    std::string known;
    for (const auto& kernel : table) {
      known += known.empty() ? "" : ", ";
      known += kernel.name;
    }
    throw Error(text(asked_by, ": unknown kernel '", name, "'; known: ", known));
  }
  if (!found->supported()) {
    throw Error(text(asked_by, ": this processor does not support the kernel '", name, "'"));
  }
  return *found;
}

void check_floating_point() {
  // By additions, not by fegetround: on x86 that reads the mode of another unit than the one that
  // adds.
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
  doubled = doubled + doubled;  // 0 if operands are
  if (subnormal == 0 || doubled == 0) {
    throw Error("subnormal numbers are flushed to zero: the result's bits would differ");
  }
}

double canonical(double value) {
  // By bits: whatever the compiler is told about NaNs, this must see them.
  constexpr std::uint64_t infinity = 0x7FF0000000000000u;
  constexpr std::uint64_t sign = 0x8000000000000000u;
  constexpr std::uint64_t quiet_nan = 0x7FF8000000000000u;
  const bool nan = (std::bit_cast<std::uint64_t>(value) & ~sign) > infinity;
  return nan ? std::bit_cast<double>(quiet_nan) : value;
}

}  // namespace bracket
