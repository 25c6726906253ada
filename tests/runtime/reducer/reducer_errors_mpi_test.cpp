// SPDX-License-Identifier: MIT

#include <functional>
#include <limits>
#include <thread>

#include "bracket/model/schedule.hpp"
#include "bracket/runtime/any_reducer.hpp"
#include "bracket/runtime/reducer.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "support/catch.hpp"
#include "support/world.hpp"

namespace reducer_errors_mpi_test {

using namespace bracket;
using Catch::Contains;
using Catch::Equals;
using Catch::StartsWith;
using testing::world;

namespace {

/// Fails on this rank if requested.
struct Refusing {
  static inline bool refuses = false;
  double operator()(double left, double right) const {
    if (refuses) throw Error("no such pair");
    return left + right;
  }
};

Settings with_plan(const std::string& plan) {
  Settings settings;
  settings.plan = plan;
  return settings;
}

std::string on_rank(Rank rank, const std::string& words) {
  return world().size() > 1 ? text("rank ", rank, ": ", words) : words;
}

}  // namespace

TEST_CASE("what is wrong on one rank is refused on all, with the same words") {
  const Rank last = world().size() - 1;
  const bool wrong = world().rank() == last;
  const Layout good = Layout::contiguous(4);
  const auto check = [&](const Layout& bad, const std::string& words) {
    CHECK_THROWS_WITH(Reducer<double>(MPI_COMM_WORLD, wrong ? bad : good),
                      Equals(on_rank(last, words)));
  };
  check({{4}, {{2, 5}}, {}},
        "field 0: dimension 0: the index range [2,5) lies outside of the array's [0,4)");
  check({{4}, {{3, 2}}, {}}, "field 0: dimension 0: the index range [3,2) ends before it begins");
  check({{-1}, {}, {}}, "field 0: dimension 0: the extent -1 is negative");
  check({{4}, {{0, 1}, {0, 1}}, {}}, "field 0: 2 index ranges for an array of 1 dimension(s)");
  check({{4}, {}, {8, 8}}, "field 0: 2 strides for an array of 1 dimension(s)");
  check({{4}, {}, {1}},
        "field 0: dimension 0: a stride of 1 byte, an element has 8: strides are in bytes");
  check({{1, 1, 1, 1, 1, 1}, {}, {}}, "field 0: an array of 6 dimensions: there may be 5");
  check({{Index{1} << 40, Index{1} << 40}, {}, {}},
        "field 0: the array has more elements or bytes than a 64-bit count can hold");
  const Layout three{{3}, {}, {}};
  CHECK_THROWS_WITH(Reducer<double>(MPI_COMM_WORLD, Field::products(good, wrong ? three : good)),
                    Equals(on_rank(last,
                                   "field 0: the factors are not as many as the elements in "
                                   "each dimension: 3, not 4")));
  const auto distribution = make_distribution("lower", 4 * world().size(), world().size());
  CHECK_THROWS_WITH(Reducer<double>(MPI_COMM_WORLD, Field(wrong ? three : good, distribution)),
                    Equals(on_rank(last,
                                   "field 0: the index ranges hold 3 elements, the "
                                   "distribution gives this rank 4")));
  CHECK_THROWS_WITH(Reducer<double>(MPI_COMM_WORLD, Field(good, make_distribution("lower", 4, 40))),
                    Contains("the distribution is over 40 ranks"));
}

TEST_CASE("a reducer that was moved says so") {
  Reducer<double> from(MPI_COMM_WORLD, Layout::contiguous(2));
  Reducer<double> to = std::move(from);
  const std::vector<double> own{1, 2};
  CHECK(to.run(own).value() == 3 * world().size());
  // NOLINTBEGIN(bugprone-use-after-move)
  CHECK_THROWS_WITH(from.run(own), Contains("was moved to another one"));
  CHECK_THROWS_WITH(from.wait(), Contains("was moved to another one"));
  CHECK_THROWS_WITH(from.held(), Contains("was moved to another one"));
  // NOLINTEND(bugprone-use-after-move)
}

TEST_CASE("ranks that do not ask for the same are told in what they differ") {
  if (world().size() == 1) return;
  const bool other = world().rank() == world().size() - 1;
  const std::vector<Field> fields{Layout::contiguous(4)};
  const auto make = [&](Type type, Op op, const std::vector<Field>& asked,
                        const Settings& settings = {}) {
    return make_reducer(MPI_COMM_WORLD, type, op, asked, settings);
  };
  CHECK_THROWS_WITH(make(other ? Type::float32 : Type::float64, Op::sum, fields),
                    Equals("the ranks ask for elements of different types"));
  CHECK_THROWS_WITH(make(Type::float64, other ? Op::product : Op::sum, fields),
                    Equals("the ranks ask for different operators"));
  Settings settings;
  settings.algorithm = other ? "binned" : "tree";
  CHECK_THROWS_WITH(make(Type::float64, Op::sum, fields, settings),
                    Equals("the ranks ask for different algorithms"));
  settings.algorithm = other ? "binned:4" : "binned";
  CHECK_THROWS_WITH(make(Type::float64, Op::sum, fields, settings),
                    Equals("the ranks ask for different algorithms"));
  settings.algorithm = other ? "binned:3" : "binned";  // the same algorithm, written otherwise
  CHECK_NOTHROW(make(Type::float64, Op::sum, fields, settings));
  settings.algorithm = other ? "" : "tree";
  CHECK_NOTHROW(make(Type::float64, Op::sum, fields, settings));
  settings = {};
  if (other) settings.root = 0;
  CHECK_THROWS_WITH(make(Type::float64, Op::sum, fields, settings),
                    Equals("the ranks ask for different roots"));
  CHECK_THROWS_WITH(
      make(Type::float64, Op::sum, std::vector<Field>(other ? 2 : 1, Field(Layout::contiguous(4)))),
      Equals("the ranks ask for different numbers of fields"));
  const Field products = Field::products(Layout::contiguous(4), Layout::contiguous(4));
  CHECK_THROWS_WITH(make(Type::float64, Op::sum, {other ? products : fields[0]}),
                    Equals("the ranks ask for products in different fields"));
  const auto held = make_distribution("lower", 4 * world().size(), world().size());
  const Field distributed(Layout::contiguous(4), held);
  CHECK_THROWS_WITH(make(Type::float64, Op::sum, {other ? distributed : fields[0]}),
                    Equals("some ranks give a distribution, others do not"));
  // This rank holds the same elements in both.
  auto boundaries = held.boundaries();
  boundaries[1] = boundaries[0];
  const Field empty_first(Layout::contiguous(4),
                          other ? Distribution::from_boundaries(boundaries) : held);
  if (world().size() > 2) {
    CHECK_THROWS_WITH(make(Type::float64, Op::sum, {empty_first}),
                      Equals("the ranks ask for different distributions"));
  }
  Reducer<double> still_works(MPI_COMM_WORLD, Layout::contiguous(4));
  CHECK(*still_works.run(std::vector<double>(4, 1.0)) == 4.0 * world().size());
}

TEST_CASE("combinations that make no sense are refused") {
  const std::vector<Field> fields{Layout::contiguous(4)};
  const auto refused = [&](Type type, Op op, const Settings& settings, const std::string& words) {
    CHECK_THROWS_WITH(make_reducer(MPI_COMM_WORLD, type, op, fields, settings), Contains(words));
  };
  Settings settings;
  settings.algorithm = "binned";
  refused(Type::int64, Op::sum, settings, "the algorithm binned:3 is for floats");
  refused(Type::float64, Op::product, settings,
          "binned:3 is for sums, not for a product: take tree or chunked-tree");
  refused(Type::float64, Op::digest, settings,
          "not for a digest: take tree, whose result does not depend on the bracketing");
  refused(Type::float64, Op::minimum_location, settings,
          "not for a minimum-location: take tree, whose result does not depend on the bracketing");
  settings.algorithm = "binned:9";
  refused(Type::float64, Op::sum, settings, "'binned:9': the number of bins K must be at most 8");
  settings.algorithm = "kahan";
  refused(Type::float64, Op::sum, settings, "unknown algorithm 'kahan'; known: tree");
  settings = {};
  settings.algorithm = "associative";
  refused(Type::float32, Op::sum, settings, "the bits of the sum of float32 depend on the bracke");
  refused(Type::complex64, Op::product, settings, "the bits of the product of complex64 depend");
  settings = {};
  refused(Type::complex128, Op::minimum, settings, "complex numbers have no minimum");
  settings.checked = true;
  refused(Type::float64, Op::sum, settings, "checked is for integers");
  settings = {};
  settings.widened = true;
  refused(Type::float64, Op::sum, settings, "widened is for float32");
  refused(Type::float32, Op::digest, settings, "widened is not for a digest");
  settings = {};
  settings.algorithm = "chunked-tree:0";
  refused(Type::float64, Op::sum, settings, "chunk size K");
  settings = with_plan("native");
  CHECK_THROWS_WITH(
      make_reducer(MPI_COMM_WORLD, Type::float64, Op::sum, {fields[0], fields[0]}, settings),
      Contains("the plan native reduces one field, there are 2: make a reducer for each"));
  settings.root = 0;
  refused(Type::float64, Op::sum, settings, "the plan native leaves the result on every rank");
  settings = with_plan("sideways");
  refused(Type::float64, Op::sum, settings, "unknown plan");
  settings = {};
  settings.root = world().size();
  refused(Type::float64, Op::sum, settings, "is no rank");
  settings = {};
  settings.threads = 0;
  refused(Type::float64, Op::sum, settings, "thread");
  settings = {};
  settings.kernel = "abacus";
  refused(Type::float64, Op::sum, settings, "unknown kernel");
  CHECK_THROWS_WITH(make_reducer(MPI_COMM_WORLD, Type::float64, Op::sum, {}, {}),
                    Contains("no fields"));
  settings = with_plan("direct");
  const std::vector<Field> apart{Layout::contiguous(4), Layout::contiguous(world().rank() + 1)};
  if (world().size() > 2) {
    CHECK_THROWS_WITH(make_reducer(MPI_COMM_WORLD, Type::float64, Op::sum, apart, settings),
                      Contains("aggregated or butterfly"));
  }
  using Own = Reducer<double, Refusing>;
  settings = {};
  settings.algorithm = "binned";
  CHECK_THROWS_WITH(Own(MPI_COMM_WORLD, Layout::contiguous(1), settings),
                    Contains("does not support an operator of your own"));
  CHECK_THROWS_WITH((Reducer<double, double (*)(double, double)>(MPI_COMM_WORLD, fields)),
                    Contains("the operator is null: give a function"));
  CHECK_THROWS_WITH(
      (Reducer<double, std::function<double(double, double)>>(MPI_COMM_WORLD, fields)),
      Contains("the operator is null: give a function"));
}

TEST_CASE("a function of elements that fails, or is for products, ends the run on all") {
  const Layout two = Layout::contiguous(2);
  const Rank last = world().size() - 1;
  Reducer<double> sum(MPI_COMM_WORLD, two);
  const auto fails = [&](Index i) {
    if (world().rank() == last && i == 1) throw Error("no such element");
    return 1.0;
  };
  CHECK_THROWS_WITH(sum.run(fails), Contains("no such element"));
  Reducer<double> products(MPI_COMM_WORLD, Field::products(two, two));
  CHECK_THROWS_WITH(products.run([](Index) { return 1.0; }),
                    Contains("elements by a function for a field of products"));
}

TEST_CASE("a result that is not delivered says so") {
  const std::vector<double> mine{1};
  Settings settings;
  settings.root = 0;
  Reducer<double> sum(MPI_COMM_WORLD, Layout::contiguous(1), settings);
  const auto total = sum.run(mine);
  CHECK(total.has_value() == (world().rank() == 0));
  CHECK(static_cast<bool>(total) == total.has_value());
  CHECK(total.value_or(-1) == (total ? world().size() : -1));
  const std::optional<double> copy = total;
  CHECK(copy.has_value() == total.has_value());
  CHECK(total == copy);
  if (total) {
    CHECK(total.value() == world().size());
    CHECK(*total == total.value());
  } else {
    CHECK_THROWS_WITH(total.value(), Contains("the result is not delivered to this rank"));
  }
}

TEST_CASE("an array that is too short on one rank ends the run on all") {
  const Rank last = world().size() - 1;
  const bool wrong = world().rank() == last;
  Reducer<double> sum(MPI_COMM_WORLD, Layout::contiguous(4));
  const std::vector<double> own(4, 1.0);
  CHECK(*sum.run(own) == 4.0 * world().size());
  const std::string words = text(
      "rank ", last,
      ": field 0: the array of elements has 24 bytes (3 elements of 8 bytes), its index ranges ",
      "reach from byte 0 to 32");
  CHECK_THROWS_WITH(sum.run(std::span(own).first(wrong ? 3 : 4)), Equals(words));
  CHECK_THROWS_WITH(sum.run(own), Contains("an earlier run failed") && Contains("make a new one"));
  const auto refused = [&](auto&& arrays, std::size_t room, const std::string& what) {
    const auto reducer =
        make_reducer(MPI_COMM_WORLD, Type::float64, Op::sum, {Field(Layout::contiguous(4))});
    double result = 0;
    CHECK_THROWS_WITH(reducer->run(1, arrays, &result, wrong ? room : 1),
                      Equals(text("rank ", last, ": ", what)));
  };
  const auto good = [&](std::size_t) { return FieldArrays{own.data(), nullptr}; };
  const auto missing = [&](std::size_t) {
    return FieldArrays{wrong ? nullptr : own.data(), nullptr};
  };
  const auto factors = [&](std::size_t) {
    return FieldArrays{own.data(), wrong ? own.data() : nullptr};
  };
  refused(missing, 1, "field 0: no array of elements");
  refused(good, 0, "room for 0 result(s), there are 1");
  refused(factors, 1, "field 0: an array of factors for a field that is not of products");
}

TEST_CASE("an operator of one's own that throws ends the run on all") {
  const Rank last = world().size() - 1;
  Reducer<double, Refusing> sum(MPI_COMM_WORLD, Layout::contiguous(4));
  const std::vector<double> own(4, 1.0);
  Refusing::refuses = world().rank() == last;
  CHECK_THROWS_WITH(sum.run(own), Contains("no such pair"));
  Refusing::refuses = false;
  CHECK_THROWS_WITH(sum.run(own), Contains("an earlier run failed"));
}

TEST_CASE("a result that the root cannot deliver is told to all") {
  Settings settings;
  settings.checked = true;
  settings.root = 0;
  Reducer<std::int32_t> sum(MPI_COMM_WORLD, Layout::contiguous(2), settings);
  const std::vector<std::int32_t> own(2, std::numeric_limits<std::int32_t>::max());
  if (world().rank() == 0) {
    CHECK_THROWS_WITH(sum.run(own), Contains("does not fit"));
  } else {
    std::string words;
    for (int runs = 0; words.empty() && runs < 1'000'000; ++runs) {
      words = words_of([&] { sum.run(own); });
      yield_core();
    }
    CHECK_THAT(words, StartsWith("rank 0: ") && Contains("does not fit"));
  }
  CHECK_THROWS_WITH(sum.run(own), Contains("an earlier run failed"));
}

TEST_CASE("a rank that fails to name its arrays ends the run on all") {
  for (const char* const algorithm : {"tree", "pre-rounded"}) {
    Settings settings;
    settings.algorithm = algorithm;
    const auto sum =
        make_reducer(MPI_COMM_WORLD, Type::float64, Op::sum, {Layout::contiguous(2)}, settings);
    const std::vector<double> own(2, 1.0);
    double result = 0;
    const auto arrays = [&](std::size_t) {
      if (world().rank() == world().size() - 1) throw Error("no such array");
      return FieldArrays{.elements = own.data()};
    };
    CHECK_THROWS_WITH(sum->run(1, arrays, &result, 1), Contains("no such array"));
  }
}

TEST_CASE("a reducer is used by one thread at a time") {
  // The other thread enters while this one is in the operator.
  struct Meeting {
    static void call(const std::function<void()>& other) {
      static bool met = false;
      if (met) return;
      met = true;
      std::thread(other).join();
    }
  };
  static Reducer<double, std::function<double(double, double)>>* reducer = nullptr;
  static std::string words;
  static const std::vector<double> own(4, 1.0);
  const auto join = [](double left, double right) {
    Meeting::call([] {
      try {
        reducer->run(own);
      } catch (const Error& refused) {
        words = refused.what();
      }
    });
    return left + right;
  };
  Reducer<double, std::function<double(double, double)>> sum(MPI_COMM_WORLD, Layout::contiguous(4),
                                                             {}, join);
  reducer = &sum;
  CHECK(*sum.run(own) == 4.0 * world().size());
  CHECK_THAT(words, StartsWith("a reducer is used by two threads at once, or by a function"));
  CHECK(*sum.run(own) == 4.0 * world().size());
}

}  // namespace reducer_errors_mpi_test
