// SPDX-License-Identifier: MIT

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdlib>
#include <functional>
#include <random>

#include "bracket/runtime/kernel.hpp"
#include "bracket/runtime/stochastic.hpp"
#include "bracket/support/text.hpp"
#include "runtime/reducer/reducer_checks.hpp"
#include "support/binned_reference.hpp"
#include "support/double_double_reference.hpp"

namespace reducer_algorithms_mpi_test {

using namespace bracket::runtime;
using namespace reducer_checks;

// Algorithms of float sums: bins, double-doubles, and sums that are widened.

namespace {

template <class Number>
Number double_double_sum(const std::vector<Number>& elements) {
  const auto [high, low] = testing::expected_fold(widened(elements), 1);
  if (low == 0) return static_cast<Number>(high);  // also for an infinity, a NaN and −0
  return testing::nearest<Number>(testing::exact(high) + testing::exact(low));
}

}  // namespace

TEMPLATE_TEST_CASE("binned and double-double sums are those of their definitions", "", float,
                   double) {
  using Elements = std::vector<TestType>;
  const auto fields = hostile_fields<TestType>({1, 13, 900});
  for (int bins = 1; bins <= Bins::most; ++bins) {
    check<TestType, Sum>(fields, by(text("binned:", bins)), [&](const Elements& elements) {
      return testing::binned_sum<TestType>(widened(elements), bins);
    });
  }
  check<TestType, Sum>(fields, by("double-double"), double_double_sum<TestType>);
}

TEST_CASE("binned and double-double sums of float32 are rounded once") {
  using Elements = std::vector<float>;
  // Near the middle of two float32: no double tells on which side the exact sum is.
  std::vector<Elements> fields{{1, 0x1p-24F, 0x1p-60F}};
  CHECK(testing::binned_sum<float>(widened(fields[0]), 3) == 1 + 0x1p-23F);
  CHECK(double_double_sum(fields[0]) == 1 + 0x1p-23F);
  std::mt19937_64 random(24);
  for (int i = 0; i < 100; ++i) {
    const int exponent = static_cast<int>(random() % 200) - 100;
    const auto significand = static_cast<float>((1 << 23) + static_cast<int>(random() % 1000));
    const float sign = random() % 2 == 0 ? 1 : -1;
    const float first = sign * std::ldexp(significand, exponent - 23);
    const float half = std::ldexp(random() % 2 == 0 ? 1.0F : -1.0F, exponent - 24);
    const float rest = std::ldexp(random() % 2 == 0 ? 1.0F : -1.0F,
                                  exponent - 25 - static_cast<int>(random() % 49));
    fields.push_back({first, half, random() % 8 == 0 ? 0 : rest});
  }
  check<float, Sum>(fields, by("binned"), [](const Elements& elements) {
    return testing::binned_sum<float>(widened(elements), 3);
  });
  check<float, Sum>(fields, by("double-double"), double_double_sum<float>);
}

TEST_CASE("float32 in float64 is rounded once") {
  using Elements = std::vector<float>;
  Settings settings;
  settings.widened = true;
  const auto fields = hostile_fields<float>({1, 1000, 9000});
  check<float, Sum>(fields, settings, [](const Elements& elements) {
    return static_cast<float>(reduced(widened(elements), 1, std::plus<double>()));
  });
  check<float, Product>(fields, settings, [](const Elements& elements) {
    return static_cast<float>(reduced(widened(elements), 1, std::multiplies<double>()));
  });
  // Sums of most float32 are exact in float64. These are not, by the tree.
  Elements triples;
  for (int k = 0; k < 3000; ++k) triples.insert(triples.end(), {0x1p60F, -0x1p60F, 1});
  const auto in_chunks = [](const Elements& elements) {
    return static_cast<float>(reduced(widened(elements), 3, std::plus<double>()));
  };
  CHECK(in_chunks(triples) == 3000);
  CHECK(reduced(widened(triples), 1, std::plus<double>()) != 3000);
  settings.algorithm = "chunked-tree:3";
  check<float, Sum>({triples}, settings, in_chunks);
}

TEST_CASE("the environment widens all reducers of a program") {
  const std::vector<float> mine{1, 0x1p-24F, 0x1p-24F};
  const auto sum = [&] {
    return Reducer<float>(MPI_COMM_SELF, Layout::contiguous(3), by("chunked-tree:64"))
        .run(mine)
        .value();
  };
  CHECK(sum() == 1);
  setenv("BRACKET_WIDENED", "1", 1);
  CHECK(sum() == 1 + 0x1p-23F);
  const std::complex<float> both[] = {{1, 2}, {0x1p-24F, 0}, {0x1p-24F, 0}};
  Reducer<std::complex<float>> complexes(MPI_COMM_SELF, Layout::contiguous(3),
                                         by("chunked-tree:64"));
  CHECK(complexes.run(both).value() == std::complex<float>(1 + 0x1p-23F, 2));
  // Types that cannot be widened behave as before.
  Reducer<double> doubles(MPI_COMM_SELF, Layout::contiguous(1));
  CHECK(doubles.run(std::vector<double>{3}).value() == 3);
  Reducer<float, ElementDigest> digest(MPI_COMM_SELF, Layout::contiguous(3));
  CHECK(digest.run(mine).value() == DigestReduction<float>().fold(mine.data(), 3, 1, 0));
  setenv("BRACKET_WIDENED", "0", 1);
  CHECK(sum() == 1);
  setenv("BRACKET_WIDENED", "", 1);
  CHECK(sum() == 1);
  if (world().rank() == 0) setenv("BRACKET_WIDENED", "yes", 1);
  CHECK_THROWS_WITH(Reducer<float>(MPI_COMM_WORLD, Layout::contiguous(3)),
                    Catch::Contains("BRACKET_WIDENED must be 1, or 0 or empty, not yes"));
  unsetenv("BRACKET_WIDENED");
  if (world().size() > 1) {
    if (world().rank() == 0) setenv("BRACKET_WIDENED", "1", 1);
    CHECK_THROWS_AS(Reducer<float>(MPI_COMM_WORLD, Layout::contiguous(3)), CollectiveError);
    unsetenv("BRACKET_WIDENED");
  }
}

TEMPLATE_TEST_CASE("complex sums and products", "", float, double) {
  using Complex = std::complex<TestType>;
  using Elements = std::vector<Complex>;
  std::vector<Elements> fields;
  for (const auto& numbers : hostile_fields<TestType>({2, 26, 1400})) {
    fields.emplace_back();
    for (std::size_t i = 0; i < numbers.size(); i += 2) {
      fields.back().emplace_back(numbers[i], numbers[i + 1]);
    }
  }
  const auto by_parts = [](auto reduce) {
    return [=](const Elements& elements) {
      std::vector<TestType> real;
      std::vector<TestType> imaginary;
      for (const Complex& element : elements) {
        real.push_back(element.real());
        imaginary.push_back(element.imag());
      }
      return Complex(reduce(real), reduce(imaginary));
    };
  };
  const auto multiplied = [](auto number) {
    using Part = decltype(number);
    using Wide = std::complex<Part>;
    return [](const Elements& elements) {
      const std::vector<Wide> wide(elements.begin(), elements.end());
      return Complex(reduced(wide, 1, [](const Wide& x, const Wide& y) {
        return Wide(x.real() * y.real() - x.imag() * y.imag(),
                    x.real() * y.imag() + x.imag() * y.real());
      }));
    };
  };
  check<Complex, Sum>(fields, {}, by_parts([](const std::vector<TestType>& parts) {
                        return reduced(parts, 1, std::plus<TestType>());
                      }));
  check<Complex, Sum>(fields, by("chunked-tree:5"),
                      by_parts([](const std::vector<TestType>& parts) {
                        return reduced(parts, 5, std::plus<TestType>());
                      }));
  check<Complex, Product>(fields, {}, multiplied(TestType()));
  check<Complex, Sum>(fields, by("binned"), by_parts([](const std::vector<TestType>& parts) {
                        return testing::binned_sum<TestType>(widened(parts), 3);
                      }));
  check<Complex, Sum>(fields, by("double-double"), by_parts(double_double_sum<TestType>));
  if (std::is_same_v<TestType, double>) return;
  Settings settings;
  settings.widened = true;
  check<Complex, Sum>(
      fields, settings, by_parts([](const std::vector<TestType>& parts) {
        return static_cast<TestType>(reduced(widened(parts), 1, std::plus<double>()));
      }));
  check<Complex, Product>(fields, settings, multiplied(double()));
}

TEST_CASE("large fields of two threads, each kernel") {
  const auto elements = hostile_elements(testing::Hostile::cancelling, 100000, 77);
  const double tree = testing::tree_sum(elements);
  const double binned = testing::binned_sum(elements, 3);
  const auto [high, low] = testing::expected_fold(elements, 1);
  const double stochastic =
      mean_of(select_kernel("scalar").stochastic(elements.data(), 100000, 0).samples);
  const auto distribution = make_distribution("upper", 100000, world().size());
  const auto own = own_part(elements, distribution);
  for (const Kernel& kernel : kernels()) {
    if (!kernel.supported()) continue;
    for (const auto& [algorithm, expected] :
         {std::pair("tree", tree), std::pair("binned", binned),
          std::pair("double-double", high + low), std::pair("stochastic", stochastic)}) {
      for (const int threads : {1, 2}) {
        Settings settings = by(algorithm);
        settings.threads = threads;
        settings.kernel = kernel.name;
        Reducer<double> reducer(MPI_COMM_WORLD, Layout::contiguous(static_cast<Index>(own.size())),
                                settings);
        CAPTURE(kernel.name, algorithm, threads);
        CHECK(bits(*reducer.run(own)) == bits(expected));
      }
    }
  }
}

TEMPLATE_TEST_CASE("stochastic sums have the samples of the global indices", "", float, double) {
  const auto mean = [](const std::vector<TestType>& elements) {
    const auto wide = widened(elements);
    return static_cast<TestType>(
        mean_of(select_kernel("scalar")
                    .stochastic(wide.data(), static_cast<Index>(wide.size()), 0)
                    .samples));
  };
  check<TestType, Sum>(hostile_fields<TestType>({1, 13, 900}), by("stochastic"), mean);
}

TEST_CASE("a stochastic sum knows its accuracy, on the ranks that have it") {
  const auto elements = testing::hostile_elements(testing::Hostile::cancelling, 777, 1);
  const auto whole =
      select_kernel("scalar").stochastic(elements.data(), static_cast<Index>(elements.size()), 0);
  const std::vector<double> backwards(elements.rbegin(), elements.rend());
  const auto reversed = select_kernel("scalar").stochastic(backwards.data(), 777, 0);
  const std::vector<float> narrow(100, 0.1F);
  const std::vector<double> wide(narrow.begin(), narrow.end());
  const auto of_narrow = select_kernel("scalar").stochastic(wide.data(), 100, 0);
  for (const std::optional<Rank> root :
       {std::optional<Rank>(), std::optional(world().size() - 1)}) {
    Settings settings = by("stochastic");
    settings.root = root;
    const auto own = own_part(elements, make_distribution("upper", 777, world().size()));
    const auto own_backwards = own_part(backwards, make_distribution("upper", 777, world().size()));
    const Layout layout = Layout::contiguous(static_cast<Index>(own.size()));
    Reducer<double> sums(MPI_COMM_WORLD, {Layout::contiguous(0), layout, layout}, settings);
    CHECK_THROWS_WITH(sums.accuracy(), sums.delivers() ? "no run is complete, so there is no result"
                                                       : "this rank does not get the results");
    std::vector<double> results(3);
    sums.run({{}, {own}, {own_backwards}}, results);
    if (!sums.delivers()) continue;
    CHECK(sums.accuracy(0).digits == Catch::Approx(53 * std::log10(2.0)));
    CHECK(sums.accuracy(0).cancellations == 0);
    CHECK(sums.accuracy(1).digits == estimated_digits(whole.samples, 53 * std::log10(2.0)));
    CHECK(sums.accuracy(1).cancellations == whole.cancellations);
    CHECK(sums.accuracy(2).cancellations == reversed.cancellations);
    CHECK(whole.cancellations != reversed.cancellations);
    CHECK_THROWS_WITH(sums.accuracy(3), "there is no field 3: the reducer has 3");
  }
  const auto part = own_part(narrow, make_distribution("upper", 100, world().size()));
  const auto part_count = static_cast<Index>(part.size());
  Reducer<float> of_floats(MPI_COMM_WORLD, Layout::contiguous(part_count), by("stochastic"));
  of_floats.run(part);
  CHECK(of_floats.accuracy().digits == estimated_digits(of_narrow.samples, 24 * std::log10(2.0)));
  CHECK(of_floats.accuracy().digits == Catch::Approx(24 * std::log10(2.0)));
  std::vector<std::complex<double>> pairs;
  for (const float element : part) pairs.emplace_back(element, 1.0);
  Reducer<std::complex<double>> of_pairs(MPI_COMM_WORLD, Layout::contiguous(part_count),
                                         by("stochastic"));
  of_pairs.run(pairs);
  CHECK(of_pairs.accuracy().digits == estimated_digits(of_narrow.samples, 53 * std::log10(2.0)));
  Reducer<double> tree(MPI_COMM_WORLD, Layout::contiguous(1));
  CHECK_THROWS_WITH(tree.accuracy(), Catch::Contains("only the algorithm stochastic"));
}

TEST_CASE("binned sums do not depend on the sequence of the elements") {
  std::mt19937_64 random(200);
  auto elements = hostile_elements(testing::Hostile::uniform, 400, 11);
  for (auto& element : elements) {
    element = std::ldexp(element, static_cast<int>(random() % 2098) - 1074);
    if (random() % 16 == 0) element = random() % 2 == 0 ? 0.0 : -0.0;
  }
  const double expected = testing::binned_sum(elements, 3);
  for (int permutation = 0; permutation < 200; ++permutation) {
    std::shuffle(elements.begin(), elements.end(), random);
    const auto distribution = testing::random_distribution(400, random);
    const auto own = own_part(elements, distribution);
    Reducer<double> reducer(MPI_COMM_WORLD, Layout::contiguous(static_cast<Index>(own.size())),
                            by("binned"));
    CHECK(bits(*reducer.run(own)) == bits(expected));
  }
}

}  // namespace reducer_algorithms_mpi_test
