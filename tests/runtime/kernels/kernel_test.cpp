// SPDX-License-Identifier: MIT

#include "bracket/runtime/kernel.hpp"

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <limits>
#include <random>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "bracket/support/error.hpp"
#include "support/catch.hpp"
#include "support/hostile.hpp"
#include "support/reference.hpp"

namespace kernel_test {

using namespace bracket;
using namespace bracket::runtime;
using testing::bits;

namespace {

template <class Number>
using Fold = typename Folds<Number>::Fold;

/// One operator: a kernel's fold, a plain implementation of its join, and its result for no
/// elements.
template <class Number>
struct Case {
  const char* name;
  Fold<Number> Folds<Number>::*fold;
  Number (*join)(Number, Number);
  Number of_nothing;

  [[nodiscard]] Number expected(std::span<const Number> elements) const {
    return elements.empty() ? of_nothing : testing::reduced(elements, 1, join);
  }
};

template <class Number>
const Case<Number> cases[] = {
    {"sum", &Folds<Number>::sum, [](Number x, Number y) { return x + y; }, 0},
    {"product", &Folds<Number>::product, [](Number x, Number y) { return x * y; }, 1},
    {"minimum", &Folds<Number>::minimum, testing::lesser<Number>,
     std::numeric_limits<Number>::infinity()},
    {"maximum", &Folds<Number>::maximum, testing::greater<Number>,
     -std::numeric_limits<Number>::infinity()}};

/// Checks all lengths up to `longest`, at 8 offsets of whole elements from a vector register's 64
/// bytes.
template <class Number>
void check_all_lengths(const Case<Number>& tested, testing::Hostile kind) {
  constexpr std::size_t longest = 1100;
  const auto source = testing::hostile_elements<Number>(kind, longest, 20221201);
  std::vector<Number> expected;
  for (std::size_t length = 0; length <= longest; ++length) {
    expected.push_back(tested.expected({source.data(), length}));
  }
  alignas(64) static Number room[longest + 8];
  for (const auto& kernel : kernels()) {
    if (!kernel.supported()) continue;
    CAPTURE(kernel.name, tested.name, sizeof(Number), static_cast<int>(kind));
    const auto fold = kernel.folds<Number>().*tested.fold;
    for (std::size_t shift = 0; shift < 8; ++shift) {
      std::copy(source.begin(), source.end(), room + shift);
      for (std::size_t length = 0; length <= longest; ++length) {
        const Number value = fold(room + shift, static_cast<Index>(length));
        if (bits(value) != bits(expected[length])) {
          FAIL("length " << length << ", shift " << shift << ": " << value << ", not "
                         << expected[length]);
        }
      }
    }
  }
}

/// Checks lengths around those of blocks, at two misalignments.
template <class Number>
void check_long(testing::Hostile kind) {
  std::vector<std::size_t> lengths = {131072, 262144 + 511, 1000003};
  for (std::size_t block = 2048; block <= 65536; block *= 2) {
    lengths.insert(lengths.end(), {block - 1, block, block + 1});
  }
  for (const std::size_t length : lengths) {
    const auto elements = testing::hostile_elements<Number>(kind, length, length);
    auto shifted = elements;
    shifted.insert(shifted.begin(), Number(1));
    for (const auto& tested : cases<Number>) {
      const Number expected = tested.expected(elements);
      for (const auto& kernel : kernels()) {
        if (!kernel.supported()) continue;
        CAPTURE(kernel.name, tested.name, sizeof(Number), static_cast<int>(kind), length);
        const auto fold = kernel.folds<Number>().*tested.fold;
        const auto count = static_cast<Index>(length);
        CHECK(bits(fold(elements.data(), count)) == bits(expected));
        CHECK(bits(fold(shifted.data() + 1, count)) == bits(expected));
      }
    }
  }
}

/// The products of two hostile arrays, each rounded once.
template <class Number>
std::vector<Number> products_of(const std::vector<Number>& x, const std::vector<Number>& y) {
  std::vector<Number> products(x.size());
  std::transform(x.begin(), x.end(), y.begin(), products.begin(), std::multiplies<Number>());
  return products;
}

/// Checks sums of products of all lengths up to `longest`, and of lengths with all blocks. The
/// second array has another misalignment than the first.
template <class Number>
void check_products(testing::Hostile kind) {
  constexpr std::size_t longest = 1100;
  std::vector<std::size_t> lengths = {4095, 8191, 65535, 100000};
  for (std::size_t length = 0; length <= longest; ++length) lengths.push_back(length);
  const auto x = testing::hostile_elements<Number>(kind, 100008, 7);
  const auto y = testing::hostile_elements<Number>(testing::Hostile::uniform, 100008, 8);
  const auto products = products_of(x, y);
  for (const std::size_t length : lengths) {
    const std::size_t shift = length % 4;
    const std::span<const Number> part(products.data() + shift, length);
    const Number expected = cases<Number>[0].expected(part);
    const std::vector<Number> factors(y.begin() + static_cast<std::ptrdiff_t>(shift),
                                      y.begin() + static_cast<std::ptrdiff_t>(shift + length));
    for (const auto& kernel : kernels()) {
      if (!kernel.supported()) continue;
      const Number value = kernel.folds<Number>().sum_of_products(x.data() + shift, factors.data(),
                                                                  static_cast<Index>(length));
      if (bits(value) != bits(expected)) {
        FAIL(kernel.name << ", kind " << static_cast<int>(kind) << ", length " << length << ": "
                         << value << ", not " << expected);
      }
    }
  }
}

/// Checks sums, products and sums of products of float32 elements as float64, of lengths with all
/// blocks. The arrays have different misalignments.
void check_widened(testing::Hostile kind) {
  std::vector<std::size_t> lengths = {2048, 4095, 8191, 65536, 100000};
  for (std::size_t length = 0; length <= 1100; ++length) lengths.push_back(length);
  const auto x = testing::hostile_elements<float>(kind, 100008, 17);
  const auto y = testing::hostile_elements<float>(testing::Hostile::uniform, 100008, 18);
  const std::vector<double> wide_x(x.begin(), x.end());
  const std::vector<double> wide_y(y.begin(), y.end());
  const auto products = products_of(wide_x, wide_y);
  const auto& [sum, product, minimum, maximum] = cases<double>;
  for (const std::size_t length : lengths) {
    const std::size_t shift = length % 8;
    const auto part = [&](const std::vector<double>& all) {
      return std::span<const double>(all.data() + shift, length);
    };
    const double sum_of_all = sum.expected(part(wide_x));
    const double product_of_all = product.expected(part(wide_x));
    const double sum_of_products = sum.expected(part(products));
    // The vectors end with the elements: a sanitizer sees who reads on.
    const auto begin = static_cast<std::ptrdiff_t>(shift);
    const auto end = static_cast<std::ptrdiff_t>(shift + length);
    const std::vector<float> elements(x.begin(), x.begin() + end);
    const std::vector<float> factors(y.begin() + begin, y.begin() + end);
    for (const auto& kernel : kernels()) {
      if (!kernel.supported()) continue;
      CAPTURE(kernel.name, static_cast<int>(kind), length);
      const WidenedFolds& folds = kernel.widened;
      const float* const first = elements.data() + shift;
      const auto count = static_cast<Index>(length);
      REQUIRE(bits(folds.sum(first, count)) == bits(sum_of_all));
      REQUIRE(bits(folds.product(first, count)) == bits(product_of_all));
      REQUIRE(bits(folds.sum_of_products(first, factors.data(), count)) == bits(sum_of_products));
    }
  }
}

/// Checks folds in chunks: sums, products and sums of products, of two arrays with different
/// misalignments.
template <class Number>
void check_chunks(testing::Hostile kind, Index chunk, std::size_t length) {
  const auto x = testing::hostile_elements<Number>(kind, length, 9);
  auto y = testing::hostile_elements<Number>(testing::Hostile::uniform, length, 10);
  const auto products = products_of(x, y);
  const auto expected = [&](const std::vector<Number>& elements, const Case<Number>& by) {
    return bits(testing::reduced(std::span<const Number>(elements), chunk, by.join));
  };
  const auto& [sum, product, minimum, maximum] = cases<Number>;
  const std::size_t shift = length % 8;
  alignas(64) static Number room[70008];
  std::copy(x.begin(), x.end(), room + shift);
  const auto count = static_cast<Index>(length);
  for (const auto& kernel : kernels()) {
    if (!kernel.supported()) continue;
    CAPTURE(kernel.name, sizeof(Number), static_cast<int>(kind), chunk, length);
    const auto& folds = kernel.folds<Number>();
    REQUIRE(bits(folds.sum_in_chunks(room + shift, count, chunk)) == expected(x, sum));
    REQUIRE(bits(folds.product_in_chunks(room + shift, count, chunk)) == expected(x, product));
    REQUIRE(bits(folds.sum_of_products_in_chunks(room + shift, y.data(), count, chunk)) ==
            expected(products, sum));
  }
}

/// Checks folds between elements that would poison the result.
template <class Number>
void check_framed(const Case<Number>& tested) {
  const auto inner = testing::hostile_elements<Number>(testing::Hostile::uniform, 777, 5);
  std::vector<Number> framed(inner.size() + 128, std::numeric_limits<Number>::quiet_NaN());
  std::copy(inner.begin(), inner.end(), framed.begin() + 64);
  for (const auto& kernel : kernels()) {
    if (!kernel.supported()) continue;
    CAPTURE(kernel.name, tested.name, sizeof(Number));
    const auto fold = kernel.folds<Number>().*tested.fold;
    for (Index length = 0; length <= 777; ++length) {
      const std::vector<Number> exact(inner.begin(), inner.begin() + length);  // for the sanitizer
      CHECK(bits(fold(exact.data(), length)) == bits(fold(framed.data() + 64, length)));
      if (length == 0) continue;
      const auto chunks = kernel.folds<Number>().sum_in_chunks;
      CHECK(bits(chunks(exact.data(), length, 24)) == bits(chunks(framed.data() + 64, length, 24)));
    }
    CHECK(std::equal(inner.begin(), inner.end(), framed.begin() + 64));
  }
}

}  // namespace

TEST_CASE("every kernel gives the reference's bits for every length and misalignment") {
  for (const auto kind : testing::all_hostile) {
    for (const auto& tested : cases<double>) check_all_lengths(tested, kind);
    for (const auto& tested : cases<float>) check_all_lengths(tested, kind);
  }
}

TEST_CASE("every kernel gives the reference's bits for long inputs") {
  for (const auto kind : testing::all_hostile) {
    check_long<double>(kind);
    check_long<float>(kind);
  }
}

TEST_CASE("every kernel rounds each product before it is added") {
  for (const auto kind : testing::all_hostile) {
    check_products<double>(kind);
    check_products<float>(kind);
  }
  // (1 + 2^-30)^2 - (1 + 2^-29) is 2^-60 by a fused multiply-add, and 0 if the product is rounded.
  const double x[] = {1 + 0x1p-30, -1};
  const double y[] = {1 + 0x1p-30, 1 + 0x1p-29};
  for (const auto& kernel : kernels()) {
    if (kernel.supported()) CHECK(bits(kernel.float64.sum_of_products(x, y, 2)) == bits(0.0));
  }
}

TEST_CASE("every kernel folds float32 elements as float64") {
  for (const auto kind : testing::all_hostile) check_widened(kind);
}

TEST_CASE("every kernel folds chunks from left to right, and then the tree over them") {
  std::mt19937_64 random(12);
  for (const auto kind : testing::all_hostile) {
    for (const Index chunk : {2, 3, 7, 8, 9, 16, 17, 64, 100, 2000}) {
      // One element more or less than some chunks, and more chunks than one block.
      std::set<std::size_t> lengths = {1, 1100};
      for (const Index chunks : {1, 2, 8, 9, 16, 17, 33, 256, 257, 513}) {
        for (Index length = chunk * chunks - 1; length <= chunk * chunks + 1; ++length) {
          if (length <= 5000) lengths.insert(static_cast<std::size_t>(length));
        }
      }
      if (chunk == 100) lengths.insert(70000);
      for (int i = 0; i < 10; ++i) lengths.insert(1 + random() % 1100);
      for (const std::size_t length : lengths) {
        check_chunks<double>(kind, chunk, length);
        check_chunks<float>(kind, chunk, length);
      }
    }
  }
}

TEST_CASE("kernels read no byte outside their input and change none of it") {
  for (const auto& tested : cases<double>) check_framed(tested);
  for (const auto& tested : cases<float>) check_framed(tested);
}

// These sums in IEEE 754 binary64 were computed by hand. They must not change.
TEST_CASE("golden bits of the tree order") {
  // ((1 + 2^-53) + (2^-53 + 2^-53)) = 1 + 2^-52; from left to right the sum would be 1.
  const double half_ulp = 0x1p-53;
  const double elements[] = {1, half_ulp, half_ulp, half_ulp};
  const double nothing[] = {-0.0, -0.0, -0.0};
  for (const auto& kernel : kernels()) {
    if (!kernel.supported()) continue;
    CHECK(bits(kernel.float64.sum(elements, 4)) == 0x3FF0000000000001u);
    CHECK(bits(kernel.float64.sum(elements, 3)) == 0x3FF0000000000000u);
    CHECK(bits(kernel.float64.sum(nothing, 3)) == 0x8000000000000000u);
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
  // Modes of the vector unit alone: round down, up and to zero; flush results to zero; treat
  // subnormal operands as zero.
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
  CHECK(std::bit_cast<std::uint32_t>(canonical(-std::numeric_limits<float>::quiet_NaN())) ==
        0x7FC00000u);
  CHECK(std::bit_cast<std::uint32_t>(canonical(std::bit_cast<float>(0x7F800001u))) == 0x7FC00000u);
  CHECK(std::isinf(canonical(-std::numeric_limits<float>::infinity())));
  for (const double number : {std::numeric_limits<double>::infinity(),
                              -std::numeric_limits<double>::infinity(), 1e308, -5e-324}) {
    CHECK(bits(canonical(number)) == bits(number));
  }
}

}  // namespace kernel_test
