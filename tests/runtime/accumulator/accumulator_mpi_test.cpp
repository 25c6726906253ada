// SPDX-License-Identifier: MIT

#include "bracket/runtime/accumulator.hpp"

#include <algorithm>
#include <complex>
#include <cstdint>
#include <functional>
#include <numeric>
#include <random>

#include "bracket/model/plan.hpp"
#include "runtime/reducer/reducer_checks.hpp"
#include "support/binned_reference.hpp"
#include "support/property.hpp"

namespace accumulator_mpi_test {

using namespace bracket;
using reducer_checks::bits_of;
using reducer_checks::by;
using testing::all_hostile;
using testing::hostile_elements;
using testing::world;

namespace {

/// Adds elements to an accumulator in random pieces: one at a time, as arrays, and from other
/// accumulators, some of which make a value in between. `first` is the global index of the first.
template <class Element, class Operator>
void add_in_pieces(Accumulator<Element, Operator>& to, std::span<const Element> elements,
                   const Settings& settings, Index first, std::mt19937_64& random) {
  while (!elements.empty()) {
    const std::size_t most = std::size_t{1} << random() % 11;
    const auto piece = elements.first(1 + random() % std::min(most, elements.size()));
    switch (random() % 4) {
      case 0:
        for (const Element& element : piece) to.add(element);
        break;
      case 1:
        to.add(piece);
        break;
      case 2:
        to.add(piece);
        if (first == 0) static_cast<void>(to.value());
        break;
      default:
        Accumulator<Element, Operator> other(settings, first);
        add_in_pieces(other, piece, settings, first, random);
        to.add(other);
    }
    elements = elements.subspan(piece.size());
    first += static_cast<Index>(piece.size());
  }
}

template <class Element, class Operator>
typename Accumulator<Element, Operator>::Result on_one_rank(const std::vector<Element>& elements,
                                                            Settings settings) {
  settings.root.reset();
  settings.plan.clear();
  Reducer<Element, Operator> alone(
      MPI_COMM_SELF, Field(Layout::contiguous(static_cast<Index>(elements.size()))), settings);
  return alone.run(elements).value();
}

/// Compares accumulators over all ranks, cut in several ways, with `expected`. All ranks must pass
/// the same.
template <class Element, class Operator, class Result>
void check(std::vector<Element> elements, Settings settings, const Result& expected,
           bool in_sequence) {
  const Rank size = world().size();
  const auto count = static_cast<Index>(elements.size());
  std::mt19937_64 random(elements.size());
  for (int way = 0; way < 3; ++way) {
    auto distribution = way == 0 ? make_distribution("lower", count, size)
                                 : testing::random_distribution(count, random);
    if (way == 2) distribution = distribution.with_rank_order(make_rank_order("reversed", size));
    if (!in_sequence) std::shuffle(elements.begin(), elements.end(), random);
    const std::vector<Element> own = testing::own_part(elements, distribution);
    settings.root.reset();
    if (way == 1) settings.root = size - 1;
    settings.threads = way % 2 + 1;
    const Index first = in_sequence ? distribution.range(world().rank()).begin : 0;
    Accumulator<Element, Operator> accumulator(settings, first);
    std::mt19937_64 own_random(static_cast<std::uint64_t>(world().rank() + 100 * way));
    add_in_pieces(accumulator, std::span<const Element>(own), settings, first, own_random);
    CHECK(accumulator.count() == static_cast<Index>(own.size()));
    for (int run = 0; run < 2; ++run) {  // it keeps its elements
      const auto result = accumulator.reduce(MPI_COMM_WORLD);
      CAPTURE(settings.algorithm, way, elements.size());
      REQUIRE(result.has_value() == (way != 1 || world().rank() == size - 1));
      if (result) CHECK(bits_of(*result) == bits_of(expected));
    }
  }
}

/// Compares with a reducer on one rank.
template <class Element, class Operator = Sum>
void check_all(const std::vector<Element>& elements, const Settings& settings, bool in_sequence) {
  check<Element, Operator>(elements, settings, on_one_rank<Element, Operator>(elements, settings),
                           in_sequence);
}

}  // namespace

TEST_CASE("binned sums have the bits of the definition, in any sequence") {
  for (const auto kind : all_hostile) {
    for (const std::size_t count : {1, 2, 300, 3000}) {
      const auto elements = hostile_elements<double>(kind, count, count);
      for (const int bins : {1, 3, 8}) {
        check<double, Sum>(elements, by("binned:" + std::to_string(bins)),
                           testing::binned_sum(std::span<const double>(elements), bins), false);
      }
      const auto narrow = hostile_elements<float>(kind, count, count);
      check_all(narrow, by("binned"), false);
    }
  }
}

TEST_CASE("sums of elements in their sequence have the bits of the tree") {
  for (const auto kind : all_hostile) {
    for (const std::size_t count : {1, 2, 3, 257, 1000, 3001}) {
      const auto elements = hostile_elements<double>(kind, count, count);
      check<double, Sum>(elements, by("tree"), testing::tree_sum(elements), true);
    }
    for (const char* algorithm : {"tree", "double-double", "stochastic"}) {
      check_all(hostile_elements<double>(kind, 777, 1), by(algorithm), true);
      check_all(hostile_elements<float>(kind, 777, 1), by(algorithm), true);
    }
    Settings widened;
    widened.widened = true;
    check_all(hostile_elements<float>(kind, 777, 1), widened, true);
    check_all<double, Product>(hostile_elements<double>(kind, 300, 1), {}, true);
  }
}

TEST_CASE("operators that do not depend on the sequence, of all types") {
  for (const auto kind : all_hostile) {
    const auto elements = hostile_elements<double>(kind, 1000, 2);
    check<double, Minimum>(
        elements, {},
        std::accumulate(elements.begin(), elements.end(), elements[0], testing::lesser<double>),
        false);
    check_all<double, Maximum>(elements, {}, false);
    check_all<float, Minimum>(hostile_elements<float>(kind, 1000, 2), {}, false);
    std::vector<std::complex<double>> pairs;
    for (std::size_t i = 1; i < elements.size(); ++i) {
      pairs.emplace_back(elements[i - 1], elements[i]);
    }
    check_all(pairs, by("binned"), false);
    check_all(pairs, by("tree"), true);
  }
  std::mt19937_64 random(3);
  std::vector<std::int64_t> whole(1000);
  for (auto& number : whole) number = static_cast<std::int64_t>(random());
  check_all(whole, {}, false);
  check_all<std::int64_t, Maximum>(whole, {}, false);
  std::vector<unsigned> narrow(whole.begin(), whole.end());
  check_all<unsigned, Product>(narrow, {}, false);
}

TEST_CASE("locations and digests need the sequence") {
  for (const auto kind : all_hostile) {
    const auto elements = hostile_elements<double>(kind, 1000, 2);
    check_all<double, MinimumLocation>(elements, {}, true);
    check_all<double, MaximumLocation>(elements, {}, true);
    check_all<double, ElementDigest>(elements, {}, true);
  }
}

TEST_CASE("an accumulator runs by every plan that sends no elements") {
  const auto elements = hostile_elements<double>(testing::Hostile::uniform, 1000, 2);
  for (const PlanEntry& row : plans()) {
    if (row.entry.name == "gather") continue;
    for (const char* algorithm : {"tree", "binned"}) {
      Settings settings = by(algorithm);
      settings.plan = std::string(row.entry.name);
      try {
        Reducer<double>(MPI_COMM_WORLD, Layout::contiguous(7), settings);
      } catch (const CollectiveError&) {
        continue;  // the plan does not fit the algorithm or the number of ranks
      }
      CAPTURE(settings.plan);
      const auto expected = on_one_rank<double, Sum>(elements, settings);
      std::mt19937_64 random(4);
      for (int distribution = 0; distribution < 4; ++distribution) {
        const auto held = testing::random_distribution(1000, random);
        Accumulator<double> sum(settings, held.range(world().rank()).begin);
        sum.add(testing::own_part(elements, held));
        const auto result = sum.reduce(MPI_COMM_WORLD);
        CHECK(bits_of(result.value()) == bits_of(expected));
      }
    }
  }
}

TEST_CASE("without elements, and after a reset") {
  for (const char* algorithm : {"tree", "binned", "double-double"}) {
    Accumulator<double> sum(by(algorithm));
    CHECK(bits_of(sum.value()) == bits_of(0.0));
    CHECK(bits_of(sum.reduce(MPI_COMM_WORLD).value()) == bits_of(0.0));
    sum.add(world().rank() == 0 ? 5.0 : 7.0);
    sum.reset(world().rank() == 0 ? 0 : 1);
    CHECK(sum.count() == 0);
    if (world().rank() == world().size() - 1) {
      sum.reset();
      sum.add(3);
    }
    CHECK(sum.reduce(MPI_COMM_WORLD).value() == 3);
  }
  Accumulator<float, Minimum> least;
  CHECK(least.value() == std::numeric_limits<float>::infinity());
}

TEST_CASE("one accumulator reduces again and again, over several communicators") {
  std::mt19937_64 random(6);
  MPI_Comm other = MPI_COMM_NULL;
  for (const char* algorithm : {"tree", "binned"}) {
    const bool in_sequence = std::string_view(algorithm) == "tree";
    Accumulator<double> sum(by(algorithm));
    Distribution held = testing::random_distribution(500, random);
    for (std::uint64_t time = 0; time < 40; ++time) {
      const auto elements = hostile_elements<double>(testing::Hostile::uniform, 500, time);
      const double expected = on_one_rank<double, Sum>(elements, by(algorithm));
      if (random() % 4 == 0) held = testing::random_distribution(500, random);
      if (other == MPI_COMM_NULL) MPI_Comm_dup(MPI_COMM_WORLD, &other);
      sum.reset(in_sequence ? held.range(world().rank()).begin : 0);
      sum.add(testing::own_part(elements, held));
      const auto result = sum.reduce(random() % 3 == 0 ? other : MPI_COMM_WORLD);
      CHECK(bits_of(result.value()) == bits_of(expected));
      if (random() % 5 == 0) MPI_Comm_free(&other);
      if (!in_sequence) {
        sum.reset();
        sum.add(1.5);
        CHECK(sum.reduce(MPI_COMM_SELF).value() == 1.5);
      }
    }
  }
  if (other != MPI_COMM_NULL) MPI_Comm_free(&other);
}

TEST_CASE("properties of an accumulator on one rank") {
  const auto any_double = rc::gen::map(rc::gen::arbitrary<std::uint64_t>(), [](std::uint64_t raw) {
    return std::bit_cast<double>(raw);
  });
  testing::property("any cutting of the elements gives the tree", [&](std::uint64_t seed) {
    const auto some = *rc::gen::container<std::vector<double>>(any_double);
    std::mt19937_64 random(seed);
    std::vector<double> elements = some;
    for (std::size_t i = 0; i < some.size() * (random() % 30); ++i) {
      elements.push_back(some[random() % some.size()]);
    }
    Accumulator<double> sum;
    add_in_pieces(sum, std::span<const double>(elements), {}, 0, random);
    RC_ASSERT(sum.count() == static_cast<Index>(elements.size()));
    const double expected = elements.empty() ? 0 : testing::tree_sum(elements);
    RC_ASSERT(bits_of(sum.value()) == bits_of(expected));
    RC_ASSERT(bits_of(sum.reduce(MPI_COMM_SELF).value()) == bits_of(expected));
  });
  testing::property("any cutting and sequence gives the binned sum", [&](std::uint64_t seed) {
    auto elements = *rc::gen::container<std::vector<double>>(any_double);
    std::mt19937_64 random(seed);
    const int bins = *rc::gen::inRange(1, 9);
    const Settings settings = by("binned:" + std::to_string(bins));
    const double expected = testing::binned_sum(std::span<const double>(elements), bins);
    std::shuffle(elements.begin(), elements.end(), random);
    Accumulator<double> sum(settings);
    add_in_pieces(sum, std::span<const double>(elements), settings, 0, random);
    RC_ASSERT(bits_of(sum.value()) == bits_of(expected));
  });
}

}  // namespace accumulator_mpi_test
