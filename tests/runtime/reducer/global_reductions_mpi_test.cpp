// SPDX-License-Identifier: MIT

// The requirements of the climate model OMEGA on global reductions ("Global Reductions", sections 2
// and 5). Each test names those that it tests. Reference results are computed serially, by the
// definition of the order.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <type_traits>

#include "runtime/reducer/reducer_checks.hpp"

namespace global_reductions_mpi_test {

using namespace reducer_checks;

namespace {

/// Numbers over the entire range of a type. Sums of some thousand of them stay finite.
template <class Number>
std::vector<Number> reference_elements(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Number> elements(count);
  for (Number& element : elements) {
    if constexpr (std::is_integral_v<Number>) {
      element = static_cast<Number>(random());
    } else {
      using Limits = std::numeric_limits<Number>;
      const int exponents = Limits::max_exponent - 16 - Limits::min_exponent;
      const auto exponent = Limits::min_exponent + static_cast<int>(random() % exponents);
      const auto mantissa =
          static_cast<Number>(1 + std::ldexp(static_cast<double>(random() >> 12), -52));
      element = std::ldexp(random() % 2 == 0 ? mantissa : -mantissa, exponent);
    }
  }
  return elements;
}

/// Integers wrap, float32 is added in float64.
template <class Number>
Number serial_sum(const std::vector<Number>& elements) {
  if constexpr (std::is_integral_v<Number>) {
    std::make_unsigned_t<Number> sum = 0;
    for (const Number element : elements) sum += static_cast<std::make_unsigned_t<Number>>(element);
    return static_cast<Number>(sum);
  } else {
    return static_cast<Number>(reduced(widened(elements), 1, std::plus<double>()));
  }
}

template <class Number>
Settings settings_for() {
  Settings settings;
  settings.widened = std::is_same_v<Number, float>;
  return settings;
}

/// An array of `dimensions` dimensions, whose first is cut between the ranks. Each rank has one
/// more row than the elements to reduce, and each row one more column, as arrays with halos do.
template <class Number>
struct Array {
  Layout layout;
  std::vector<Number> own;    // with the halo
  std::vector<Number> whole;  // the elements of all ranks in their sequence
};

template <class Number>
Array<Number> make_array(int dimensions, bool restricted, std::uint64_t seed) {
  Array<Number> array;
  const Index more = restricted ? 1 : 0;
  for (Rank rank = 0; rank < world().size(); ++rank) {
    Layout layout;
    std::vector<Index> shape;
    for (int d = 0; d < dimensions; ++d) {
      shape.push_back(d == 0 ? 2 + rank % 3 : 3 - d % 2);
      layout.extents.push_back(shape.back() + more);
      if (restricted) layout.ranges.push_back({d == 0 ? 1 : 0, shape.back() + (d == 0 ? 1 : 0)});
    }
    const Index cells = std::accumulate(layout.extents.begin(), layout.extents.end(), Index{1},
                                        std::multiplies<Index>());
    const auto rank_seed = seed * 1000 + static_cast<std::uint64_t>(rank);
    const auto elements = reference_elements<Number>(static_cast<std::size_t>(cells), rank_seed);
    for (Index cell = 0; cell < cells; ++cell) {
      bool in_range = true;
      Index rest = cell;
      for (std::size_t d = layout.extents.size(); d-- > 0;) {
        const Index index = rest % layout.extents[d];
        rest /= layout.extents[d];
        if (restricted)
          in_range = in_range && layout.ranges[d].begin <= index && index < layout.ranges[d].end;
      }
      if (in_range) array.whole.push_back(elements[static_cast<std::size_t>(cell)]);
    }
    if (rank == world().rank()) {
      array.own = elements;
      array.layout = layout;
    }
  }
  return array;
}

template <class Number>
std::vector<Number> products(const Array<Number>& x, const Array<Number>& y) {
  std::vector<Number> all;
  for (std::size_t i = 0; i < x.whole.size(); ++i) {
    if constexpr (std::is_integral_v<Number>) {
      all.push_back(static_cast<Number>(static_cast<std::uint64_t>(x.whole[i]) *
                                        static_cast<std::uint64_t>(y.whole[i])));
    } else {
      all.push_back(x.whole[i] * y.whole[i]);
    }
  }
  return all;
}

/// A mask over the elements of an array: zeros and ones.
template <class Number>
Array<Number> make_mask(const Array<Number>& like) {
  Array<Number> mask = like;
  const auto is_odd = [](Number element) {
    if constexpr (std::is_integral_v<Number>)
      return (element & 1) != 0;
    else
      return (bits(element) & 1) != 0;
  };
  for (auto* const elements : {&mask.own, &mask.whole}) {
    for (Number& element : *elements) element = is_odd(element) ? Number{1} : Number{0};
  }
  return mask;
}

template <class Number>
Number least(const std::vector<Number>& elements) {
  return *std::min_element(elements.begin(), elements.end());
}

template <class Number>
Number greatest(const std::vector<Number>& elements) {
  return *std::max_element(elements.begin(), elements.end());
}

}  // namespace

TEMPLATE_TEST_CASE("OMEGA 2.1, 2.3 and 5.1: sums of every type, from 0 to 5 dimensions", "",
                   std::int32_t, std::int64_t, float, double) {
  for (int dimensions = 0; dimensions <= 5; ++dimensions) {
    const auto array = make_array<TestType>(dimensions, false, 1);
    Reducer<TestType> sum(MPI_COMM_WORLD, array.layout, settings_for<TestType>());
    CAPTURE(dimensions);
    CHECK(bits_of(*sum.run(array.own)) == bits_of(serial_sum(array.whole)));
  }
}

TEMPLATE_TEST_CASE("OMEGA 2.2 and 5.6: minima and maxima, of products and of several arrays", "",
                   std::int32_t, std::int64_t, float, double) {
  for (int dimensions = 0; dimensions <= 5; ++dimensions) {
    const auto x = make_array<TestType>(dimensions, true, 2);
    const auto y = make_mask(make_array<TestType>(dimensions, true, 2));
    const Field field(x.layout);
    const Field product = Field::products(x.layout, y.layout);
    CAPTURE(dimensions);
    Reducer<TestType, Minimum> minimum(MPI_COMM_WORLD, field);
    CHECK(bits_of(*minimum.run(x.own)) == bits_of(least(x.whole)));
    Reducer<TestType, Maximum> maximum(MPI_COMM_WORLD, field);
    CHECK(bits_of(*maximum.run(x.own)) == bits_of(greatest(x.whole)));
    Reducer<TestType, Maximum> of_product(MPI_COMM_WORLD, product);
    CHECK(*of_product.run(x.own, y.own) == greatest(products(x, y)));
    Reducer<TestType> several(
        MPI_COMM_WORLD, {field.by(Op::minimum), field.by(Op::maximum), product.by(Op::minimum)});
    std::vector<TestType> results(3);
    several.run({{x.own}, {x.own}, {x.own, y.own}}, results);
    CHECK(bits_of(results[0]) == bits_of(least(x.whole)));
    CHECK(bits_of(results[1]) == bits_of(greatest(x.whole)));
    CHECK(results[2] == least(products(x, y)));
  }
}

TEMPLATE_TEST_CASE("OMEGA 2.4 and 5.4: sums of products with a mask", "", std::int32_t,
                   std::int64_t, float, double) {
  for (int dimensions = 0; dimensions <= 5; ++dimensions) {
    const auto x = make_array<TestType>(dimensions, false, 3);
    const auto mask = make_mask(x);
    Reducer<TestType> sum(MPI_COMM_WORLD, Field::products(x.layout, mask.layout),
                          settings_for<TestType>());
    CAPTURE(dimensions);
    CHECK(bits_of(*sum.run(x.own, mask.own)) == bits_of(serial_sum(products(x, mask))));
  }
}

TEMPLATE_TEST_CASE("OMEGA 2.5 and 5.3: sums over a range of the indices", "", std::int32_t,
                   std::int64_t, float, double) {
  for (int dimensions = 1; dimensions <= 5; ++dimensions) {
    const auto array = make_array<TestType>(dimensions, true, 4);
    REQUIRE(array.whole.size() > 0);
    Reducer<TestType> sum(MPI_COMM_WORLD, array.layout, settings_for<TestType>());
    CAPTURE(dimensions);
    CHECK(bits_of(*sum.run(array.own)) == bits_of(serial_sum(array.whole)));
  }
}

TEMPLATE_TEST_CASE("OMEGA 2.6 and 5.5: sums of several arrays at once, in the messages of one", "",
                   std::int32_t, std::int64_t, float, double) {
  std::vector<Array<TestType>> arrays;
  std::vector<Field> fields;
  std::vector<Operand<TestType>> operands;
  for (int k = 0; k < 4; ++k) arrays.push_back(make_array<TestType>(2, true, 5 + k));
  for (const auto& array : arrays) {
    fields.emplace_back(array.layout);
    operands.push_back({array.own});
  }
  Reducer<TestType> one(MPI_COMM_WORLD, fields[0], settings_for<TestType>());
  one.run(arrays[0].own);
  Reducer<TestType> all(MPI_COMM_WORLD, fields, settings_for<TestType>());
  std::vector<TestType> sums(arrays.size());
  all.run(operands, sums);
  CHECK(all.messages_sent() == one.messages_sent());
  for (std::size_t k = 0; k < arrays.size(); ++k) {
    CHECK(bits_of(sums[k]) == bits_of(serial_sum(arrays[k].whole)));
  }
}

TEMPLATE_TEST_CASE("OMEGA 2.7, 2.8, 2.10 and 5.2: other ranks, decompositions and threads", "",
                   std::int32_t, std::int64_t, float, double) {
  constexpr std::size_t count = 3000;
  const auto elements = reference_elements<TestType>(count, 9);
  const auto expected = bits_of(serial_sum(elements));
  // The first ranks of the world, once each number of them; the others reduce beside them.
  for (Rank ranks = 1; ranks <= world().size(); ++ranks) {
    MPI_Comm part = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, world().rank() < ranks ? 0 : 1, world().rank(), &part);
    {
      const Communicator some(part);
      for (const int threads : {1, 2, 3}) {
        std::mt19937_64 random(static_cast<std::uint64_t>(10 * ranks + threads));
        std::vector<Index> cuts{0};
        for (Rank k = 1; k < some.size(); ++k) {
          cuts.push_back(static_cast<Index>(random() % (count + 1)));
        }
        cuts.push_back(count);
        std::sort(cuts.begin(), cuts.end());
        const auto begin = cuts[static_cast<std::size_t>(some.rank())];
        const auto end = cuts[static_cast<std::size_t>(some.rank()) + 1];
        const std::vector<TestType> own(elements.begin() + begin, elements.begin() + end);
        Settings settings = settings_for<TestType>();
        settings.threads = threads;
        Reducer<TestType> sum(part, Layout::contiguous(end - begin), settings);
        CAPTURE(ranks, threads);
        CHECK(bits_of(*sum.run(own)) == expected);
      }
    }
    MPI_Comm_free(&part);
  }
}

TEMPLATE_TEST_CASE("OMEGA 2.9: a reduction on the host or on a device has the same bits", "", float,
                   double) {
  const auto array = make_array<TestType>(3, true, 10);
  for (const char* const memory : {"host", "emulated"}) {
    Settings settings = settings_for<TestType>();
    settings.memory = memory;
    Reducer<TestType> sum(MPI_COMM_WORLD, array.layout, settings);
    CAPTURE(memory);
    CHECK(bits_of(*sum.run(array.own)) == bits_of(serial_sum(array.whole)));
  }
}

TEMPLATE_TEST_CASE("OMEGA 2.11: the places of the least and the greatest element", "", std::int32_t,
                   std::int64_t, float, double) {
  const auto array = make_array<TestType>(2, true, 11);
  const auto place = [&](TestType element) {
    return std::find(array.whole.begin(), array.whole.end(), element) - array.whole.begin();
  };
  Reducer<TestType, MinimumLocation> minimum(MPI_COMM_WORLD, array.layout);
  const auto lowest = *minimum.run(array.own);
  CHECK(lowest.value == least(array.whole));
  CHECK(lowest.index == place(lowest.value));
  Reducer<TestType, MaximumLocation> maximum(MPI_COMM_WORLD, array.layout);
  const auto highest = *maximum.run(array.own);
  CHECK(highest.value == greatest(array.whole));
  CHECK(highest.index == place(highest.value));
}

}  // namespace global_reductions_mpi_test
