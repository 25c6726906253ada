// SPDX-License-Identifier: MIT

#include <cstring>
#include <functional>
#include <limits>
#include <random>

#include "bracket/runtime/any_reducer.hpp"
#include "bracket/runtime/reducer.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "support/catch.hpp"
#include "support/hostile.hpp"
#include "support/reference.hpp"
#include "support/world.hpp"

namespace reducer_operators_mpi_test {

using namespace bracket;
using Catch::Contains;
using testing::bits;
using testing::world;

namespace {

constexpr Op numbers[] = {Op::sum, Op::product, Op::minimum, Op::maximum};

template <class Number>
Number reference(Op op, const std::vector<Number>& elements, std::size_t chunk) {
  const std::span<const Number> all(elements);
  switch (op) {
    case Op::sum:
      return testing::reduced(all, chunk, std::plus<Number>());
    case Op::product:
      return testing::reduced(all, chunk, std::multiplies<Number>());
    case Op::minimum:
      return testing::reduced(all, 1, testing::lesser<Number>);
    default:
      return testing::reduced(all, 1, testing::greater<Number>);
  }
}

/// This rank's elements of several fields, with their descriptions.
template <class Number>
struct Own {
  std::vector<std::vector<Number>> parts;
  std::vector<Field> fields;

  void add(const std::vector<Number>& all, const Distribution& distribution, Op op) {
    parts.push_back(testing::own_part(all, distribution));
    fields.push_back(
        Field(Layout::contiguous(static_cast<Index>(parts.back().size())), distribution).by(op));
  }
  [[nodiscard]] std::vector<Operand<Number>> operands() const {
    std::vector<Operand<Number>> all;
    for (const auto& part : parts) all.push_back({part});
    return all;
  }
};

Settings with_plan(const std::string& plan) {
  Settings settings;
  settings.plan = plan;
  return settings;
}

}  // namespace

TEMPLATE_TEST_CASE("fields of several operators have the bits of each and the messages of one", "",
                   float, double) {
  std::mt19937_64 random(11);
  for (const char* plan : {"butterfly", "dissemination", "aggregated", "composed"}) {
    for (const Index chunk : {1, 7}) {
      Settings settings = with_plan(plan);
      if (chunk > 1) settings.algorithm = text("chunked-tree:", chunk);
      settings.threads = chunk > 1 ? 2 : 1;
      Own<TestType> own;
      std::vector<std::vector<TestType>> fields;
      std::vector<Op> ops;
      for (const auto kind : testing::all_hostile) {
        for (const Op op : numbers) {
          // All ranks hold elements of the first field, and so of all fields together.
          const bool first = fields.empty();
          const std::size_t count =
              first ? 1000 : std::uniform_int_distribution<std::size_t>(1, 300)(random);
          const auto elements = static_cast<Index>(count);
          fields.push_back(testing::hostile_elements<TestType>(kind, count, count));
          ops.push_back(op);
          own.add(fields.back(),
                  first ? make_distribution("upper", elements, world().size())
                        : testing::random_distribution(elements, random),
                  op);
        }
      }
      Reducer<TestType> fused(MPI_COMM_WORLD, own.fields, settings);
      Reducer<TestType> alone(MPI_COMM_WORLD, own.fields[0], settings);
      alone.run(own.parts[0]);
      std::vector<TestType> results(fields.size());
      fused.run(own.operands(), results);
      CHECK(fused.messages_sent() == alone.messages_sent());
      for (std::size_t k = 0; k < fields.size(); ++k) {
        CAPTURE(plan, chunk, k, name_of(ops[k]), fields[k].size());
        const TestType expected = reference(ops[k], fields[k], static_cast<std::size_t>(chunk));
        CHECK(bits(results[k]) ==
              bits(std::isnan(expected) ? std::numeric_limits<TestType>::quiet_NaN() : expected));
      }
    }
  }
}

TEST_CASE("a binned sum and extremes of the same cells") {
  std::mt19937_64 random(5);
  for (const auto kind : testing::all_hostile) {
    for (const std::size_t count : {1, 3, 1000}) {
      const auto all = testing::hostile_elements(kind, count, count);
      const auto distribution = testing::random_distribution(static_cast<Index>(count), random);
      Own<double> own;
      for (const Op op : {Op::maximum, Op::sum, Op::minimum}) own.add(all, distribution, op);
      Settings settings;
      settings.algorithm = "binned";
      Reducer<double> fused(MPI_COMM_WORLD, own.fields, settings);
      Reducer<double> sum(MPI_COMM_WORLD, own.fields[1], settings);
      std::vector<double> results(3);
      fused.run(own.operands(), results);
      CHECK(bits(results[0]) == bits(reference(Op::maximum, all, 1)));
      CHECK(bits(results[1]) == bits(*sum.run(own.parts[1])));
      CHECK(bits(results[2]) == bits(reference(Op::minimum, all, 1)));
    }
  }
}

TEST_CASE("the same cells have a sum, a largest and a least of products, with a root") {
  const Rank root = world().size() - 1;
  const auto count = static_cast<std::size_t>(world().rank() % 3);  // no elements on the first rank
  const std::vector<double> x(count, world().rank() - 1.5);
  const std::vector<double> y(count, 2.0);
  const Layout mine = Layout::contiguous(static_cast<Index>(count));
  Settings settings;
  settings.root = root;
  const Field products = Field::products(mine, mine);
  Reducer<double> fused(
      MPI_COMM_WORLD, {products, products.by(Op::maximum), Field(mine).by(Op::minimum)}, settings);
  double results[3] = {7, 7, 7};
  const std::vector<Operand<double>> operands{{x, y}, {x, y}, {x}};
  fused.run(operands, fused.delivers() ? results : std::span<double>());
  if (!fused.delivers()) return;
  double sum = 0;
  double most = -std::numeric_limits<double>::infinity();
  double least = std::numeric_limits<double>::infinity();
  for (Rank rank = 0; rank < world().size(); ++rank) {
    for (int i = 0; i < rank % 3; ++i) {
      sum += (rank - 1.5) * 2;  // exact in any order
      most = std::max(most, (rank - 1.5) * 2);
      least = std::min(least, rank - 1.5);
    }
  }
  CHECK(results[0] == sum);
  CHECK(results[1] == most);
  CHECK(results[2] == least);
}

TEST_CASE("integers by several operators, checked") {
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  const bool last = world().rank() == world().size() - 1;
  // The sum and the product leave the type's range on the way, but not in the end.
  const std::vector<std::int64_t> own{most, -most, last ? -3 : most, last ? 0 : -most};
  const Layout mine = Layout::contiguous(4);
  Settings settings;
  settings.checked = true;
  Reducer<std::int64_t> fused(
      MPI_COMM_WORLD,
      {Field(mine), Field(mine).by(Op::product), Field(mine).by(Op::minimum),
       Field(Layout::contiguous(0)).by(Op::product)},
      settings);
  std::int64_t results[4] = {};
  fused.run({{own}, {own}, {own}, {}}, results);
  CHECK(results[0] == -3);
  CHECK(results[1] == 0);
  CHECK(results[2] == -most);
  CHECK(results[3] == 1);  // the result for no elements
  const std::vector<std::int64_t> ones(4, 1);
  CHECK_THROWS_WITH(fused.run({{ones}, {std::vector<std::int64_t>(4, most)}, {ones}, {}}, results),
                    Contains("does not fit") || Contains("not fit"));
  fused.run({{own}, {own}, {own}, {}}, results);  // the reducer can run again
  CHECK(results[0] == -3);
}

TEST_CASE("the least and the largest element and where they lie, in the messages of one") {
  const Rank rank = world().rank();
  const std::vector<float> own{static_cast<float>(rank), -static_cast<float>(rank)};
  const Field mine(Layout::contiguous(2));
  Reducer<float, MinimumLocation> both(MPI_COMM_WORLD, {mine, mine.by(Op::maximum_location)});
  Located<float> results[2];
  both.run({{own}, {own}}, results);
  const Rank last = world().size() - 1;
  CHECK(results[0] == Located<float>{-static_cast<float>(last), 2 * last + 1});
  CHECK(results[1] == Located<float>{static_cast<float>(last), 2 * last});
}

TEST_CASE("operators that do not go together are refused on all ranks") {
  const Field mine(Layout::contiguous(1));
  const auto refused = [&](Op op, const Field& field, const Settings& settings,
                           const std::string& words) {
    CAPTURE(name_of(op), words);
    CHECK_THROWS_WITH(make_reducer(MPI_COMM_WORLD, Type::float64, op, {mine, field}, settings),
                      Contains(words));
  };
  refused(Op::sum, mine.by(Op::minimum_location), {},
          "field 1: the results of minimum-location and of sum have different types");
  refused(Op::sum, mine.by(Op::digest), {}, "field 1: the results of digest and of sum");
  refused(Op::digest, mine.by(Op::sum), {}, "field 1: the results of sum and of digest");
  refused(Op::sum, mine.by(static_cast<Op>(77)), {}, "no operator of number 77");
  Settings binned;
  binned.algorithm = "binned";
  refused(Op::sum, mine.by(Op::product), binned, "binned:3 is for sums");
  Settings double_double;
  double_double.algorithm = "double-double";
  refused(Op::sum, mine.by(Op::maximum), double_double,
          "field 1: the algorithm double-double is for sums, not for a maximum: take tree, whose "
          "result does not depend on the bracketing; make a reducer of its own for it");
  CHECK_THROWS_WITH(
      make_reducer(MPI_COMM_WORLD, Type::complex128, Op::sum, {mine, mine.by(Op::minimum)}),
      Contains("complex numbers have no minimum"));
  using Own = Reducer<double, std::plus<double>>;
  CHECK_THROWS_WITH(Own(MPI_COMM_WORLD, mine.by(Op::sum)),
                    Contains("field 0 has the operator sum"));
  if (world().size() > 1) {
    const Op differing = world().rank() == 0 ? Op::minimum : Op::maximum;
    refused(Op::sum, mine.by(differing), {}, "the ranks ask for different operators");
  }
}

TEST_CASE("a field by the reducer's own operator is as one without") {
  const std::vector<double> own{0.1, 0.2};
  const Field mine(Layout::contiguous(2));
  Reducer<double, Maximum> one(MPI_COMM_WORLD, {mine, mine.by(Op::maximum)});
  Reducer<double> other(MPI_COMM_WORLD, mine.by(Op::maximum));  // in place of the sum
  double results[2] = {};
  one.run({{own}, {own}}, results);
  CHECK(results[0] == 0.2);
  CHECK(results[1] == 0.2);
  CHECK(*other.run(own) == 0.2);
}

}  // namespace reducer_operators_mpi_test
