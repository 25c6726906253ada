// SPDX-License-Identifier: MIT

#include "bracket/runtime/threads.hpp"

#include <atomic>
#include <limits>
#include <span>
#include <vector>

#include "bracket/runtime/folder.hpp"
#include "bracket/runtime/reductions.hpp"
#include "bracket/support/error.hpp"
#include "support/catch.hpp"
#include "support/hostile.hpp"
#include "support/operators.hpp"
#include "support/reference.hpp"

namespace threads_test {

using namespace bracket;
using namespace bracket::runtime;
using testing::bits;

TEST_CASE("every part is done once, whatever the threads") {
  for (const int threads : {1, 2, 3, 8}) {
    for (const Index parts : {0, 1, 7, 1000}) {
      std::vector<std::atomic<int>> done(static_cast<std::size_t>(parts));
      for_each_part(threads, parts, [&](Index part) { ++done[static_cast<std::size_t>(part)]; });
      CHECK(std::all_of(done.begin(), done.end(), [](const auto& times) { return times == 1; }));
    }
  }
}

TEST_CASE("what a part throws reaches the caller when all are done") {
  std::atomic<int> done = 0;
  CHECK_THROWS_WITH(for_each_part(4, 100,
                                  [&](Index part) {
                                    ++done;
                                    if (part % 10 == 3) throw Error("no");
                                  }),
                    Catch::Equals("no"));
  CHECK(done == 100);
}

TEST_CASE("no threads are refused") {
  CHECK_THROWS_WITH(check_threads(0), Catch::Contains("at least 1"));
  CHECK_THROWS_WITH((Folder<DoubleSum>({}, 1, 1, -3)), Catch::Contains("-3 threads"));
  CHECK_NOTHROW(check_threads(most_threads));
  CHECK_THROWS_WITH(check_threads(most_threads + 1), Catch::Contains("at most 4096"));
}

#if defined(__SSE2__)
TEST_CASE("a thread whose floating-point mode would change the bits is refused") {
  const unsigned clean = __builtin_ia32_stmxcsr();
  for_each_part(2, 2, [&](Index part) {
    if (part == 1) __builtin_ia32_ldmxcsr(clean | 0x8040u);  // flush subnormals
  });
  CHECK_NOTHROW(check_floating_point());
  const std::vector<double> elements(100000, std::numeric_limits<double>::denorm_min());
  DoubleSum operation;
  operation.prepare();
  const auto sum = [&](int threads) {
    double result = 0;
    Folder<DoubleSum>(operation, 1, 1, threads)
        .fold(Vectors<DoubleSum>{elements.data()}, 0, 100000, 0, 1, &result);
    return result;
  };
  const double expected = sum(1);
  CHECK(expected == 100000 * std::numeric_limits<double>::denorm_min());
  // libomp gives each thread the mode of the thread that starts it; libgomp leaves the mode
  // unchanged. A fold that is not refused must have the right bits.
  try {
    const double result = sum(2);
    CHECK(bits(result) == bits(expected));
  } catch (const Error& error) {
    CHECK_THAT(error.what(), Catch::Contains("subnormal"));
  }
  for_each_part(2, 2, [&](Index) { __builtin_ia32_ldmxcsr(clean); });
  CHECK(bits(sum(2)) == bits(expected));
}
#endif

TEST_CASE("what the operator throws in a thread reaches the caller") {
  struct Refuse {
    double operator()(double, double) const { throw Error("never"); }
  };
  const std::vector<double> elements(100000, 1.0);
  using Refusing = Reduction<double, Refuse>;
  Folder<Refusing> folder({}, 1, 1, 3);
  double result = 0;
  CHECK_THROWS_WITH(folder.fold(Vectors<Refusing>{elements.data()}, 0, 100000, 0, 1, &result),
                    Catch::Equals("never"));
}

namespace {

/// Compares the fold of vectors of `items` by `threads` with the serial reduction of each item.
void check_fold(testing::Hostile kind, std::size_t count, std::size_t items, std::size_t chunk,
                int threads) {
  const std::size_t stride = items + items / 2;
  const auto elements = testing::hostile_elements(kind, count * stride, count + items);
  DoubleSum sum;
  sum.prepare();
  Folder<DoubleSum> folder(sum, static_cast<Index>(chunk), static_cast<Index>(items), threads);
  std::vector<double> result(items);
  folder.fold(Vectors<DoubleSum>{elements.data(), static_cast<Index>(stride)}, 0,
              static_cast<Index>(count), 0, static_cast<Index>(items), result.data());
  CAPTURE(static_cast<int>(kind), count, items, chunk, threads);
  for (std::size_t item = 0; item < items; ++item) {
    std::vector<double> column;
    for (std::size_t i = 0; i < count; ++i) column.push_back(elements[i * stride + item]);
    const double expected =
        testing::reduced(std::span<const double>(column), chunk, std::plus<double>());
    if (bits(result[item]) != bits(expected)) FAIL("item " << item);
  }
}

}  // namespace

TEST_CASE("every number of threads gives the serial bits") {
  for (const int threads : {1, 2, 3, 7, 64}) {
    for (const auto kind : {testing::Hostile::cancelling, testing::Hostile::specials}) {
      for (const std::size_t count : {1, 16383, 16384, 16385, 65537, 100003}) {
        for (const std::size_t chunk : {std::size_t{1}, std::size_t{3}, count}) {
          check_fold(kind, count, 1, chunk, threads);
        }
      }
      check_fold(kind, 9001, 5, 1, threads);
      check_fold(kind, 9001, 5, 7, threads);
      check_fold(kind, 3, 20011, 1, threads);  // threads share the items
      check_fold(kind, 301, 301, 2, threads);
    }
  }
}

TEST_CASE("threads keep the order of operands of any operator") {
  // Products of matrices: neither their order nor their bracketing may change.
  const std::size_t count = 6001;
  std::vector<testing::RealMatrix> matrices;
  for (std::size_t i = 0; i < count; ++i) {
    const auto x = testing::hostile_elements(testing::Hostile::uniform, 4, i);
    matrices.push_back({x[0], x[1], x[2], x[3]});
  }
  for (const std::size_t chunk : {1, 5}) {
    const auto expected = testing::reduced(std::span<const testing::RealMatrix>(matrices), chunk,
                                           testing::Multiply());
    for (const int threads : {2, 5}) {
      using Product = Reduction<testing::RealMatrix, testing::Multiply>;
      Folder<Product> folder({}, static_cast<Index>(chunk), 1, threads);
      testing::RealMatrix result;
      folder.fold(Vectors<Product>{matrices.data()}, 0, static_cast<Index>(count), 0, 1, &result);
      CHECK(result == expected);
    }
  }
}

TEST_CASE("what is associative is shared by threads whatever the chunk") {
  const auto elements = testing::hostile_elements(testing::Hostile::signed_zeros, 100000, 1);
  KernelReduction<double, Minimum> minimum;
  minimum.prepare();
  for (const Index chunk : {Index{1}, Index{100000}, std::numeric_limits<Index>::max()}) {
    using Least = KernelReduction<double, Minimum>;
    Folder<Least> folder(minimum, chunk, 1, 3);
    double result = 0;
    folder.fold(Vectors<Least>{elements.data()}, 0, 100000, 0, 1, &result);
    CHECK(bits(result) ==
          bits(testing::reduced(std::span<const double>(elements), 1, testing::lesser<double>)));
  }
}

}  // namespace threads_test
