// SPDX-License-Identifier: MIT

#include <cmath>
#include <complex>
#include <random>

#include "bracket/model/algorithm.hpp"
#include "bracket/model/order.hpp"
#include "bracket/runtime/reducer.hpp"
#include "support/catch.hpp"
#include "support/hostile.hpp"
#include "support/reference.hpp"
#include "support/world.hpp"

namespace algorithms_mpi_test {

using namespace bracket;
using testing::bits;
using testing::world;

namespace {

/// Every algorithm that fixes the bits of a sum of floats, with the fewest parameters, and with 2
/// for a parameter.
std::vector<std::string> algorithms_of_floats() {
  std::vector<std::string> specs;
  for (const AlgorithmEntry& row : algorithms()) {
    const std::string name(row.entry.name);
    const bool needed = row.entry.parameters.starts_with(':');
    if (!needed) {
      const Algorithm made = make_algorithm(name);
      const bool plain = made.arithmetic == Arithmetic::plain;
      if (plain && !make_order(made.order, 1).fixed()) continue;
      specs.push_back(name);
    }
    if (!row.entry.parameters.empty()) specs.push_back(name + ":2");
  }
  return specs;
}

template <class Number>
auto bits_of(const std::complex<Number>& number) {
  return std::pair(bits(number.real()), bits(number.imag()));
}
template <class Number>
auto bits_of(Number number) {
  return bits(number);
}

template <class Element>
Element sum_on_one_rank(const std::vector<Element>& elements, const std::string& algorithm) {
  Settings settings;
  settings.algorithm = algorithm;
  const auto count = static_cast<Index>(elements.size());
  Reducer<Element> alone(MPI_COMM_SELF, Field(Layout::contiguous(count)), settings);
  return alone.run(elements).value();
}

/// Compares the sums of several distributions, plans, numbers of threads and kernels with the sum
/// on one rank.
template <class Element>
void check_ranks(const std::vector<Element>& elements, const std::string& algorithm) {
  const auto expected = bits_of(sum_on_one_rank(elements, algorithm));
  const auto count = static_cast<Index>(elements.size());
  std::mt19937_64 random(elements.size());
  int way = 0;
  for (const char* plan : {"", "butterfly", "ring", "aggregated:3"}) {
    const auto distribution = testing::random_distribution(count, random);
    const auto own = testing::own_part(elements, distribution);
    Settings settings;
    settings.algorithm = algorithm;
    settings.plan = plan;
    settings.threads = way % 2 + 1;
    if (way % 3 == 2) settings.kernel = "scalar";
    ++way;
    const Field field(Layout::contiguous(static_cast<Index>(own.size())), distribution);
    Reducer<Element> reducer(MPI_COMM_WORLD, field, settings);
    CAPTURE(algorithm, plan, count);
    CHECK(bits_of(reducer.run(own).value()) == expected);
  }
}

}  // namespace

TEST_CASE("every algorithm gives the bits of one rank on any number of ranks") {
  for (const std::string& algorithm : algorithms_of_floats()) {
    for (const auto kind : testing::all_hostile) {
      for (const std::size_t count : {1, 7, 300}) {
        const auto numbers = testing::hostile_elements<double>(kind, count, count);
        const auto narrow = testing::hostile_elements<float>(kind, count, count);
        check_ranks(numbers, algorithm);
        check_ranks(narrow, algorithm);
        if (algorithm.starts_with("pre-rounded")) continue;  // of real numbers
        std::vector<std::complex<double>> pairs;
        for (std::size_t i = 0; i < count; ++i) {
          pairs.emplace_back(numbers[i], numbers[count - 1 - i]);
        }
        check_ranks(pairs, algorithm);
      }
    }
  }
}

TEST_CASE("every algorithm's sum is near the exact sum") {
  for (std::string algorithm : algorithms_of_floats()) {
    if (algorithm.starts_with("binned:")) continue;  // few bins are coarse
    for (const std::size_t count : {1, 7, 300, 5000}) {
      const auto elements = testing::hostile_elements(testing::Hostile::uniform, count, count);
      __float128 exact = 0;
      __float128 magnitudes = 0;
      for (const double element : elements) {
        exact += element;
        magnitudes += std::abs(element);
      }
      const double error = static_cast<double>(sum_on_one_rank(elements, algorithm) - exact);
      CAPTURE(algorithm, count);
      CHECK(std::abs(error) <=
            static_cast<double>(count) * 0x1p-53 * static_cast<double>(magnitudes));
    }
  }
}

}  // namespace algorithms_mpi_test
