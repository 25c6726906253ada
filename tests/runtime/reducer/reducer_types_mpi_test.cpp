// SPDX-License-Identifier: MIT

#include <algorithm>
#include <complex>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>

#include "runtime/reducer/reducer_checks.hpp"
#include "support/operators.hpp"

namespace reducer_types_mpi_test {

using namespace bracket::runtime;
using namespace reducer_checks;

/// A complex number as Kokkos and other libraries have it.
template <class Number>
class OwnComplex {
 public:
  OwnComplex() = default;
  OwnComplex(Number real, Number imaginary) : real_(real), imaginary_(imaginary) {}
  [[nodiscard]] Number real() const { return real_; }
  [[nodiscard]] Number imag() const { return imaginary_; }

 private:
  Number real_ = 0;
  Number imaginary_ = 0;
};

// Types and operators of reducers, in the orders.

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

TEST_CASE("complex numbers of another library are those of the standard library") {
  using Own = OwnComplex<double>;
  STATIC_REQUIRE(bracket::is_complex<Own>);
  STATIC_REQUIRE(bracket::is_complex<std::complex<float>>);
  STATIC_REQUIRE_FALSE(bracket::is_complex<std::vector<double>>);
  STATIC_REQUIRE_FALSE(bracket::is_complex<double>);
  STATIC_REQUIRE(type_of<OwnComplex<float>>() == Type::complex64);
  STATIC_REQUIRE(type_of<Own>() == Type::complex128);
  const Rank rank = world().rank();
  const std::vector<std::complex<double>> standard{
      {1e300, 0.1 * rank}, {-0.0, 0.7}, {-1e300, 1e-320}};
  std::vector<Own> own;
  for (const auto& element : standard) own.push_back({element.real(), element.imag()});
  const Layout layout = Layout::contiguous(3);
  const auto expected = Reducer<std::complex<double>>(MPI_COMM_WORLD, layout).run(standard);
  const auto found = Reducer<Own>(MPI_COMM_WORLD, layout).run(own);
  CHECK(bits(found->real()) == bits(expected->real()));
  CHECK(bits(found->imag()) == bits(expected->imag()));
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

}  // namespace reducer_types_mpi_test
