// SPDX-License-Identifier: MIT

#include <limits>

#include "bracket/runtime/reducer.hpp"
#include "bracket/support/error.hpp"
#include "support/catch.hpp"
#include "support/hostile.hpp"
#include "support/reference.hpp"
#include "support/world.hpp"

namespace reducer_fields_mpi_test {

using namespace bracket;
using Catch::Contains;
using testing::bits;
using testing::world;

namespace {

Settings with_plan(const std::string& plan) {
  Settings settings;
  settings.plan = plan;
  return settings;
}

}  // namespace

TEST_CASE("several fields cost the messages of one, whatever their sizes") {
  const Rank size = world().size();
  std::mt19937_64 random(3);
  for (const char* plan : {"butterfly", "dissemination", "aggregated", "composed"}) {
    std::vector<std::vector<double>> fields;
    for (const std::size_t count : {1, 3, 40, 1000, 2}) {
      fields.push_back(testing::hostile_elements(testing::Hostile::cancelling, count, count));
    }
    std::vector<Field> described;
    std::vector<std::vector<double>> own;
    std::vector<Operand<double>> operands;
    for (const auto& field : fields) {
      const auto count = static_cast<Index>(field.size());
      const auto distribution = count == 1000 ? make_distribution("upper", count, size)
                                              : testing::random_distribution(count, random);
      own.push_back(testing::own_part(field, distribution));
      described.emplace_back(Layout::contiguous(static_cast<Index>(own.back().size())));
    }
    for (const auto& part : own) operands.push_back({part});
    Reducer<double> one(MPI_COMM_WORLD, described[3], with_plan(plan));
    one.run(own[3]);
    Reducer<double> all(MPI_COMM_WORLD, described, with_plan(plan));
    std::vector<double> results(fields.size());
    all.run(operands, results);
    CAPTURE(plan);
    CHECK(all.messages_sent() == one.messages_sent());
    for (std::size_t k = 0; k < fields.size(); ++k) {
      CHECK(bits(results[k]) == bits(testing::tree_sum(fields[k])));
    }
  }
}

TEST_CASE("the state of a binned sum takes one all-reduce") {
  Settings settings = with_plan("butterfly");
  const std::vector<double> own(100, 0.1);
  Reducer<double> tree(MPI_COMM_WORLD, Layout::contiguous(100), settings);
  settings.algorithm = "binned";
  Reducer<double> binned(MPI_COMM_WORLD, Layout::contiguous(100), settings);
  tree.run(own);
  binned.run(own);
  CHECK(binned.messages_sent() == tree.messages_sent());
}

TEST_CASE("fields without elements, on some ranks or on all") {
  const Layout none = Layout::contiguous(0);
  const Layout on_last = Layout::contiguous(world().rank() == world().size() - 1 ? 1 : 0);
  Reducer<double> sums(MPI_COMM_WORLD, {none, on_last, none});
  const double mine = 7;
  const Operand<double> nothing{{}};
  const Operand<double> last{{&mine, 1}};
  double results[3] = {1, 1, 1};
  sums.run(std::vector{nothing, last, nothing}, results);
  CHECK(bits(results[0]) == bits(0.0));
  CHECK(results[1] == 7);
  CHECK(bits(results[2]) == bits(0.0));
  CHECK(sums.elements(0) == 0);
  CHECK(sums.elements(1) == 1);
  Reducer<double, Product> product(MPI_COMM_WORLD, none);
  CHECK(*product.run({}) == 1);
  CHECK(product.messages_sent() == 0);
  Reducer<double, Minimum> least(MPI_COMM_WORLD, none);
  CHECK(*least.run({}) == std::numeric_limits<double>::infinity());
  Reducer<std::int32_t, MaximumLocation> where(MPI_COMM_WORLD, none);
  CHECK(*where.run({}) == Located<std::int32_t>{std::numeric_limits<std::int32_t>::min(), -1});
  using Own = Reducer<double, std::plus<double>>;
  CHECK_THROWS_WITH(Own(MPI_COMM_WORLD, none),
                    Contains("no rank has elements, and an operator of one's own has no result"));
}

TEST_CASE("reducers side by side, without waiting, on parts of a communicator") {
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(world().handle(), world().rank() % 2, 0, &half);
  {
    const std::vector<double> own(5, 1.0);
    Reducer<double> all(MPI_COMM_WORLD, Layout::contiguous(5));
    Reducer<double> part(half, Layout::contiguous(5));
    int ranks = 0;
    MPI_Comm_size(half, &ranks);
    for (int run = 0; run < 3; ++run) {
      double total = 0;
      double of_part = 0;
      const Operand<double> operand{own};
      all.start({&operand, 1}, {&total, 1});
      part.start({&operand, 1}, {&of_part, 1});
      CHECK_THROWS_WITH(all.start({&operand, 1}, {&total, 1}), Contains("a run is under way"));
      while (!part.test()) all.test();
      all.wait();
      all.wait();
      CHECK(total == 5.0 * world().size());
      CHECK(of_part == 5.0 * ranks);
    }
    MPI_Comm_free(&half);  // the reducer has its own copy
    CHECK(*part.run(own) == 5.0 * ranks);
    CHECK_THROWS_WITH(Reducer<double>(half, Layout::contiguous(5)), Contains("MPI_COMM_NULL"));
  }
}

TEST_CASE("an operator may hold what it needs") {
  const double weight = 2;
  const auto join = [weight](double left, double right) { return left + weight * right; };
  Reducer<double, decltype(join)> sum(MPI_COMM_SELF, Layout::contiguous(3), {}, join);
  CHECK(*sum.run(std::vector<double>{1, 2, 3}) == 1 + 2 * 2 + 2 * 3);
}

TEST_CASE("two layouts in braces are two fields") {
  const Layout two = Layout::contiguous(2);
  Reducer<double> sums(MPI_COMM_WORLD, {two, two});
  const double own[] = {1, 2};
  const Operand<double> operands[] = {{own}, {own}};
  double results[2];
  sums.run(operands, results);
  CHECK(results[0] == 3.0 * world().size());
  CHECK(results[1] == results[0]);
}

TEST_CASE("fields are given between braces") {
  const std::vector<double> u{1, 2, 3};
  const std::vector<double> v{4, 5, 6};
  const Layout three = Layout::contiguous(3);
  Reducer<double> sums(MPI_COMM_WORLD, {Field::products(three, three), Field(three)});
  double results[2] = {};
  sums.run({{u, v}, {u}}, results);
  CHECK(results[0] == 32 * world().size());
  CHECK(results[1] == 6 * world().size());
  sums.start({{v, v}, {v}}, results);
  sums.wait();
  CHECK(results[0] == 77 * world().size());
  CHECK(results[1] == 15 * world().size());
  Reducer<double> product(MPI_COMM_WORLD, Field::products(three, three));
  double result = 0;
  product.run({{u, v}}, {&result, 1});
  CHECK(result == 32 * world().size());
}

TEST_CASE("elements may come from a function") {
  constexpr Index per_rank = 5000;  // more than the function makes at a time
  const Rank rank = world().rank();
  const auto at = [](Index i) { return std::ldexp(1.0 / static_cast<double>(i + 1), i % 40); };
  std::vector<double> all(static_cast<std::size_t>(per_rank * world().size()));
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = at(static_cast<Index>(i));
  const auto mine = [&](Index i) { return at(rank * per_rank + i); };
  const Layout layout = Layout::contiguous(per_rank);
  for (const int threads : {1, 2}) {
    Settings settings;
    settings.threads = threads;
    Reducer<double> sum(MPI_COMM_WORLD, layout, settings);
    CHECK(bits(sum.run(mine).value()) == bits(testing::tree_sum(all)));
    // This reducer also takes arrays.
    const std::vector<double> own(all.begin() + rank * per_rank,
                                  all.begin() + (rank + 1) * per_rank);
    CHECK(bits(sum.run(own).value()) == bits(testing::tree_sum(all)));
  }
  // The function's index counts the elements in the ranges, whatever the array's extents.
  const Layout inner{{10, 12}, {{1, 9}, {2, 10}}, {}};
  Reducer<double, ElementDigest> digest(MPI_COMM_SELF, inner);
  std::vector<double> array(120);
  std::vector<double> meant;
  for (std::size_t i = 0; i < array.size(); ++i) array[i] = static_cast<double>(i);
  for (std::size_t i = 1; i < 9; ++i) {
    for (std::size_t k = 2; k < 10; ++k) meant.push_back(array[12 * i + k]);
  }
  CHECK(digest.run([&](Index i) { return meant[static_cast<std::size_t>(i)]; }).value() ==
        digest.run(array).value());
  // A function beside arrays, converted, and with a custom operator.
  Settings widened;
  widened.widened = true;
  Reducer<float> floats(MPI_COMM_WORLD, {layout, layout}, widened);
  const auto half = [](Index) { return 0.5F; };
  const std::vector<float> ones(per_rank, 1);
  float results[2] = {};
  floats.run({elements_by<float>(half), {ones}}, results);
  CHECK(results[0] == 0.5F * static_cast<float>(per_rank * world().size()));
  CHECK(results[1] == static_cast<float>(per_rank * world().size()));
  const auto greater = [](double left, double right) { return left < right ? right : left; };
  Reducer<double, decltype(greater)> most(MPI_COMM_WORLD, layout, {}, greater);
  CHECK(most.run(mine).value() == *std::max_element(all.begin(), all.end()));
}

}  // namespace reducer_fields_mpi_test
