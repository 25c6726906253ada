// SPDX-License-Identifier: MIT

#include "irreproducible_sum.hpp"

#include <cstddef>
#include <memory>
#include <vector>

#include "support/catch.hpp"

namespace irreproducible_sum_test {

using namespace bracket;

namespace {

/// Whole numbers from 1 on, whose sums are the same in every order, from `offset` elements behind
/// an address that is a multiple of 64.
template <class Number>
class Numbers {
 public:
  Numbers(std::size_t count, std::size_t offset) : room_(count + offset + 64 / sizeof(Number)) {
    void* place = room_.data();
    std::size_t bytes = room_.size() * sizeof(Number);
    begin_ = static_cast<Number*>(std::align(64, count * sizeof(Number), place, bytes)) + offset;
    for (std::size_t i = 0; i < count; ++i) begin_[i] = static_cast<Number>(i + 1);
  }

  [[nodiscard]] const Number* begin() const { return begin_; }

 private:
  std::vector<Number> room_;
  Number* begin_;
};

template <class Check>
void for_each_kernel_and_count(const Check& check) {
  for (const auto& kernel : runtime::kernels()) {
    if (!kernel.supported()) continue;
    CAPTURE(kernel.name);
    for (Index n = 0; n <= 3000; ++n) {
      CAPTURE(n);
      check(kernel, n);
    }
  }
}

}  // namespace

TEST_CASE("the irreproducible sums add every element once, wherever it lies") {
  for (const std::size_t offset : {0, 1, 3}) {
    CAPTURE(offset);
    const Numbers<double> numbers(3000, offset);
    const Numbers<float> small(3000, offset);
    for_each_kernel_and_count([&](const runtime::Kernel& kernel, Index n) {
      const auto sum = static_cast<double>(n * (n + 1) / 2);
      using namespace baseline;
      CHECK(irreproducible_sum<double>(kernel)(numbers.begin(), n) == sum);
      CHECK(irreproducible_sum<float>(kernel)(small.begin(), n) == static_cast<float>(sum));
      CHECK(irreproducible_sum_of_streams<double>(kernel)(numbers.begin(), n) == sum);
      CHECK(irreproducible_sum_of_streams<float>(kernel)(small.begin(), n) ==
            static_cast<float>(sum));
      CHECK(widened_irreproducible_sum(kernel)(small.begin(), n) == sum);
    });
  }
}

TEST_CASE("the irreproducible dot product adds every product once, wherever it lies") {
  for (const std::size_t offset : {0, 1, 3}) {
    CAPTURE(offset);
    const Numbers<double> elements(3000, offset);
    const Numbers<double> factors(3000, offset + 2);
    for_each_kernel_and_count([&](const runtime::Kernel& kernel, Index n) {
      CHECK(baseline::irreproducible_dot(kernel)(elements.begin(), factors.begin(), n) ==
            static_cast<double>(n * (n + 1) * (2 * n + 1) / 6));
    });
  }
}

}  // namespace irreproducible_sum_test
