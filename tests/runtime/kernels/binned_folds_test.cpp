// SPDX-License-Identifier: MIT

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "bracket/runtime/binned.hpp"
#include "bracket/runtime/kernel.hpp"
#include "support/binned_reference.hpp"
#include "support/catch.hpp"
#include "support/hostile.hpp"
#include "support/reference.hpp"

namespace binned_folds_test {

using namespace bracket;
using namespace bracket::runtime;
using testing::bits;

namespace {

template <int K>
bool same_bytes(const Binned<K>& left, const Binned<K>& right) {
  return std::memcmp(&left, &right, sizeof left) == 0;
}

/// Compares each kernel's sum of the first `length` products with its sum of the rounded products.
template <int K>
void check_products(const std::vector<double>& elements, const std::vector<double>& factors,
                    std::size_t length, int width = Bins::width) {
  std::vector<double> products;
  for (std::size_t i = 0; i < length; ++i) products.push_back(elements[i] * factors[i]);
  const auto count = static_cast<Index>(length);
  const Binned<K> expected = select_kernel("scalar").binned.of<K>()(products.data(), count, width);
  for (const auto& kernel : kernels()) {
    if (!kernel.supported()) continue;
    const auto fold = kernel.binned.of_products<K>();
    if (!same_bytes(fold(elements.data(), factors.data(), count, width), expected)) {
      FAIL(kernel.name << ", " << K << " bins, length " << length << ": products");
    }
  }
}

/// Compares each kernel's sum of the first `length` elements with the definition, and its bytes
/// with those of the scalar kernel. Also checks products.
template <int K>
void check_length(const std::vector<double>& elements, std::size_t length,
                  int width = Bins::width) {
  const double expected = testing::binned_sum({elements.data(), length}, K, 1, width);
  Binned<K> first;
  for (const auto& kernel : kernels()) {
    if (!kernel.supported()) continue;
    const Binned<K> sum = kernel.binned.of<K>()(elements.data(), static_cast<Index>(length), width);
    if (kernel.name == "scalar") first = sum;
    const double result = BinnedSum<K>{&kernel, width}.finish(sum);
    if (bits(result) != bits(expected) || !same_bytes(sum, first)) {
      FAIL(kernel.name << ", " << K << " bins of " << width << ", length " << length << ": "
                       << std::hexfloat << result << ", not " << expected);
    }
  }
  std::vector<double> factors;
  for (std::size_t i = 0; i < length; ++i) factors.push_back(testing::hostile_factor(i));
  check_products<K>(elements, factors, length, width);
}

void check_all_lengths(const std::vector<double>& elements) {
  std::vector<std::size_t> lengths;
  for (std::size_t length = 0; length < 70; ++length) lengths.push_back(length);
  for (const std::size_t length : {70, 71, 100, 127, 128, 129, 255, 256, 257, 299, 300}) {
    lengths.push_back(length);
  }
  for (const std::size_t length : lengths) {
    testing::for_each_bins([&](auto bins) { check_length<bins>(elements, length); });
  }
  for (const std::size_t length : {1023, 1024, 1025, 2047, 2048, 2049, 4099, 5000}) {
    check_length<1>(elements, length);
    check_length<2>(elements, length);
    check_length<3>(elements, length);
    if (length % 5 == 0) testing::for_each_bins([&](auto k) { check_length<k>(elements, length); });
  }
}

/// A number from 2^exponent to below twice that, of either sign. It is often one that is hard to
/// round: the first or last of the binade, or halfway between multiples of a unit. That is the unit
/// of the bin that begins at 2^edge, or of one of the two bins below it.
double hard_to_round(int exponent, int edge, std::mt19937_64& random) {
  const double sign = random() % 2 == 0 ? 1 : -1;
  const double any = testing::with_exponent(exponent, random);
  constexpr double ends[] = {1, 0x1.fffffffffffffp0, 0x1.0000000000001p0};
  const auto kind = static_cast<std::size_t>(testing::one_of(0, 4, random));
  if (kind < std::size(ends)) return std::ldexp(sign * ends[kind], exponent);
  const int half = edge - Bins::width * testing::one_of(0, 2, random);
  if (kind == 4 || half > exponent || half < exponent - 52) return any;
  const double halves = std::trunc(std::ldexp(any, -half));
  return std::ldexp(std::fmod(halves, 2) == 0 ? halves + sign : halves, half);
}

/// Memory for `count` elements between two inaccessible pages.
class Fenced {
 public:
  explicit Fenced(std::size_t count) : count_(count) {
    page_ = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    pages_ = (count * sizeof(double) - 1) / page_ + 1;
    void* const mapped =
        mmap(nullptr, (pages_ + 2) * page_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(mapped != MAP_FAILED);
    base_ = static_cast<char*>(mapped);
    REQUIRE(mprotect(base_ + page_, pages_ * page_, PROT_READ | PROT_WRITE) == 0);
  }
  ~Fenced() { munmap(base_, (pages_ + 2) * page_); }
  Fenced(const Fenced&) = delete;
  Fenced& operator=(const Fenced&) = delete;

  [[nodiscard]] double* first() const { return reinterpret_cast<double*>(base_ + page_); }
  /// Address of `count` elements that end at the inaccessible page.
  [[nodiscard]] double* last(std::size_t count) const {
    return reinterpret_cast<double*>(base_ + (pages_ + 1) * page_) - count;
  }

 private:
  std::size_t count_;
  std::size_t page_;
  std::size_t pages_;
  char* base_;
};

}  // namespace

TEST_CASE("every kernel gives the bits of the binned sum's definition") {
  for (const auto& kind : testing::binned_kinds) {
    CAPTURE(kind.name);
    check_all_lengths(kind.elements(5000, 7));
  }
}

TEST_CASE("every kernel gives the bits of the binned sum's definition for hostile elements") {
  for (const auto kind : testing::all_hostile) {
    CAPTURE(static_cast<int>(kind));
    check_all_lengths(testing::hostile_elements(kind, 5000, 11));
  }
}

TEST_CASE("the first elements of a binned sum need not be like the others") {
  std::mt19937_64 random(17);
  const double least = std::numeric_limits<double>::denorm_min();
  const double most = std::numeric_limits<double>::max();
  for (const double first : {0.0, -0.0, least, 1e-200, 1.0, 1e200, most, HUGE_VAL, std::nan("")}) {
    for (const int exponent : {-1074, -300, 0, 300, 1022}) {
      CAPTURE(first, exponent);
      std::vector<double> elements;
      for (int i = 0; i < 1500; ++i) {
        elements.push_back(i < 70 ? first : testing::with_exponent(exponent, random));
      }
      elements.insert(elements.end(), {most, -1e-300, -most});
      for (const std::size_t length : {71, 200, 300, 600, 1024, 1100, 1503}) {
        check_length<1>(elements, length);
        check_length<3>(elements, length);
      }
    }
  }
}

TEST_CASE("sums are right with one element out of a narrow range") {
  std::mt19937_64 random(29);
  const auto pick = [&](const auto& choices) { return choices[random() % std::size(choices)]; };
  for (int round = 0; round < 600; ++round) {
    // Some of these bins have units that are almost too small or too great.
    constexpr int bins[] = {-26, -24, -14, -13, -12, -1, 0, 1, 11, 12, 13, 23, 24};
    // Exponents around the edges of the narrow ranges, from the edge of the bin on.
    constexpr int least_exponents[] = {-29, -28, -27, -26, -3, 0, 11, 12, 13, 14, 30};
    constexpr int greatest_exponents[] = {-5, 0, 10, 11, 12, 13, 38, 39};
    const int edge = Bins::width * pick(bins);
    const int least = edge + pick(least_exponents);
    const int greatest = std::max(least, edge + pick(greatest_exponents));
    const auto number = [&](int first, int last) {
      return hard_to_round(testing::one_of(first, last, random), edge, random);
    };
    std::vector<double> elements(64 + random() % 2200);
    for (double& element : elements) element = number(least, greatest);
    double& one = elements[random() % elements.size()];
    constexpr double others[] = {0.0, -0.0, HUGE_VAL, -HUGE_VAL, NAN, 0x1p-1074, 0x1p1023};
    const int other = testing::one_of(0, 9, random);
    if (other < 4) one = pick(others);
    if (other == 4) one = number(least - 3, least - 1);
    if (other == 5) one = number(greatest + 1, greatest + 3);
    if (other == 6) one = number(edge + 12, edge + 14);

    CAPTURE(round, edge, least, greatest, other);
    check_length<3>(elements, elements.size());
    std::vector<double> factors;
    for (std::size_t i = 0; i < elements.size(); ++i) {
      factors.push_back(round % 2 == 0 ? 1 : testing::with_exponent(0, random));
    }
    check_products<3>(elements, factors, elements.size());
    if (round % 5 == 1) check_length<3>(elements, elements.size(), Bins::width - 1);
    if (round % 5 == 0) {
      testing::for_each_bins([&](auto k) { check_length<k>(elements, elements.size()); });
    }
  }
}

TEST_CASE("one element out of a narrow range is seen beside elements at the edge of the range") {
  std::mt19937_64 random(31);
  constexpr int width = Bins::width;
  // The second block has an odd number of vectors, of four lanes as of eight.
  constexpr std::size_t block = 1024;
  constexpr std::size_t count = block + 23 * 8 + 4;
  // The range is chosen by the first elements of each block. One of them opens the window.
  constexpr std::size_t sampled = 64;
  const double infinite = HUGE_VAL;
  const auto signalling = std::bit_cast<double>(std::uint64_t{0xFFF0000000000001});
  for (const int edge : {-width, 0, width}) {
    for (const int least : {-27, 13}) {
      const double end = std::ldexp(1, edge + (least < 0 ? 12 : width));
      const double below = std::ldexp(1 - 0x1p-53, edge + least);
      const double above = -std::nextafter(end, 2 * end);
      // Not zeros: to miss one changes no sum.
      for (const double other : {below, above, infinite, -infinite, static_cast<double>(NAN),
                                 signalling, std::numeric_limits<double>::denorm_min()}) {
        const std::size_t inside = sampled + random() % (block - sampled);
        for (const std::size_t place : {inside, count - 12 + random() % 8, count - 1}) {
          // An odd multiple of the last unit: half a unit more or less is no tie.
          std::vector<double> elements(count, std::ldexp(1 + 0x1p-52, edge + least));
          for (const std::size_t first : {std::size_t{0}, block}) {
            std::fill_n(elements.begin() + static_cast<Index>(first), sampled,
                        std::ldexp(1.5, edge + least + 7));
            elements[first] = end / 2;
          }
          for (std::size_t i = 1; i < count; i += 3) elements[i] = -elements[i];
          elements[place] = other;
          CAPTURE(edge, least, other, place);
          check_length<3>(elements, count);
        }
      }
    }
  }
}

TEST_CASE("binned sums of finite elements raise no exception for overflow or invalid operations") {
  for (const double most : {1.5, 0x1.8p600, 0x1.8p910, 0x1.8p922, 0x1.8p979}) {
    std::vector<double> elements(1500, most);
    const std::vector<double> factors(elements.size(), 1);
    for (const double other : {std::numeric_limits<double>::max(), -0x1p600, 0x1p-1074, 0.0}) {
      elements[700] = other;
      for (const auto& kernel : kernels()) {
        if (!kernel.supported()) continue;
        CAPTURE(kernel.name, most, other);
        const auto count = static_cast<Index>(elements.size());
        std::feclearexcept(FE_ALL_EXCEPT);
        kernel.binned.of<3>()(elements.data(), count, Bins::width);
        kernel.binned.of_products<3>()(elements.data(), factors.data(), count, Bins::width);
        CHECK(std::fetestexcept(FE_OVERFLOW | FE_INVALID) == 0);
      }
    }
  }
}

TEST_CASE("binned sums read in place at any alignment, and no byte outside their input") {
  const Fenced room(1200);
  for (const auto& kind : testing::binned_kinds) {
    CAPTURE(kind.name);
    const auto elements = kind.elements(1100, 3);
    for (std::size_t length = 1; length <= elements.size(); length += length < 70 ? 1 : 103) {
      const Binned<3> expected =
          select_kernel("scalar").binned.of<3>()(elements.data(), static_cast<Index>(length), 40);
      for (const auto& kernel : kernels()) {
        if (!kernel.supported()) continue;
        CAPTURE(kernel.name, length);
        const auto check = [&](double* place) {
          std::copy_n(elements.begin(), length, place);
          const Binned<3> sum = kernel.binned.of<3>()(place, static_cast<Index>(length), 40);
          if (!same_bytes(sum, expected)) FAIL("at " << place);
        };
        for (std::size_t shift = 0; shift < 8; ++shift) check(room.first() + shift);
        check(room.last(length));
        CHECK(std::equal(elements.begin(), elements.begin() + static_cast<Index>(length),
                         room.last(length)));
      }
    }
  }
}

TEST_CASE("binned sums of more elements than 64 bits have room for") {
  // The largest number of units in each bin, rounded to the last bin.
  const double all_bits = std::nextafter(0x1p40, 0);
  const double half_units = 0x1p40 - 0x1.8p-39;
  constexpr std::size_t count = 20'000'003;
  for (const double element : {all_bits, half_units, -0x1.8p39}) {
    const std::vector<double> elements(count, element);
    for (const auto& kernel : kernels()) {
      if (!kernel.supported()) continue;
      CAPTURE(kernel.name, element);
      const auto check = [&](auto bins) {
        const BinnedSum<bins> sum{&kernel};
        const double result = sum.finish(sum.fold(elements.data(), count, 1, 0));
        CHECK(bits(result) == bits(testing::binned_sum({&element, 1}, bins, count)));
      };
      check(std::integral_constant<int, 1>());
      check(std::integral_constant<int, 2>());
      check(std::integral_constant<int, 3>());
      constexpr int most = Bins::most_width;
      const double wide = std::ldexp(element, most - 40);
      const std::vector<double> fewer(100'003, wide);
      const BinnedSum<1> sum{&kernel, most};
      CHECK(bits(sum.finish(sum.fold(fewer.data(), 100'003, 1, 0))) ==
            bits(testing::binned_sum({&wide, 1}, 1, 100'003, most)));
    }
  }
}

TEST_CASE("every kernel gives the bits of the definition for bins of any width") {
  std::mt19937_64 random(13);
  for (int width = Bins::least_width; width <= Bins::most_width; width += width < 12 ? 1 : 3) {
    std::vector<double> edges;
    for (int i = 0; i < 2100; ++i) {
      const int bin = testing::one_of(-1073 / width, 1022 / width, random);
      const double on = std::ldexp(random() % 2 == 0 ? 1 : -1,
                                   std::min(width * bin + testing::one_of(-1, 1, random), 1023));
      edges.push_back(random() % 3 == 0 ? on : std::nextafter(on, random() % 2 == 0 ? 0 : 2 * on));
    }
    std::vector<std::vector<double>> of_kinds{edges};
    for (const auto& kind : testing::binned_kinds) of_kinds.push_back(kind.elements(2100, 19));
    for (const auto& elements : of_kinds) {
      for (const std::size_t length : {1, 7, 9, 130, 2100}) {
        check_length<1>(elements, length, width);
        check_length<3>(elements, length, width);
        check_length<8>(elements, length, width);
      }
    }
  }
}

}  // namespace binned_folds_test
