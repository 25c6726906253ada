// SPDX-License-Identifier: MIT

#include "digits/sampled_sum.hpp"

#include <cmath>
#include <cstdint>

#include "bracket/model/order.hpp"
#include "bracket/runtime/binned.hpp"
#include "bracket/runtime/double_double.hpp"
#include "bracket/runtime/stochastic.hpp"
#include "bracket/runtime/stochastic_sum.hpp"
#include "bracket/support/exact_sum.hpp"
#include "digits/binned_unit.hpp"
#include "digits/ordered_fold.hpp"

namespace bracket::tools {

namespace {

using support::ExactSum;
using support::Rounding;

/// Directions of three samples: bit k is that of the k-th rounding, up if it is set.
struct Directions {
  explicit Directions(std::uint64_t word) {
    // As many bits for each of two samples, and the opposite of the second for the third.
    constexpr int each = 32;
    up[0] = word;
    up[1] = word >> each;
    up[2] = ~up[1];
  }
  std::uint64_t up[3];

  [[nodiscard]] Rounding of(std::size_t sample, int rounding) const {
    return (up[sample] >> rounding & 1) != 0 ? Rounding::up : Rounding::down;
  }
};

template <class Number>
SampledSum plain_samples(std::span<const double> elements, const Order& order) {
  using Value = runtime::StochasticValue<Number>;
  const Value sum = fold_in_order(
      order,
      [&](Index i) {
        return Value::of(static_cast<Number>(elements[static_cast<std::size_t>(i)]), i);
      },
      [](const Value& left, const Value& right) { return left + right; });
  return {{sum.samples[0], sum.samples[1], sum.samples[2]}, sum.cancellations};
}

/// The result of a sum with more digits than its type, rounded up or down.
double rounded_result(const ExactSum& sum, Type type, Rounding rounding) {
  return type == Type::float32 ? sum.rounded<float>(rounding) : sum.rounded<double>(rounding);
}

runtime::StochasticValue<double> stochastic_value(std::span<const double> elements) {
  runtime::StochasticSum sum;
  sum.prepare();
  return sum.fold(elements.data(), static_cast<Index>(elements.size()), 1, 0);
}

SampledSum stochastic_samples(std::span<const double> elements, Type type) {
  const runtime::StochasticValue<double> value = stochastic_value(elements);
  const Directions directions(runtime::random_word(0, static_cast<Index>(elements.size())));
  constexpr int result = 2;  // the bits before belong to the last addition
  SampledSum found{{}, value.cancellations};
  for (std::size_t k = 0; k < 3; ++k) {
    ExactSum sample;
    sample.add(value.samples[k]);
    found.samples[k] = rounded_result(sample, type, directions.of(k, result));
  }
  return found;
}

/// Adds double-doubles with additions that are rounded by the bits of `up`.
runtime::DoubleDouble directed_sum(const runtime::DoubleDouble& left,
                                   const runtime::DoubleDouble& right, std::uint64_t up) {
  const auto add = [&](double a, double b) {
    const double sum = runtime::directed_sum(a, b, (up & 1) != 0);
    up >>= 1;
    return sum;
  };
  const double sum = add(left.high, right.high);
  const double of_right = add(sum, -left.high);
  const double rest_of_right = add(right.high, -of_right);
  const double rest_of_left = add(left.high, -add(sum, -of_right));
  const double rest = add(add(add(rest_of_right, rest_of_left), left.low), right.low);
  const double high = add(sum, rest);
  if (!std::isfinite(high)) return {std::isfinite(sum) ? high : sum, 0};
  return {high, add(rest, -add(high, -sum))};
}

SampledSum double_double_samples(std::span<const double> elements, Type type, const Order& order) {
  struct Value {
    runtime::DoubleDouble samples[3];
    Index begin, end;
  };
  const Value sum = fold_in_order(
      order,
      [&](Index i) {
        const runtime::DoubleDouble one{elements[static_cast<std::size_t>(i)], 0};
        return Value{{one, one, one}, i, i + 1};
      },
      [](const Value& left, const Value& right) {
        Value joined{{}, left.begin, right.end};
        const Directions directions(runtime::random_word(left.begin, right.end));
        for (std::size_t k = 0; k < 3; ++k) {
          joined.samples[k] = directed_sum(left.samples[k], right.samples[k], directions.up[k]);
        }
        return joined;
      });
  SampledSum found;
  const Directions directions(runtime::random_word(0, order.elements()));
  constexpr int result = 10;  // the roundings before belong to the last addition
  for (std::size_t k = 0; k < 3; ++k) {
    ExactSum both;
    both.add(sum.samples[k].high);
    both.add(sum.samples[k].low);
    found.samples[k] = rounded_result(both, type, directions.of(k, result));
  }
  return found;
}

SampledSum binned_samples(std::span<const double> elements, Type type, const Algorithm& algorithm) {
  double largest = 0;
  for (const double element : elements) {
    if (std::isfinite(element)) largest = std::max(largest, std::abs(element));
  }
  const int exponent = binned_unit_exponent(largest, algorithm);
  const bool exact = largest == 0 || exponent <= least_exponent;
  const double unit = exact ? 0 : std::ldexp(1.0, exponent);
  ExactSum sums[3];
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const double element = elements[i];
    for (ExactSum& sum : sums) sum.add(element);
    if (exact || !std::isfinite(element)) continue;
    const double units = std::abs(element) < unit ? 0 : std::trunc(std::ldexp(element, -exponent));
    const double rest = element - std::ldexp(units, exponent);
    if (rest == 0) continue;
    const auto index = static_cast<Index>(i);
    const Directions directions(runtime::random_word(index, index + 1));
    for (std::size_t k = 0; k < 3; ++k) {
      const bool up = directions.of(k, 0) == Rounding::up;
      sums[k].subtract(rest);
      if (up == (rest > 0)) sums[k].add(up ? unit : -unit);
    }
  }
  SampledSum found;
  const Directions directions(runtime::random_word(0, static_cast<Index>(elements.size())));
  constexpr int result = 1;  // of one element, the first rounding is that to units
  for (std::size_t k = 0; k < 3; ++k) {
    found.samples[k] = rounded_result(sums[k], type, directions.of(k, result));
  }
  return found;
}

/// The sum by an operation (see reductions.hpp) on float64, rounded once to the type.
template <class Operation>
double finished(Operation operation, std::span<const double> elements, Type type) {
  operation.prepare();
  const auto value =
      operation.fold(elements.data(), static_cast<Index>(elements.size()), 1, Index{0});
  return type == Type::float32
             ? static_cast<double>(static_cast<float>(operation.finish_to_odd(value)))
             : operation.finish(value);
}

double binned_sum(std::span<const double> elements, Type type, const Algorithm& algorithm) {
  double sum = 0;
  [&]<int... less>(std::integer_sequence<int, less...>) {
    (static_cast<void>(
         less + 1 == algorithm.parameter &&
         (sum = finished(runtime::BinnedSum<less + 1>{nullptr, algorithm.width}, elements, type),
          true)),
     ...);
  }
  (std::make_integer_sequence<int, runtime::Bins::most>());
  return sum;
}

template <class Number>
double plain_sum(std::span<const double> elements, const Order& order) {
  return runtime::canonical(fold_in_order(
      order, [&](Index i) { return static_cast<Number>(elements[static_cast<std::size_t>(i)]); },
      [](Number left, Number right) { return left + right; }));
}

}  // namespace

SampledSum sampled_sum(std::span<const double> elements, Type type, const Algorithm& algorithm) {
  if (algorithm.binned()) return binned_samples(elements, type, algorithm);
  if (algorithm.arithmetic == Arithmetic::stochastic) return stochastic_samples(elements, type);
  const Order order = make_order(algorithm.order, static_cast<Index>(elements.size()));
  if (algorithm.arithmetic == Arithmetic::double_double) {
    return double_double_samples(elements, type, order);
  }
  return type == Type::float32 ? plain_samples<float>(elements, order)
                               : plain_samples<double>(elements, order);
}

double sum_by(std::span<const double> elements, Type type, const Algorithm& algorithm) {
  if (algorithm.binned()) return binned_sum(elements, type, algorithm);
  if (algorithm.arithmetic == Arithmetic::stochastic) {
    const double mean = runtime::StochasticSum().finish(stochastic_value(elements));
    return type == Type::float32 ? static_cast<double>(static_cast<float>(mean)) : mean;
  }
  if (algorithm.arithmetic == Arithmetic::double_double) {
    return finished(runtime::DoubleDoubleSum{}, elements, type);
  }
  const Order order = make_order(algorithm.order, static_cast<Index>(elements.size()));
  return type == Type::float32 ? plain_sum<float>(elements, order)
                               : plain_sum<double>(elements, order);
}

}  // namespace bracket::tools
