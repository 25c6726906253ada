// SPDX-License-Identifier: MIT

#include "bracket/runtime/computation.hpp"

#include <vector>

#include "bracket/runtime/arrays.hpp"
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
                              Join join) {
  std::vector<double> values;
  for (const Step& step : steps) {
    values.push_back(
        step.action == Action::join
            ? join(values[step.left], values[step.right])
            : reduced<double>(std::span(elements).subspan(static_cast<std::size_t>(step.offset),
                                                          static_cast<std::size_t>(step.count)),
                              1, join));
  }
  return values;
}

template <class Operation>
void check_values(Operation operation, const Layout& layout, const FieldArrays& arrays,
                  const std::vector<Step>& steps, const std::vector<double>& expected) {
  operation.prepare();
  const Cells cells(layout, sizeof(double));
  FieldCells field{cells, {}, 0};
  if (arrays.factors != nullptr) field.factors = cells;
  using Source = Arrays<Operation, double>;
  ComputationOf<Operation, Source> computation(operation, 1, 1, 1, Source(&field, &arrays));
  const auto slots = computation.make_slots(steps.size());
  computation.execute(steps, slots.get());
  const auto* const values = static_cast<const double*>(slots.get());
  for (std::size_t i = 0; i < steps.size(); ++i) RC_ASSERT(bits(values[i]) == bits(expected[i]));
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
    Index count = 0;
    for (const Index one : counts) count += one;
    const auto size = static_cast<std::size_t>(count);
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    const auto kind =
        *rc::gen::elementOf(std::vector<Hostile>(std::begin(all_hostile), std::end(all_hostile)));
    const auto elements = hostile_elements(kind, size, seed);
    const auto factors = hostile_elements(kind, size, seed + 1);
    std::vector<double> products;
    for (std::size_t i = 0; i < size; ++i) products.push_back(elements[i] * factors[i]);

    const Layout close = Layout::contiguous(count);
    const auto sums = values_of(steps, elements, std::plus<double>());
    check_values(DoubleSum{}, close, arrays_of(elements, {}), steps, sums);
    check_values(DoubleSum{}, close, arrays_of(elements, factors), steps,
                 values_of(steps, products, std::plus<double>()));
    check_values(Reduction<double, LeftTwice>{}, close, arrays_of(elements, {}), steps,
                 values_of(steps, elements, LeftTwice()));

    std::vector<double> apart(2 * size, 1);
    for (std::size_t i = 0; i < size; ++i) apart[2 * i] = elements[i];
    check_values(DoubleSum{}, {{count}, {}, {2 * sizeof(double)}}, arrays_of(apart, {}), steps,
                 sums);
  });
}

}  // namespace computation_test
