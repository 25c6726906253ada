// SPDX-License-Identifier: MIT

#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "bracket/model/rank_order.hpp"
#include "bracket/runtime/digest.hpp"
#include "bracket/runtime/reducer.hpp"
#include "support/catch.hpp"
#include "support/hostile.hpp"
#include "support/reference.hpp"
#include "support/world.hpp"

/// Comparisons of reducers with references, in several ways to distribute the elements.
namespace reducer_checks {

using namespace bracket;
using testing::all_hostile;
using testing::bits;
using testing::hostile_elements;
using testing::own_part;
using testing::world;

template <class Number>
auto bits_of(Number number) {
  if constexpr (is_complex<Number>) {
    return std::pair(bits(number.real()), bits(number.imag()));
  } else if constexpr (std::is_floating_point_v<Number>) {
    return bits(number);
  } else {
    return number;
  }
}
template <class Number>
auto bits_of(const Located<Number>& located) {
  return std::pair(bits_of(located.value), located.index);
}

inline std::pair<std::uint64_t, std::uint64_t> bits_of(const Digest& digest) {
  return {digest.set, digest.sequence};
}

/// Compares the bits of a reducer over all fields with the results of `expect`, which every rank
/// computes by itself. Uses several distributions, thread counts and plans.
template <class Element, class Operator, class Expect>
void check(const std::vector<std::vector<Element>>& fields, Settings settings, Expect expect) {
  using Result = typename Reducer<Element, Operator>::Result;
  const Rank size = world().size();
  std::mt19937_64 random(fields.size());
  std::vector<Result> expected;
  for (const auto& field : fields) expected.push_back(expect(field));
  const char* plans[] = {"", "elimination", "ring"};
  for (int way = 0; way < 3; ++way) {
    std::vector<Field> described;
    std::vector<std::vector<Element>> own;
    std::vector<Operand<Element>> operands;
    for (const auto& field : fields) {
      const auto count = static_cast<Index>(field.size());
      auto distribution = way == 0 ? make_distribution("lower", count, size)
                                   : testing::random_distribution(count, random);
      if (way == 2) distribution = distribution.with_rank_order(make_rank_order("reversed", size));
      own.push_back(own_part(field, distribution));
      described.emplace_back(Layout::contiguous(static_cast<Index>(own.back().size())),
                             distribution);
    }
    for (const auto& part : own) operands.push_back({part});
    settings.plan = plans[way];
    settings.threads = way % 2 + 1;
    settings.root.reset();
    if (way == 1) settings.root = size - 1;
    Reducer<Element, Operator> reducer(MPI_COMM_WORLD, described, settings);
    REQUIRE(reducer.delivers() == (way != 1 || world().rank() == size - 1));
    for (int run = 0; run < 2; ++run) {
      std::vector<Result> results(fields.size());
      reducer.run(operands, results);
      if (!reducer.delivers()) continue;
      for (std::size_t k = 0; k < fields.size(); ++k) {
        CAPTURE(settings.algorithm, k, way, fields[k].size());
        CHECK(bits_of(results[k]) == bits_of(expected[k]));
      }
    }
  }
}

/// Fields of each hostile kind and each count.
template <class Number>
std::vector<std::vector<Number>> hostile_fields(std::initializer_list<std::size_t> counts) {
  std::vector<std::vector<Number>> fields;
  for (const auto kind : all_hostile) {
    for (const std::size_t count : counts) {
      fields.push_back(hostile_elements<Number>(kind, count, count));
    }
  }
  return fields;
}

inline Settings by(std::string algorithm) {
  Settings settings;
  settings.algorithm = std::move(algorithm);
  return settings;
}

template <class Element, class Join>
Element reduced(const std::vector<Element>& elements, std::size_t chunk, Join join) {
  return testing::reduced(std::span<const Element>(elements), chunk, join);
}

template <class Number>
std::vector<double> widened(const std::vector<Number>& elements) {
  return {elements.begin(), elements.end()};
}

}  // namespace reducer_checks
