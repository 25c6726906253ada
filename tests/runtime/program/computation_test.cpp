// SPDX-License-Identifier: MIT

#include "bracket/runtime/computation.hpp"

#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "bracket/runtime/arrays.hpp"
#include "bracket/runtime/field_rows.hpp"
#include "bracket/runtime/integers.hpp"
#include "bracket/runtime/location.hpp"
#include "support/catch.hpp"
#include "support/hostile.hpp"
#include "support/property.hpp"
#include "support/reference.hpp"

namespace computation_test {

using namespace bracket;
using namespace bracket::runtime;
using namespace bracket::testing;

namespace {

using Step = Program::Instruction;
using Action = Program::Action;

/// Shows which operand is the left one.
struct LeftTwice {
  double operator()(double left, double right) const { return left + left + right; }
};

/// Numbers of elements of the largest brackets in any range of up to 40 000 elements.
std::vector<Index> any_brackets() {
  Index first = *rc::gen::inRange<Index>(0, 100000);
  const Index end = first + *rc::gen::inRange<Index>(1, 40000);
  std::vector<Index> counts;
  for (; first < end; first += counts.back()) {
    Index count = 1;
    while (first % (2 * count) == 0 && first + 2 * count <= end) count *= 2;
    counts.push_back(count);
  }
  return counts;
}

/// Folds of neighbours, some of them announced together, and joins of any values before.
std::vector<Step> any_steps(const std::vector<Index>& counts, std::size_t joins) {
  std::vector<Step> steps;
  Index offset = 0;
  for (const Index count : counts) {
    steps.push_back(
        {.action = Action::fold_own, .target = steps.size(), .offset = offset, .count = count});
    offset += count;
  }
  for (std::size_t i = steps.size(); i-- > 0;) {
    const bool announced = *rc::gen::inRange(0, 8) > 0;
    steps[i].neighbours = i + 1 < steps.size() && announced ? steps[i + 1].neighbours + 1 : 1;
  }
  for (std::size_t i = 0; i < joins; ++i) {
    const std::size_t latest = steps.size() - 1;
    const auto operand = [&] {
      return *rc::gen::arbitrary<bool>() ? latest : *rc::gen::inRange<std::size_t>(0, latest + 1);
    };
    const std::size_t left = operand();
    steps.push_back(
        {.action = Action::join, .target = latest + 1, .left = left, .right = operand()});
  }
  return steps;
}

/// The value of each step by its definition.
template <class Join>
std::vector<double> values_of(const std::vector<Step>& steps, const std::vector<double>& elements,
                              Join join, std::size_t chunk = 1) {
  std::vector<double> values;
  for (const Step& step : steps) {
    values.push_back(
        step.action == Action::join
            ? join(values[step.left], values[step.right])
            : reduced<double>(std::span(elements).subspan(static_cast<std::size_t>(step.offset),
                                                          static_cast<std::size_t>(step.count)),
                              chunk, join));
  }
  return values;
}

using LargestWithIndex = Location<double, Maximum>;

/// How a computation gets its elements and folds them.
struct Setting {
  Layout layout;
  FieldArrays arrays;
  std::optional<Layout> factors{};
  Index chunk = 1;
  int threads = 1;
};

template <class Source, class Operation>
void check_source(const Operation& operation, const Source& source, const Setting& setting,
                  const std::vector<Step>& steps, const std::vector<double>& expected) {
  ComputationOf<Operation, Source> computation(operation, setting.chunk, 1, setting.threads,
                                               source);
  const auto slots = computation.make_slots(steps.size());
  computation.execute(steps, slots.get());
  const auto* const values = static_cast<const typename Operation::Value*>(slots.get());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    RC_ASSERT(bits(operation.finish(values[i])) == bits(expected[i]));
  }
}

template <class Operation>
void check_values(Operation operation, const Setting& setting, const std::vector<Step>& steps,
                  const std::vector<double>& expected) {
  operation.prepare();
  FieldCells field{Cells(setting.layout, sizeof(double)), {}, 0};
  if (setting.factors) field.factors = Cells(*setting.factors, sizeof(double));
  check_source(operation, Arrays<Operation, double>(&field, &setting.arrays), setting, steps,
               expected);
}

FieldArrays arrays_of(const std::vector<double>& elements, const std::vector<double>& factors) {
  FieldArrays arrays;
  arrays.elements = elements.data();
  arrays.factors = factors.empty() ? nullptr : factors.data();
  return arrays;
}

}  // namespace

TEST_CASE("instructions at once give the values of each by itself") {
  property("folds of neighbours and chains of joins, of numbers and of products", [] {
    const auto counts = *rc::gen::container<std::vector<Index>>(
        *rc::gen::inRange<std::size_t>(1, 9),
        rc::gen::oneOf(rc::gen::inRange<Index>(1, 9), rc::gen::inRange<Index>(1, 700)));
    const auto steps = any_steps(counts, *rc::gen::inRange<std::size_t>(0, 12));
    const Index count = std::accumulate(counts.begin(), counts.end(), Index{0});
    const auto size = static_cast<std::size_t>(count);
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    const auto kind =
        *rc::gen::elementOf(std::vector<Hostile>(std::begin(all_hostile), std::end(all_hostile)));
    const auto elements = hostile_elements(kind, size, seed);
    const auto factors = hostile_elements(kind, size, seed + 1);
    std::vector<double> products;
    for (std::size_t i = 0; i < size; ++i) products.push_back(elements[i] * factors[i]);
    const auto sums = values_of(steps, elements, std::plus<double>());
    const auto of_products = values_of(steps, products, std::plus<double>());

    const Layout close = Layout::contiguous(count);
    check_values(DoubleSum{}, {close, arrays_of(elements, {})}, steps, sums);
    check_values(DoubleSum{}, {close, arrays_of(elements, factors), close}, steps, of_products);
    check_values(Reduction<double, LeftTwice>{}, {close, arrays_of(elements, {})}, steps,
                 values_of(steps, elements, LeftTwice()));
    check_values(DoubleSum{}, {.layout = close, .arrays = arrays_of(elements, {}), .threads = 2},
                 steps, sums);
    const Index chunk = *rc::gen::element<Index>(3, 64, 2000);
    check_values(DoubleSum{}, {.layout = close, .arrays = arrays_of(elements, {}), .chunk = chunk},
                 steps,
                 values_of(steps, elements, std::plus<double>(), static_cast<std::size_t>(chunk)));

    // Every second number, also of one of two factors alone.
    std::vector<double> apart(2 * size, 1);
    for (std::size_t i = 0; i < size; ++i) apart[2 * i] = elements[i];
    const Layout second{{count}, {}, {2 * sizeof(double)}};
    check_values(DoubleSum{}, {second, arrays_of(apart, {})}, steps, sums);
    check_values(DoubleSum{}, {second, arrays_of(apart, factors), close}, steps, of_products);

    // Rows of some numbers with a ghost at each end.
    const Index columns = *rc::gen::inRange<Index>(1, 200);
    const Index rows = (count - 1) / columns + 1;
    std::vector<double> ghosted(static_cast<std::size_t>(rows * (columns + 2)), 1);
    for (Index i = 0; i < count; ++i) {
      ghosted[static_cast<std::size_t>(i / columns * (columns + 2) + i % columns + 1)] =
          elements[static_cast<std::size_t>(i)];
    }
    const Layout inner{{rows, columns + 2}, {{0, rows}, {1, columns + 1}}, {}};
    check_values(DoubleSum{}, {inner, arrays_of(ghosted, {})}, steps, sums);

    // Vectors of one number, close and apart.
    DoubleSum sum;
    sum.prepare();
    check_source(sum, Vectors<DoubleSum>{elements.data(), 1}, {}, steps, sums);
    check_source(sum, Vectors<DoubleSum>{apart.data(), 2}, {}, steps, sums);
  });
}

namespace {

/// Rows of `columns` elements, with ghosts at both ends, and a row of ghosts after each plane.
struct Planes {
  Index columns;
  Index rows;  // of a plane
  Index ghosts;
  Index planes;

  [[nodiscard]] Index wide() const { return columns + 2 * ghosts; }
  [[nodiscard]] Layout layout() const {
    return {{planes, rows + 1, wide()}, {{0, planes}, {0, rows}, {ghosts, ghosts + columns}}, {}};
  }
  [[nodiscard]] std::vector<double> with_ghosts(const std::vector<double>& elements) const {
    std::vector<double> array(static_cast<std::size_t>(planes * (rows + 1) * wide()), 1);
    for (std::size_t i = 0; i < elements.size(); ++i) {
      const Index row = static_cast<Index>(i) / columns;
      const Index place = (row / rows * (rows + 1) + row % rows) * wide() + ghosts;
      array[static_cast<std::size_t>(place) + i % static_cast<std::size_t>(columns)] = elements[i];
    }
    return array;
  }
};

}  // namespace

TEST_CASE("long rows of fields fold in tree order, from any element on") {
  property("sums, products, dot products and chunks of rows, in three dimensions", [] {
    Planes planes{};
    planes.columns =
        *rc::gen::oneOf(rc::gen::inRange<Index>(1, 70), rc::gen::inRange<Index>(1, 6000));
    // Half of the steps end a few elements behind the beginning of a row if they begin with one.
    auto counts = *rc::gen::container<std::vector<Index>>(
        *rc::gen::inRange<std::size_t>(1, 4),
        rc::gen::oneOf(
            rc::gen::inRange<Index>(1, 40000),
            rc::gen::map(rc::gen::pair(rc::gen::inRange<Index>(1, 40000 / planes.columns + 1),
                                       rc::gen::inRange<Index>(0, 17)),
                         [&](const std::pair<Index, Index>& rows_and_more) {
                           return rows_and_more.first * planes.columns + rows_and_more.second;
                         })));
    if (*rc::gen::arbitrary<bool>()) counts = any_brackets();
    const auto steps = any_steps(counts, 0);
    const Index count = std::accumulate(counts.begin(), counts.end(), Index{0});
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    const auto kind =
        *rc::gen::elementOf(std::vector<Hostile>(std::begin(all_hostile), std::end(all_hostile)));

    planes.rows = *rc::gen::inRange<Index>(1, 20);
    planes.ghosts = *rc::gen::inRange<Index>(0, 3);
    planes.planes = (count - 1) / (planes.rows * planes.columns) + 1;
    Planes others = planes;
    others.ghosts = *rc::gen::inRange<Index>(0, 3);

    // The steps leave out the last elements.
    const auto held = static_cast<std::size_t>(planes.planes * planes.rows * planes.columns);
    const auto elements = hostile_elements(kind, held, seed);
    const auto factors = hostile_elements(kind, held, seed + 1);
    std::vector<double> products;
    for (std::size_t i = 0; i < held; ++i) products.push_back(elements[i] * factors[i]);
    const auto with_ghosts = planes.with_ghosts(elements);
    const auto other_factors = others.with_ghosts(factors);

    const auto check = [&](auto operation, Setting setting, const std::vector<double>& expected) {
      for (const Kernel& kernel : kernels()) {
        if (!kernel.supported()) continue;
        operation.kernel = &kernel;
        check_values(operation, setting, steps, expected);
      }
    };
    const Layout layout = planes.layout();
    const FieldArrays arrays = arrays_of(with_ghosts, {});
    check(DoubleSum{}, {layout, arrays}, values_of(steps, elements, std::plus<double>()));
    check(KernelReduction<double, Product>{}, {layout, arrays},
          values_of(steps, elements, std::multiplies<double>()));
    const Index chunk = *rc::gen::element<Index>(2, 100, 5000);
    check(DoubleSum{}, {.layout = layout, .arrays = arrays, .chunk = chunk},
          values_of(steps, elements, std::plus<double>(), static_cast<std::size_t>(chunk)));

    check(KernelReduction<double, Minimum>{}, {layout, arrays},
          values_of(steps, elements, lesser<double>));

    const auto dots = values_of(steps, products, std::plus<double>());
    const Layout close = Layout::contiguous(static_cast<Index>(held));
    check(DoubleSum{}, {layout, arrays_of(with_ghosts, other_factors), others.layout()}, dots);
    check(DoubleSum{}, {layout, arrays_of(with_ghosts, factors), close}, dots);
    check(DoubleSum{}, {close, arrays_of(elements, other_factors), others.layout()}, dots);
    check(KernelReduction<double, Product>{},
          {layout, arrays_of(with_ghosts, other_factors), others.layout()},
          values_of(steps, products, std::multiplies<double>()));

    // As many elements in rows of another length.
    const Planes wider{planes.columns * planes.rows, 1, 1, planes.planes};
    const auto wider_factors = wider.with_ghosts(factors);
    check(DoubleSum{}, {layout, arrays_of(with_ghosts, wider_factors), wider.layout()}, dots);
  });
}

TEST_CASE("units of rows are folded where they lie if the arrays allow it and it is faster") {
  const auto close = Layout::contiguous(600);
  const Layout tens{{60, 12}, {{0, 60}, {1, 11}}, {}};
  const Layout hundreds{{6, 102}, {{0, 6}, {1, 101}}, {}};
  const Layout twelves{{50, 14}, {{0, 50}, {1, 13}}, {}};
  alignas(8) static std::byte array[16 * 1300] = {};
  const auto rows = [&](const Layout& layout, const std::optional<Layout>& factors = {},
                        std::size_t shift = 0) {
    FieldCells field{Cells(layout, sizeof(double)), {}, 0};
    if (factors) field.factors = Cells(*factors, sizeof(double));
    FieldArrays arrays;
    arrays.elements = array + shift;
    arrays.factors = array;
    return FieldRows<double>::of(field, arrays);
  };
  CHECK(rows(hundreds));
  CHECK(rows(hundreds)->pays(3));
  CHECK(rows(twelves)->pays(4));
  CHECK_FALSE(rows(twelves)->pays(3));
  CHECK_FALSE(rows(tens)->pays(0));
  CHECK_FALSE(rows(hundreds)->products());
  CHECK(rows(hundreds, hundreds)->products());
  CHECK(rows(hundreds, close)->products());
  CHECK(rows(close, hundreds)->pays(3));
  CHECK_FALSE(rows(hundreds, tens));
  CHECK_FALSE(rows(hundreds, {}, 4));
  CHECK_FALSE(rows(Layout{{300}, {}, {16}}));
  CHECK_FALSE(rows(hundreds, Layout{{600}, {}, {16}}));
}

TEST_CASE("associative operations take every element of a large field once, and every item") {
  property("sums modulo 2^64", [] {
    using Operation = WrappingReduction<std::uint64_t, Sum>;
    const Index count = *rc::gen::inRange<Index>(1, 5000);
    const Index items = *rc::gen::inRange<Index>(1, 400);
    std::mt19937_64 random(*rc::gen::arbitrary<std::uint64_t>());

    // Every second number, since numbers that lie close are folded at once.
    std::vector<std::uint64_t> apart(2 * static_cast<std::size_t>(count));
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < apart.size(); ++i) {
      apart[i] = random();
      if (i % 2 == 0) sum += apart[i];
    }
    const Layout second{{count}, {}, {2 * sizeof(std::uint64_t)}};
    const FieldCells field{Cells(second, sizeof(std::uint64_t)), {}, 0};
    FieldArrays arrays;
    arrays.elements = apart.data();
    std::uint64_t folded = 0;
    Arrays<Operation, std::uint64_t>(&field, &arrays).fold({}, 1, 0, count, 0, 1, &folded);
    RC_ASSERT(folded == sum);

    const Index vectors = *rc::gen::inRange<Index>(1, 12);
    std::vector<std::uint64_t> numbers(static_cast<std::size_t>(vectors * items));
    std::vector<std::uint64_t> sums(static_cast<std::size_t>(items));
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      numbers[i] = random();
      sums[i % sums.size()] += numbers[i];
    }
    std::vector<std::uint64_t> of_items(sums.size());
    Vectors<Operation>{numbers.data(), items}.fold({}, 1, 0, vectors, 0, items, of_items.data());
    RC_ASSERT(of_items == sums);
  });
}

TEST_CASE("folds at once know the places of their elements") {
  const std::vector<double> elements{4, 1, 9, 9, 0, 7};
  std::vector<Step> steps;
  for (const Index offset : {0, 1, 3}) {
    steps.push_back({.action = Action::fold_own,
                     .target = steps.size(),
                     .offset = offset,
                     .count = static_cast<Index>(steps.size()) + 1,
                     .neighbours = 3 - steps.size()});
  }
  LargestWithIndex operation;
  operation.prepare();
  const FieldCells field{Cells(Layout::contiguous(6), sizeof(double)), {}, 100};
  const FieldArrays arrays = arrays_of(elements, {});
  using Source = Arrays<LargestWithIndex, double>;
  ComputationOf<LargestWithIndex, Source> computation(operation, 1, 1, 1, Source(&field, &arrays));
  const auto slots = computation.make_slots(3);
  computation.execute(steps, slots.get());
  const auto* const values = static_cast<const LargestWithIndex::Value*>(slots.get());
  CHECK(operation.finish(values[0]).index == 100);
  CHECK(operation.finish(values[1]).index == 102);
  CHECK(operation.finish(values[2]).index == 103);
}

}  // namespace computation_test
