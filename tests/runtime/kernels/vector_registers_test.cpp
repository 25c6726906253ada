// SPDX-License-Identifier: MIT

#if defined(__x86_64__)

#include <cpuid.h>

#include <cstdint>
#include <vector>

#include "bracket/runtime/double_double.hpp"
#include "bracket/runtime/kernel.hpp"
#include "bracket/runtime/stochastic.hpp"
#include "support/catch.hpp"

namespace vector_registers_test {

using namespace bracket;
using namespace bracket::runtime;

/// Returns whether the processor can report which registers are in use.
bool tells_use() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  return __get_cpuid_count(0xd, 1, &eax, &ebx, &ecx, &edx) != 0 && (eax & (1U << 2)) != 0;
}

/// Returns whether the processor counts the upper parts of vector registers 0 to 15 as in use.
bool upper_in_use() {
  std::uint32_t low = 0, high = 0;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(1));
  constexpr std::uint32_t upper_of_ymm = 1U << 2;
  constexpr std::uint32_t upper_of_zmm = 1U << 6;
  return (low & (upper_of_ymm | upper_of_zmm)) != 0;
}

template <int... K>
bool binned_leaves_use(const Kernel& kernel, const std::vector<double>& elements, Index count,
                       std::integer_sequence<int, K...>) {
  bool in_use = false;
  const auto fold = [&](auto folded) {
    folded(elements.data(), count, Bins::width);
    in_use = in_use || upper_in_use();
  };
  (fold(kernel.binned.of<K + 1>()), ...);
  const auto fold_products = [&](auto folded) {
    folded(elements.data(), elements.data(), count, Bins::width);
    in_use = in_use || upper_in_use();
  };
  (fold_products(kernel.binned.of_products<K + 1>()), ...);
  (fold_products(kernel.binned.of_exact_products<K + 1>()), ...);
  return in_use;
}

// Otherwise each change to an instruction of SSE costs some hundred cycles on processors of Intel.
TEST_CASE("no kernel leaves the upper parts of vector registers in use") {
  if (!tells_use()) {
    WARN("this processor cannot report which registers are in use");
    return;
  }
  REQUIRE_FALSE(upper_in_use());
  const std::vector<double> doubles(5000, 1.0);
  const std::vector<float> floats(5000, 1.0F);
  for (const Kernel& kernel : kernels()) {
    if (!kernel.supported()) continue;
    for (Index count = 0; count < static_cast<Index>(doubles.size());
         count += count < 600 ? 1 : 7) {
      bool in_use = false;
      const auto fold = [&](auto folded, const auto& elements) {
        folded(elements.data(), count);
        in_use = in_use || upper_in_use();
      };
      fold(kernel.float64.sum, doubles);
      fold(kernel.float64.product, doubles);
      fold(kernel.float64.minimum, doubles);
      fold(kernel.float64.maximum, doubles);
      fold(kernel.float32.sum, floats);
      fold(kernel.float32.product, floats);
      fold(kernel.float32.minimum, floats);
      fold(kernel.float32.maximum, floats);
      kernel.float64.sum_of_products(doubles.data(), doubles.data(), count);
      in_use = in_use || upper_in_use();
      kernel.float32.sum_of_products(floats.data(), floats.data(), count);
      in_use = in_use || upper_in_use();
      CAPTURE(kernel.name, count);
      REQUIRE_FALSE(in_use);
      fold(kernel.double_double, doubles);
      kernel.stochastic(doubles.data(), count, 0);
      in_use = in_use || upper_in_use();
      REQUIRE_FALSE(in_use);
      REQUIRE_FALSE(
          binned_leaves_use(kernel, doubles, count, std::make_integer_sequence<int, 8>()));
    }
  }
}

}  // namespace vector_registers_test

#endif
