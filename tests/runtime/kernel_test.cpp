#include "bracket/runtime/kernel.hpp"

#include <cfenv>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>

#include "bracket/model/error.hpp"
#include "support/catch.hpp"
#include "support/hostile.hpp"
#include "support/reference.hpp"

using namespace bracket;
using testing::bits;
using testing::tree_sum;

TEST_CASE("every kernel gives the reference's bits for every length and misalignment") {
  constexpr std::size_t longest = 1100;
  for (const auto kind : testing::all_hostile) {
    const auto source = testing::hostile_elements(kind, longest, 20221201);
    for (const auto& kernel : kernels()) {
      if (!kernel.supported()) continue;
      CAPTURE(kernel.name, static_cast<int>(kind));
      // Misaligned by whole elements against a vector register's 64 bytes.
      alignas(64) static double room[longest + 8];
      for (std::size_t shift = 0; shift < 8; ++shift) {
        std::memcpy(room + shift, source.data(), longest * sizeof(double));
        for (std::size_t length = 1; length <= longest; ++length) {
          const double sum = kernel.sum(room + shift, static_cast<Index>(length));
          const double expected = tree_sum({source.data(), length});
          if (bits(sum) != bits(expected)) {
            FAIL("length " << length << ", shift " << shift << ": " << sum << ", not " << expected);
          }
        }
      }
    }
  }
}

TEST_CASE("every kernel gives the reference's bits for long inputs") {
  for (const auto kind : testing::all_hostile) {
    for (const std::size_t length : {4095, 4096, 4097, 65535, 131072, 262144 + 511, 1000003}) {
      const auto elements = testing::hostile_elements(kind, length, length);
      const double expected = tree_sum(elements);
      for (const auto& kernel : kernels()) {
        if (!kernel.supported()) continue;
        CAPTURE(kernel.name, static_cast<int>(kind), length);
        CHECK(bits(kernel.sum(elements.data(), static_cast<Index>(length))) == bits(expected));
      }
    }
  }
}

TEST_CASE("kernels read no byte outside their input and change none of it") {
  // Elements on either side that would poison any sum they got into.
  const auto inner = testing::hostile_elements(testing::Hostile::uniform, 777, 5);
  std::vector<double> framed(inner.size() + 128, std::numeric_limits<double>::quiet_NaN());
  std::copy(inner.begin(), inner.end(), framed.begin() + 64);
  for (const auto& kernel : kernels()) {
    if (!kernel.supported()) continue;
    CAPTURE(kernel.name);
    for (Index length = 1; length <= 777; ++length) {
      std::vector<double> exact(inner.begin(), inner.begin() + length);  // for the sanitizer
      const double sum = kernel.sum(exact.data(), length);
      CHECK(bits(sum) == bits(kernel.sum(framed.data() + 64, length)));
    }
    CHECK(std::equal(inner.begin(), inner.end(), framed.begin() + 64));
  }
}

// IEEE 754 binary64 of sums worked out by hand; they hold the order still.
TEST_CASE("golden bits of the tree order") {
  // ((1 + 2^-53) + (2^-53 + 2^-53)) = 1 + 2^-52; from left to right it would be 1.
  const double half_ulp = 0x1p-53;
  const double elements[] = {1, half_ulp, half_ulp, half_ulp};
  const double nothing[] = {-0.0, -0.0, -0.0};
  for (const auto& kernel : kernels()) {
    if (!kernel.supported()) continue;
    CHECK(bits(kernel.sum(elements, 4)) == 0x3FF0000000000001u);
    CHECK(bits(kernel.sum(elements, 3)) == 0x3FF0000000000000u);
    CHECK(bits(kernel.sum(nothing, 3)) == 0x8000000000000000u);
  }
}

TEST_CASE("a kernel is chosen by name, by environment, or as the fastest") {
  CHECK(select_kernel("scalar").name == "scalar");
  setenv("BRACKET_KERNEL", "scalar", 1);
  CHECK(select_kernel().name == "scalar");
  setenv("BRACKET_KERNEL", "abacus", 1);
  CHECK_THROWS_WITH(select_kernel(), Catch::Contains("BRACKET_KERNEL") &&
                                         Catch::Contains("'abacus'") &&
                                         Catch::Contains("known: scalar"));
  unsetenv("BRACKET_KERNEL");
  CHECK(select_kernel().supported());
  for (const auto& kernel : kernels()) {
    if (kernel.supported()) {
      CHECK(select_kernel(kernel.name).name == kernel.name);
    } else {
      CHECK_THROWS_WITH(select_kernel(kernel.name), Catch::Contains("does not support"));
    }
  }
}

TEST_CASE("a floating-point mode that would change the bits is refused") {
  CHECK_NOTHROW(check_floating_point());
  for (const int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    std::fesetround(mode);
    std::string message;
    try {
      check_floating_point();
    } catch (const Error& failure) {
      message = failure.what();
    }
    std::fesetround(FE_TONEAREST);
    CHECK_THAT(message, Catch::Contains("rounding mode"));
  }
#if defined(__SSE2__)
  // Of the vector unit alone: rounding down, up and to zero; flush results to zero, operands are
  // zero.
  for (const unsigned mode : {0x2000u, 0x4000u, 0x6000u, 0x8000u, 0x0040u}) {
    const unsigned before = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr(before | mode);
    std::string message;
    try {
      check_floating_point();
    } catch (const Error& failure) {
      message = failure.what();
    }
    __builtin_ia32_ldmxcsr(before);
    CHECK_THAT(message,
               Catch::Contains(mode == 0x8000u || mode == 0x0040u ? "subnormal" : "rounding mode"));
  }
#endif
}

TEST_CASE("all NaNs become one") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(std::bit_cast<std::uint64_t>(canonical(-nan)) == 0x7FF8000000000000u);
  CHECK(std::bit_cast<std::uint64_t>(canonical(std::bit_cast<double>(0x7FF8000000000123u))) ==
        0x7FF8000000000000u);
  CHECK(bits(canonical(-0.0)) == bits(-0.0));
}
