#include "bracket/runtime/digest.hpp"
#include "bracket/runtime/reducer.hpp"

#include <complex>
#include <cstdint>
#include <cstring>
#include <functional>
#include <random>

#include "bracket/model/rank_order.hpp"
#include "support/binned.hpp"
#include "support/catch.hpp"
#include "support/double_double.hpp"
#include "support/hostile.hpp"
#include "support/operators.hpp"
#include "support/reference.hpp"
#include "support/world.hpp"

namespace reducer_mpi_test {

using namespace bracket;
using testing::all_hostile;
using testing::bits;
using testing::hostile_elements;
using testing::own_part;
using testing::world;

namespace {

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

std::pair<std::uint64_t, std::uint64_t> bits_of(const Digest& digest) {
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

Settings by(std::string algorithm) {
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

}  // namespace

TEMPLATE_TEST_CASE("float sums and products have the bits of the order", "", float, double) {
  using Elements = std::vector<TestType>;
  const auto fields = hostile_fields<TestType>({1, 2, 13, 257, 5000});
  check<TestType, Sum>(fields, {}, [](const Elements& elements) {
    return reduced(elements, 1, std::plus<TestType>());
  });
  check<TestType, Sum>(fields, by("chunked-tree:7"), [](const Elements& elements) {
    return reduced(elements, 7, std::plus<TestType>());
  });
  check<TestType, Sum>(fields, by("sequential"), [](const Elements& elements) {
    return reduced(elements, elements.size(), std::plus<TestType>());
  });
  check<TestType, Product>(fields, {}, [](const Elements& elements) {
    return reduced(elements, 1, std::multiplies<TestType>());
  });
}

TEMPLATE_TEST_CASE("float extremes, and where they lie", "", float, double) {
  using Elements = std::vector<TestType>;
  const auto fields = hostile_fields<TestType>({1, 13, 700});
  const auto least = [](const Elements& elements) {
    return reduced(elements, 1, testing::lesser<TestType>);
  };
  const auto greatest = [](const Elements& elements) {
    return reduced(elements, 1, testing::greater<TestType>);
  };
  const auto located = [](const auto& extreme) {
    return [&](const Elements& elements) {
      const TestType value = extreme(elements);
      Index index = 0;
      while (bits(elements[static_cast<std::size_t>(index)]) != bits(value)) ++index;
      return Located<TestType>{value, index};
    };
  };
  for (const char* algorithm : {"tree", "binned"}) {
    check<TestType, Minimum>(fields, by(algorithm), least);
    check<TestType, Maximum>(fields, by(algorithm), greatest);
  }
  check<TestType, MinimumLocation>(fields, {}, located(least));
  check<TestType, MaximumLocation>(fields, {}, located(greatest));
}

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
  const auto fields = hostile_fields<float>({1, 1000});
  check<float, Sum>(fields, settings, [](const Elements& elements) {
    return static_cast<float>(reduced(widened(elements), 1, std::plus<double>()));
  });
  check<float, Product>(fields, settings, [](const Elements& elements) {
    return static_cast<float>(reduced(widened(elements), 1, std::multiplies<double>()));
  });
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

TEMPLATE_TEST_CASE("integers wrap, or are checked", "", std::int32_t, std::int64_t, long long,
                   std::uint32_t, std::uint64_t, unsigned long long) {
  using Limits = std::numeric_limits<TestType>;
  using Unsigned = std::make_unsigned_t<TestType>;
  using Elements = std::vector<TestType>;
  std::mt19937_64 random(5);
  std::vector<Elements> fields{Elements(1), Elements(14), Elements(1000)};
  for (auto& field : fields) {
    for (auto& element : field) element = static_cast<TestType>(random() | 1);
  }
  const auto wrapped = [](auto join) {
    return [=](const Elements& elements) {
      Unsigned value = static_cast<Unsigned>(elements[0]);
      for (std::size_t i = 1; i < elements.size(); ++i) {
        value = static_cast<Unsigned>(join(value, static_cast<Unsigned>(elements[i])));
      }
      return static_cast<TestType>(value);
    };
  };
  check<TestType, Sum>(fields, {}, wrapped(std::plus<>()));
  check<TestType, Sum>(fields, by("associative"), wrapped(std::plus<>()));
  check<TestType, Product>(fields, {}, wrapped(std::multiplies<>()));
  const auto least = [](const Elements& elements) {
    return std::min_element(elements.begin(), elements.end());
  };
  const auto greatest = [](const Elements& elements) {
    return std::max_element(elements.begin(), elements.end());
  };
  const auto located = [](const auto& extreme) {
    return [&](const Elements& elements) {
      const auto at = extreme(elements);
      return Located<TestType>{*at, at - elements.begin()};
    };
  };
  check<TestType, Minimum>(fields, {}, [&](const Elements& x) { return *least(x); });
  check<TestType, Maximum>(fields, {}, [&](const Elements& x) { return *greatest(x); });
  check<TestType, MinimumLocation>(fields, {}, located(least));
  check<TestType, MaximumLocation>(fields, {}, located(greatest));

  Settings checked;
  checked.checked = true;
  // Overflow on the way does not count.
  if constexpr (std::is_signed_v<TestType>) {
    Elements extremes(600, Limits::max());
    extremes.insert(extremes.end(), 600, -Limits::max());
    extremes.push_back(42);
    check<TestType, Sum>({extremes}, checked, [](const Elements&) { return TestType(42); });
  }
  const Elements with_zero{Limits::max(), 3, Limits::min(), 0, 7};
  check<TestType, Product>({with_zero}, checked, [](const Elements&) { return TestType(0); });
  Reducer<TestType> too_large(MPI_COMM_WORLD, Layout::contiguous(2), checked);
  const Elements own(2, Limits::max());
  CHECK_THROWS_WITH(too_large.run(own), Catch::Contains("does not fit"));
  const Elements small(2, world().rank() == 0 ? Limits::max() / 2 : 0);
  CHECK(*too_large.run(small) == Limits::max() - 1);  // the reducer can run again
  Reducer<TestType> products(
      MPI_COMM_WORLD, Field::products(Layout::contiguous(2), Layout::contiguous(2)), checked);
  const Elements one(2, world().rank() == 0 ? 1 : 0);
  CHECK(*products.run(small, one) == Limits::max() - 1);
  CHECK_THROWS_WITH(products.run(own, own), Catch::Contains("does not fit"));
}

TEMPLATE_TEST_CASE("digests are those of all ranks' elements", "", std::int32_t, std::int64_t,
                   float, double, std::complex<float>, std::complex<double>) {
  std::vector<std::vector<TestType>> fields;
  for (const std::size_t count : {1, 2, 13, 5000}) {
    fields.emplace_back();
    for (const double element : hostile_elements(testing::Hostile::uniform, count, count)) {
      fields.back().push_back(static_cast<TestType>(static_cast<float>(element * 1e6)));
    }
  }
  for (const char* algorithm : {"tree", "chunked-tree:64"}) {
    check<TestType, ElementDigest>(fields, by(algorithm), [](const auto& elements) {
      return DigestReduction<TestType>().fold(elements.data(), static_cast<Index>(elements.size()),
                                              1, 0);
    });
  }
}

TEST_CASE("digests tell another sequence from other elements") {
  const auto of = [](double first, double second) {
    const std::vector<double> mine{first, second};
    return Reducer<double, ElementDigest>(MPI_COMM_WORLD, Layout::contiguous(2)).run(mine).value();
  };
  const Rank rank = world().rank();
  const Rank last = world().size() - 1;
  const Digest digest = of(rank, -0.0);
  CHECK(of(rank, -0.0) == digest);
  const Digest moved = of(last - rank, -0.0);
  CHECK(moved.set == digest.set);
  CHECK((moved.sequence == digest.sequence) == (last == 0));
  Reducer<double, ElementDigest> none(MPI_COMM_WORLD, Layout::contiguous(0));
  CHECK(none.run(std::vector<double>{}).value() == Digest{0, 0});
  const Digest other = of(rank, rank == last ? 0.0 : -0.0);
  CHECK(other.set != digest.set);
  CHECK(other.sequence != digest.sequence);
}

TEST_CASE("an operator of one's own sees every element in its place") {
  using testing::Concatenate;
  using testing::Text;
  for (const std::size_t count : {1, 5, 26}) {
    std::vector<Text> letters;
    for (std::size_t i = 0; i < count; ++i) {
      letters.push_back(testing::text_of(std::string(1, static_cast<char>('a' + i))));
    }
    for (const std::size_t chunk : {1, 3}) {
      const auto settings = chunk == 1 ? Settings() : by(text("chunked-tree:", chunk));
      const auto distribution =
          make_distribution("upper", static_cast<Index>(count), world().size());
      const auto own = own_part(letters, distribution);
      Reducer<Text, Concatenate> reducer(
          MPI_COMM_WORLD, Layout::contiguous(static_cast<Index>(own.size())), settings);
      CHECK(reducer.run(own)->str() == reduced(letters, chunk, Concatenate()).str());
    }
  }
}

TEST_CASE("large fields of two threads, each kernel") {
  const auto elements = hostile_elements(testing::Hostile::cancelling, 100000, 77);
  const double tree = testing::tree_sum(elements);
  const double binned = testing::binned_sum(elements, 3);
  const auto [high, low] = testing::expected_fold(elements, 1);
  const auto distribution = make_distribution("upper", 100000, world().size());
  const auto own = own_part(elements, distribution);
  for (const Kernel& kernel : kernels()) {
    if (!kernel.supported()) continue;
    for (const auto& [algorithm, expected] : {std::pair("tree", tree), std::pair("binned", binned),
                                              std::pair("double-double", high + low)}) {
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

}  // namespace reducer_mpi_test
