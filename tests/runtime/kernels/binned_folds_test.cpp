// SPDX-License-Identifier: MIT

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
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

/// Factors of every size, among them zeros of both signs.
double factor(std::size_t i) {
  constexpr double some[] = {1, -0.1, 0x1p-600, 3e5, -0.0, 0x1.8p300, 0, -1e-8, 0x1p-30, 7};
  return some[i % std::size(some)];
}

/// Compares each kernel's sum of the first `length` products with its sum of the rounded products.
template <int K>
void check_products(const std::vector<double>& elements, std::size_t length) {
  std::vector<double> factors;
  std::vector<double> products;
  for (std::size_t i = 0; i < length; ++i) {
    factors.push_back(factor(i));
    products.push_back(elements[i] * factors[i]);
  }
  const auto count = static_cast<Index>(length);
  const Binned<K> expected = select_kernel("scalar").binned.of<K>()(products.data(), count);
  for (const auto& kernel : kernels()) {
    if (!kernel.supported()) continue;
    const auto fold = kernel.binned.of_products<K>();
    if (!same_bytes(fold(elements.data(), factors.data(), count), expected)) {
      FAIL(kernel.name << ", " << K << " bins, length " << length << ": products");
    }
  }
}

/// Compares each kernel's sum of the first `length` elements with the definition, and its bytes
/// with those of the scalar kernel. Also checks products.
template <int K>
void check_length(const std::vector<double>& elements, std::size_t length) {
  const double expected = testing::binned_sum({elements.data(), length}, K);
  Binned<K> first;
  for (const auto& kernel : kernels()) {
    if (!kernel.supported()) continue;
    const Binned<K> sum = kernel.binned.of<K>()(elements.data(), static_cast<Index>(length));
    if (kernel.name == "scalar") first = sum;
    const double result = BinnedSum<K>{&kernel}.finish(sum);
    if (bits(result) != bits(expected) || !same_bytes(sum, first)) {
      FAIL(kernel.name << ", " << K << " bins, length " << length << ": " << std::hexfloat << result
                       << ", not " << expected);
    }
  }
  check_products<K>(elements, length);
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

TEST_CASE("binned sums read in place at any alignment, and no byte outside their input") {
  const Fenced room(1200);
  for (const auto& kind : testing::binned_kinds) {
    CAPTURE(kind.name);
    const auto elements = kind.elements(1100, 3);
    for (std::size_t length = 1; length <= elements.size(); length += length < 70 ? 1 : 103) {
      const Binned<3> expected =
          select_kernel("scalar").binned.of<3>()(elements.data(), static_cast<Index>(length));
      for (const auto& kernel : kernels()) {
        if (!kernel.supported()) continue;
        CAPTURE(kernel.name, length);
        const auto check = [&](double* place) {
          std::copy_n(elements.begin(), length, place);
          const Binned<3> sum = kernel.binned.of<3>()(place, static_cast<Index>(length));
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
    }
  }
}

}  // namespace binned_folds_test
