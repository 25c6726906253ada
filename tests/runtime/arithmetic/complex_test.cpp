// SPDX-License-Identifier: MIT

#include "bracket/runtime/complex.hpp"

#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "bracket/runtime/double_double.hpp"
#include "bracket/runtime/integers.hpp"
#include "bracket/support/error.hpp"
#include "support/catch.hpp"
#include "support/hostile.hpp"
#include "support/property.hpp"
#include "support/reference.hpp"

namespace complex_test {

using namespace bracket;
using namespace bracket::runtime;
using testing::bits;

namespace {

template <class Number>
using Complex = std::complex<Number>;

template <class Number>
std::vector<Complex<Number>> complexes(testing::Hostile kind, std::size_t count,
                                       std::uint64_t seed) {
  const auto numbers = testing::hostile_elements<Number>(kind, 2 * count, seed);
  std::vector<Complex<Number>> elements(count);
  for (std::size_t i = 0; i < count; ++i) elements[i] = {numbers[2 * i], numbers[2 * i + 1]};
  return elements;
}

template <class Number>
Complex<Number> sum(Complex<Number> x, Complex<Number> y) {
  return {x.real() + y.real(), x.imag() + y.imag()};
}

/// Product with each step in a volatile variable, so that the compiler rounds it.
template <class Number>
Complex<Number> product(Complex<Number> x, Complex<Number> y) {
  const volatile Number ac = x.real() * y.real();
  const volatile Number bd = x.imag() * y.imag();
  const volatile Number ad = x.real() * y.imag();
  const volatile Number bc = x.imag() * y.real();
  return {ac - bd, ad + bc};
}

template <class Number>
bool same(Complex<Number> x, Complex<Number> y) {
  return bits(x.real()) == bits(y.real()) && bits(x.imag()) == bits(y.imag());
}

template <class Operation, class Element>
typename Operation::Value folded(std::span<const Element> elements, std::size_t chunk,
                                 Operation operation = {}) {
  operation.prepare();
  return operation.fold(elements.data(), static_cast<Index>(elements.size()),
                        static_cast<Index>(chunk), 0);
}

constexpr std::size_t lengths[] = {1,    2,    3,    7,    64,   1000, 1023,
                                   1024, 1025, 2047, 2048, 2049, 3077, 5000};

template <class Number>
std::vector<Number> parts(std::span<const Complex<Number>> elements, bool imaginary) {
  std::vector<Number> result;
  for (const auto& x : elements) result.push_back(imaginary ? x.imag() : x.real());
  return result;
}

bool same(const DoubleDouble& x, const DoubleDouble& y) {
  return bits(x.high) == bits(y.high) && bits(x.low) == bits(y.low);
}

}  // namespace

TEMPLATE_TEST_CASE("complex: sum and product in the order, rounded step by step", "", float,
                   double) {
  using Element = Complex<TestType>;
  for (const auto kind : testing::all_hostile) {
    for (const std::size_t count : lengths) {
      const auto elements = complexes<TestType>(kind, count, count);
      const std::span<const Element> all(elements);
      for (const std::size_t chunk : {std::size_t{1}, std::size_t{2}, std::size_t{100}, count}) {
        CAPTURE(static_cast<int>(kind), count, chunk);
        CHECK(same(folded<ComplexSum<TestType>>(all, chunk),
                   testing::reduced(all, chunk, sum<TestType>)));
        CHECK(same(folded<ComplexProduct<TestType>>(all, chunk),
                   testing::reduced(all, chunk, product<TestType>)));
      }
    }
  }
}

TEST_CASE("complex: every kernel gives the same sum") {
  const auto elements = complexes<double>(testing::Hostile::cancelling, 3333, 3);
  const std::span<const Complex<double>> all(elements);
  const auto expected = testing::reduced(all, 1, sum<double>);
  for (const auto& kernel : kernels()) {
    if (!kernel.supported()) continue;
    CAPTURE(kernel.name);
    CHECK(same(folded<ComplexSum<double>>(all, 1, {&kernel}), expected));
  }
}

TEST_CASE("complex: no step is fused, no infinity is recovered") {
  // (1 + 2^-27)² rounds to 1 + 2^-26; a fused operation would leave 2^-54.
  const double x = 1 + 0x1p-27;
  const ComplexProduct<double> multiply;
  CHECK(same(multiply.join({x, 1 + 0x1p-26}, {x, 1}), product<double>({x, 1 + 0x1p-26}, {x, 1})));
  CHECK(multiply.join({x, 1 + 0x1p-26}, {x, 1}).real() == 0);
  // The standard library's product has an infinite part here.
  const double infinity = std::numeric_limits<double>::infinity();
  const auto lost = multiply.finish(multiply.join({infinity, infinity}, {infinity, 0}));
  CHECK(std::isnan(lost.real()));
  CHECK(std::isnan(lost.imag()));
  CHECK(!std::signbit(lost.real()));
}

TEST_CASE("complex: parts by a real operation, double-double") {
  using Sum = Complexes<DoubleDoubleSum>;
  static_assert(!Sum::associative && std::is_trivially_copyable_v<Sum::Value>);
  for (const auto kind : testing::all_hostile) {
    for (const std::size_t count : lengths) {
      const auto elements = complexes<double>(kind, count, count);
      const std::span<const Complex<double>> all(elements);
      for (const std::size_t chunk : {std::size_t{1}, std::size_t{3}, count}) {
        CAPTURE(static_cast<int>(kind), count, chunk);
        const auto value = folded<Sum>(all, chunk);
        const auto real = parts(all, false);
        const auto imaginary = parts(all, true);
        const auto of_real = folded<DoubleDoubleSum>(std::span<const double>(real), chunk);
        const auto of_imaginary =
            folded<DoubleDoubleSum>(std::span<const double>(imaginary), chunk);
        CHECK(same(value.real, of_real));
        CHECK(same(value.imaginary, of_imaginary));
        const DoubleDoubleSum finisher;
        CHECK(same(Sum().finish(value), {finisher.finish(of_real), finisher.finish(of_imaginary)}));
      }
    }
  }
}

namespace {

/// An operation whose result shows the indices of its elements: the sum of their squares, as bits.
struct Indices {
  using Element = double;
  using Value = std::int64_t;
  using Result = double;
  static constexpr bool associative = true;
  void prepare() {}
  [[nodiscard]] Value value(double /*element*/, Index index) const { return index * index; }
  [[nodiscard]] Value fold(const double* /*elements*/, Index count, Index /*chunk*/,
                           Index index) const {
    Value sum = 0;
    for (Index i = 0; i < count; ++i) sum += value(0, index + i);
    return sum;
  }
  [[nodiscard]] Value join(Value left, Value right) const { return left + right; }
  [[nodiscard]] double finish(Value value) const {
    if (value < 0) throw Error("negative");
    return static_cast<double>(value);
  }
};

static_assert(RoundsToOdd<Complexes<DoubleDoubleSum>>);
static_assert(!RoundsToOdd<Complexes<Indices>>);

}  // namespace

TEST_CASE("complex: a real operation is told the global index and may refuse") {
  const auto elements = complexes<double>(testing::Hostile::uniform, 2500, 1);
  Index expected = 0;
  for (Index i = 0; i < 2500; ++i) expected += (70 + i) * (70 + i);
  for (const Index chunk : {1, 7}) {
    const auto value = Complexes<Indices>().fold(elements.data(), 2500, chunk, 70);
    CHECK(value.real == expected);
    CHECK(value.imaginary == expected);
  }
  CHECK(Complexes<Indices>().value({1, 2}, 9).imaginary == 81);
  CHECK_THROWS_AS(Complexes<Indices>().finish({1, -1}), Error);
}

TEMPLATE_TEST_CASE("complex: brackets of the tree, joined, are the tree", "", ComplexSum<float>,
                   ComplexSum<double>, ComplexProduct<float>, ComplexProduct<double>,
                   Complexes<DoubleDoubleSum>) {
  using Value = typename TestType::Value;
  using Number = typename TestType::Element::value_type;
  testing::property("a bracket and what is behind it", [](std::uint64_t seed) {
    const auto count = *rc::gen::inRange<std::size_t>(2, 4000);
    const auto elements = complexes<Number>(testing::Hostile::uniform, count, seed);
    std::size_t left = 1;
    while (2 * left < count) left *= 2;
    const std::span<const typename TestType::Element> all(elements);
    const Value joined = TestType().join(folded<TestType>(all.first(left), 1),
                                         folded<TestType>(all.subspan(left), 1));
    const Value whole = folded<TestType>(all, 1);
    RC_ASSERT(std::memcmp(&joined, &whole, sizeof whole) == 0);
  });
}

}  // namespace complex_test
