// SPDX-License-Identifier: MIT

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <random>

#include "bracket/runtime/any_reducer.hpp"
#include "bracket/runtime/reducer.hpp"
#include "bracket/support/text.hpp"
#include "support/binned_reference.hpp"
#include "support/catch.hpp"
#include "support/double_double_reference.hpp"
#include "support/hostile.hpp"
#include "support/reference.hpp"
#include "support/world.hpp"

namespace reducer_arrays_mpi_test {

using namespace bracket;
using testing::bits;
using testing::world;

namespace {

/// A random array with an index range in each dimension, and the elements of the ranges in order.
template <class Number>
struct RandomArray {
  Layout layout;
  std::vector<std::byte> bytes;
  Index origin = 0;  ///< position in `bytes` of the element with index 0 in every dimension
  std::vector<Number> elements;

  [[nodiscard]] const Number* data() const {
    return reinterpret_cast<const Number*>(bytes.data() + origin);
  }
};

/// Number of elements in each dimension's range, which several arrays share.
std::vector<Index> random_shape(std::mt19937_64& random) {
  std::vector<Index> shape(random() % 6);
  for (auto& count : shape) count = static_cast<Index>(random() % (shape.size() > 3 ? 4 : 9));
  return shape;
}

/// `strange` gives odd strides: gaps, negative strides, repeated elements, permuted dimensions.
template <class Number>
RandomArray<Number> random_array(const std::vector<Index>& shape, bool strange,
                                 std::mt19937_64& random) {
  RandomArray<Number> array;
  const auto size = static_cast<Index>(sizeof(Number));
  std::vector<Index>& extents = array.layout.extents;
  std::vector<Index>& strides = array.layout.strides;
  for (const Index count : shape) {
    const auto before = static_cast<Index>(random() % 3);
    extents.push_back(before + count + static_cast<Index>(random() % 3));
    array.layout.ranges.push_back({before, before + count});
  }
  Index total = size;
  strides.resize(shape.size());
  std::vector<std::size_t> dimensions(shape.size());
  for (std::size_t i = 0; i < shape.size(); ++i) dimensions[i] = shape.size() - 1 - i;
  if (strange) std::shuffle(dimensions.begin(), dimensions.end(), random);
  for (const std::size_t i : dimensions) {
    strides[i] = total;
    total *= std::max<Index>(extents[i], 1);
    if (strange) {
      total += size * static_cast<Index>(random() % 3);
      if (random() % 4 == 0) {
        array.origin += strides[i] * std::max<Index>(extents[i] - 1, 0);
        strides[i] = -strides[i];
      } else if (random() % 8 == 0) {
        strides[i] = 0;
      }
    }
  }
  const auto numbers = testing::hostile_elements<double>(
      testing::Hostile::uniform, static_cast<std::size_t>(total / size), random());
  array.bytes.resize(static_cast<std::size_t>(total));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto number = static_cast<Number>(numbers[i] * 1000);
    std::memcpy(array.bytes.data() + i * sizeof(Number), &number, sizeof number);
  }
  // Collect the elements by a plain walk, with the last dimension fastest.
  std::vector<Index> at;
  for (const Range range : array.layout.ranges) at.push_back(range.begin);
  const bool none = std::find(shape.begin(), shape.end(), 0) != shape.end();
  for (bool more = !none; more;) {
    Index address = array.origin;
    for (std::size_t i = 0; i < at.size(); ++i) address += at[i] * strides[i];
    Number number;
    std::memcpy(&number, array.bytes.data() + address, sizeof number);
    array.elements.push_back(number);
    more = false;
    for (std::size_t i = at.size(); i-- > 0;) {
      if (++at[i] < array.layout.ranges[i].end) {
        more = true;
        break;
      }
      at[i] = array.layout.ranges[i].begin;
    }
  }
  if (!strange && random() % 2 == 0) strides.clear();
  return array;
}

/// Arrays of one rank. A vector of these has all ranks' arrays, this rank's at `world().rank()`.
template <class Number>
struct Holding {
  RandomArray<Number> elements;
  RandomArray<Number> factors;
};

template <class Number>
std::vector<Holding<Number>> random_holdings(bool strange, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Holding<Number>> all;
  for (Rank rank = 0; rank < world().size(); ++rank) {
    const auto shape = random_shape(random);
    all.push_back({random_array<Number>(shape, strange, random),
                   random_array<Number>(shape, strange, random)});
  }
  return all;
}

template <class Number, class Combine>
std::vector<Number> whole(const std::vector<Holding<Number>>& all, Combine combine) {
  std::vector<Number> elements;
  for (const auto& [x, y] : all) {
    for (std::size_t i = 0; i < x.elements.size(); ++i) {
      elements.push_back(combine(x.elements[i], y.elements[i]));
    }
  }
  return elements;
}

template <class Number>
Number left_of(Number x, Number) {
  return x;
}

template <class Number, class Join>
Number reduced(const std::vector<Number>& elements, std::size_t chunk, Join join) {
  return testing::reduced(std::span<const Number>(elements), chunk, join);
}

/// Reduces the elements and their products with the factors, as two fields of one reducer.
template <class Result, class Number>
std::array<Result, 2> run(Op op, const Holding<Number>& own, const Settings& settings = {}) {
  const auto& [x, y] = own;
  const std::vector<Field> fields{Field(x.layout), Field::products(x.layout, y.layout)};
  const auto reducer =
      make_reducer(MPI_COMM_WORLD, *runtime::type_of<Number>(), op, fields, settings);
  const auto arrays = [&x = x, &y = y](std::size_t k) {
    return FieldArrays{x.data(), k == 1 ? y.data() : nullptr};
  };
  std::array<Result, 2> results{};
  reducer->run(2, arrays, results.data(), results.size());
  return results;
}

template <class Number>
const Holding<Number>& own(const std::vector<Holding<Number>>& all) {
  return all[static_cast<std::size_t>(world().rank())];
}

constexpr std::uint64_t tries = 24;

}  // namespace

TEMPLATE_TEST_CASE("arrays of any strides and index ranges: floats", "", float, double) {
  for (std::uint64_t seed = 0; seed < tries; ++seed) {
    const auto all = random_holdings<TestType>(seed % 3 != 0, seed);
    const auto plain = whole(all, left_of<TestType>);
    const auto products = whole(all, std::multiplies<TestType>());
    const auto& [x, y] = own(all);
    CAPTURE(seed, x.layout.extents, x.layout.strides, y.layout.strides);
    Settings settings;
    std::size_t chunk = 1;
    if (seed % 2 == 1) {
      chunk = seed % 4 == 1 ? 5 : 1000000;
      settings.algorithm = text("chunked-tree:", chunk);
    }
    const auto sums = run<TestType>(Op::sum, own(all), settings);
    if (plain.empty()) {
      CHECK(bits(sums[0]) == bits(TestType(0)));
      CHECK(bits(sums[1]) == bits(TestType(0)));
      continue;
    }
    CHECK(bits(sums[0]) == bits(reduced(plain, chunk, std::plus<TestType>())));
    CHECK(bits(sums[1]) == bits(reduced(products, chunk, std::plus<TestType>())));
    const auto least = run<TestType>(Op::minimum, own(all));
    CHECK(bits(least[0]) == bits(reduced(plain, 1, testing::lesser<TestType>)));
    CHECK(bits(least[1]) == bits(reduced(products, 1, testing::lesser<TestType>)));
    const auto greatest = run<Located<TestType>>(Op::maximum_location, own(all));
    CHECK(bits(greatest[1].value) == bits(reduced(products, 1, testing::greater<TestType>)));
    CHECK(bits(products.at(static_cast<std::size_t>(greatest[1].index))) ==
          bits(greatest[1].value));
    CHECK(greatest[0].index ==
          std::max_element(plain.begin(), plain.end()) - plain.begin());  // the first of equal ones
  }
}

TEMPLATE_TEST_CASE("arrays of any strides and index ranges: sums beyond the type", "", float,
                   double) {
  for (std::uint64_t seed = 0; seed < tries; ++seed) {
    const auto all = random_holdings<TestType>(seed % 3 != 0, seed);
    // A float32 is multiplied in float64, just as it is added.
    std::vector<double> wide;
    std::vector<double> exact;
    for (const auto& [x, y] : all) {
      const std::vector<double> left(x.elements.begin(), x.elements.end());
      const std::vector<double> right(y.elements.begin(), y.elements.end());
      for (std::size_t i = 0; i < left.size(); ++i) wide.push_back(left[i] * right[i]);
      const auto numbers = testing::exact_products(left, right);
      exact.insert(exact.end(), numbers.begin(), numbers.end());
    }
    if (wide.empty()) continue;
    CAPTURE(seed);
    Settings settings;
    for (const char* plan : {"", "aggregated", "butterfly"}) {
      settings.plan = plan;
      settings.algorithm = "binned-exact:2:30";
      CHECK(bits(run<TestType>(Op::sum, own(all), settings)[1]) ==
            bits(testing::binned_sum<TestType>(exact, 2, 1, 30)));
    }
    settings.plan = "";
    settings.algorithm = "binned";
    CHECK(bits(run<TestType>(Op::sum, own(all), settings)[1]) ==
          bits(static_cast<TestType>(testing::binned_sum(wide, 3))));
    settings.algorithm = "double-double";
    const auto [high, low] = testing::expected_fold(wide, 1);
    CHECK(bits(run<TestType>(Op::sum, own(all), settings)[1]) ==
          bits(static_cast<TestType>(low == 0 ? high : high + low)));
  }
}

TEMPLATE_TEST_CASE("arrays of any strides and index ranges: integers", "", std::int32_t,
                   std::int64_t) {
  using Unsigned = std::make_unsigned_t<TestType>;
  for (std::uint64_t seed = 0; seed < tries; ++seed) {
    const auto all = random_holdings<TestType>(seed % 3 != 0, seed);
    const auto multiply = [](TestType x, TestType y) {
      return static_cast<TestType>(static_cast<Unsigned>(x) * static_cast<Unsigned>(y));
    };
    const auto products = whole(all, multiply);
    CAPTURE(seed);
    Unsigned sum = 0;
    for (const TestType product : products) sum += static_cast<Unsigned>(product);
    CHECK(run<TestType>(Op::sum, own(all))[1] == static_cast<TestType>(sum));
    Settings checked;
    checked.checked = true;
    CHECK(run<TestType>(Op::sum, own(all), checked)[1] == static_cast<TestType>(sum));
    if (products.empty()) continue;
    CHECK(run<TestType>(Op::maximum, own(all), checked)[1] ==
          *std::max_element(products.begin(), products.end()));
    const auto least = run<Located<TestType>>(Op::minimum_location, own(all))[1];
    const auto at = std::min_element(products.begin(), products.end());
    CHECK(least.value == *at);
    CHECK(least.index == at - products.begin());
  }
}

TEST_CASE("an array's elements may move between runs, not change in number") {
  const std::vector<double> close{1, 2, 3, 4};
  const std::vector<double> apart{1, 0, 2, 0, 3, 0, 4, 0};
  const std::vector<Field> fields{Field(Layout{{4}, {}, {}})};
  const auto reducer = make_reducer(MPI_COMM_WORLD, Type::float64, Op::sum, fields);
  const auto run = [&](const std::vector<double>& array) {
    double result = 0;
    reducer->run(
        1,
        [&](std::size_t) {
          return FieldArrays{array.data(), nullptr};
        },
        &result, 1);
    return result;
  };
  CHECK(run(close) == 10.0 * world().size());
  reducer->move(0, Layout{{4}, {}, {16}});
  CHECK(run(apart) == 10.0 * world().size());
  reducer->move(0, Layout{{8}, {{0, 4}}, {}});
  CHECK(run(close) == 10.0 * world().size());
  CHECK_THROWS_WITH(reducer->move(0, Layout{{5}, {}, {}}),
                    Catch::Contains("not those that the reducer was made for"));
}

TEST_CASE("a reversed array says where its element of index 0 lies") {
  Layout reversed{{3}, {}, {-8}};
  const auto first_less_last = [](double left, double right) { return left - right; };
  using FirstLessLast = Reducer<double, decltype(first_less_last)>;
  const std::vector<double> own{1, 10, 100};
  CHECK_THROWS_WITH(Reducer<double>(MPI_COMM_WORLD, reversed).run(own),
                    Catch::Contains("origin says where index 0 lies"));
  reversed.origin = 16;
  const auto alone = FirstLessLast(MPI_COMM_SELF, reversed).run(own);
  CHECK(*alone == 89);
  reversed.origin = 24;
  CHECK_THROWS_WITH(Reducer<double>(MPI_COMM_WORLD, reversed).run(own),
                    Catch::Contains("index ranges reach from byte 8 to 32"));
}

TEMPLATE_TEST_CASE("products of contiguous arrays", "", float, double) {
  for (const auto kind : testing::all_hostile) {
    std::vector<Holding<TestType>> all;
    for (Rank rank = 0; rank < world().size(); ++rank) {
      const auto count = 3000 + 37 * static_cast<std::size_t>(rank);
      // All but one element of the factors, so that the arrays have different misalignments.
      const auto array_of = [&](testing::Hostile hostile, std::uint64_t seed, std::size_t before) {
        RandomArray<TestType> array;
        const auto numbers = testing::hostile_elements<TestType>(hostile, before + count, seed);
        array.layout = {{static_cast<Index>(numbers.size())},
                        {{static_cast<Index>(before), static_cast<Index>(numbers.size())}},
                        {}};
        array.bytes.resize(numbers.size() * sizeof(TestType));
        std::memcpy(array.bytes.data(), numbers.data(), array.bytes.size());
        array.elements.assign(numbers.begin() + static_cast<std::ptrdiff_t>(before), numbers.end());
        return array;
      };
      const auto seed = static_cast<std::uint64_t>(rank);
      all.push_back({array_of(kind, seed, 0), array_of(testing::Hostile::uniform, seed + 100, 1)});
    }
    const auto products = whole(all, std::multiplies<TestType>());
    for (const std::size_t chunk : {1, 3, 1000000}) {
      CAPTURE(static_cast<int>(kind), chunk);
      Settings settings;
      if (chunk > 1) settings.algorithm = text("chunked-tree:", chunk);
      const auto sums = run<TestType>(Op::sum, own(all), settings);
      CHECK(bits(sums[1]) == bits(reduced(products, chunk, std::plus<TestType>())));
    }
    if constexpr (std::is_same_v<TestType, float>) {
      std::vector<double> numbers;
      std::vector<double> wide;
      for (const auto& [x, y] : all) {
        for (std::size_t i = 0; i < x.elements.size(); ++i) {
          numbers.push_back(x.elements[i]);
          wide.push_back(static_cast<double>(x.elements[i]) * y.elements[i]);
        }
      }
      for (const std::size_t chunk : {1, 3}) {
        CAPTURE(static_cast<int>(kind), chunk);
        Settings settings;
        settings.widened = true;
        settings.algorithm = chunk == 1 ? "tree" : text("chunked-tree:", chunk);
        const auto sums = run<float>(Op::sum, own(all), settings);
        const auto expected = [&](const std::vector<double>& terms) {
          return bits(static_cast<float>(reduced(terms, chunk, std::plus<double>())));
        };
        CHECK(bits(sums[0]) == expected(numbers));
        CHECK(bits(sums[1]) == expected(wide));
      }
    }
  }
}

TEST_CASE("products of float32 are located in float64 if it is asked for") {
  Settings settings;
  settings.widened = true;
  // In float32, the first two products are equal: one number, or both zero, or both infinite.
  const std::vector<std::pair<std::vector<float>, std::vector<float>>> arrays{
      {{1 + 0x1p-23F, 1 + 0x1p-22F, 1 + 0x1p-23F}, {1 + 0x1p-23F, 1, 1}},
      {{0x1p-80F, 0x1p-81F, 1}, {0x1p-80F, 0x1p-80F, 1}},
      {{0x1p100F, 0x1p101F, 1}, {0x1p100F, 0x1p100F, 1}},
      {{-0x1p100F, -0x1p101F, 1}, {0x1p100F, 0x1p100F, 1}}};
  for (const auto& [x, y] : arrays) {
    std::vector<double> products;
    for (std::size_t i = 0; i < x.size(); ++i) products.push_back(static_cast<double>(x[i]) * y[i]);
    const auto least = std::min_element(products.begin(), products.end());
    const auto most = std::max_element(products.begin(), products.end());
    const Field field = Field::products(Layout::contiguous(3), Layout::contiguous(3));
    Reducer<float, MinimumLocation> minimum(MPI_COMM_WORLD, field, settings);
    Reducer<float, MaximumLocation> maximum(MPI_COMM_WORLD, field, settings);
    CHECK(*minimum.run(x, y) ==
          Located<float>{static_cast<float>(*least), least - products.begin()});
    CHECK(*maximum.run(x, y) == Located<float>{static_cast<float>(*most), most - products.begin()});
  }
}

}  // namespace reducer_arrays_mpi_test
