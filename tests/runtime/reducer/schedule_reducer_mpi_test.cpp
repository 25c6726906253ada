// SPDX-License-Identifier: MIT

#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bracket/model/plan.hpp"
#include "bracket/runtime/reducer.hpp"
#include "support/catch.hpp"
#include "support/hostile.hpp"
#include "support/reference.hpp"
#include "support/world.hpp"

namespace schedule_reducer_mpi_test {

using namespace bracket;
using testing::bits;
using testing::world;

namespace {

/// A schedule for these ranks.
Schedule schedule_of(const std::string& plan, const std::string& order, Index elements,
                     Delivery delivery, Index items) {
  const auto bracketing = make_order(order, elements);
  const auto distribution = make_distribution("upper", elements, world().size());
  return make_schedule(bracketing, distribution, *make_plan(plan), delivery, items);
}

/// Item `item` of each of the vectors.
template <class Number>
std::vector<Number> items_of(const std::vector<Number>& numbers, Index item, Index items) {
  std::vector<Number> found;
  for (auto i = static_cast<std::size_t>(item); i < numbers.size();
       i += static_cast<std::size_t>(items)) {
    found.push_back(numbers[i]);
  }
  return found;
}

template <class Number, class Operator>
void check(Reducer<Number, Operator> reducer, const Schedule& schedule,
           const std::vector<Number>& numbers, std::size_t chunk,
           const std::function<Number(Number, Number)>& join) {
  const Range held = reducer.held();
  const Index items = schedule.items;
  CHECK(held == schedule.distribution.range(world().rank()));
  CHECK(reducer.elements() == schedule.elements());
  CHECK(reducer.delivered() == schedule.delivery.wanted(world().rank(), world().size(), items));
  const std::span<const Number> own(numbers.data() + held.begin * items,
                                    static_cast<std::size_t>(held.size() * items));
  std::vector<Number> results(static_cast<std::size_t>(reducer.delivered().size()));
  for (int run = 0; run < 2; ++run) {
    std::fill(results.begin(), results.end(), Number{});
    reducer.run({{own}}, results);
    for (std::size_t i = 0; i < results.size(); ++i) {
      const auto column =
          items_of(numbers, reducer.delivered().begin + static_cast<Index>(i), items);
      const Number expected = testing::reduced(std::span<const Number>(column), chunk, join);
      CHECK(std::memcmp(&results[i], &expected, sizeof expected) == 0);
    }
  }
}

/// Not associative and not commutative.
struct Mix {
  double operator()(double left, double right) const { return 3 * left - right; }
};

}  // namespace

TEST_CASE("a reducer executes a schedule of numbers and vectors with the serial bits") {
  for (const Index elements : {1, 2, 61}) {
    for (const Index items : {1, 3, 40}) {
      for (const bool with_parts : {true, false}) {
        for (const Delivery delivery :
             {Delivery::to(world().size() - 1), Delivery::to_all(), Delivery::scattered()}) {
          CAPTURE(elements, items, with_parts, name_of(delivery.collective));
          const auto numbers = testing::hostile_elements(
              testing::Hostile::cancelling, static_cast<std::size_t>(elements * items), 7);
          const auto schedule =
              schedule_of("aggregated", "chunked-tree:4", elements, delivery, items);
          const ScheduleHeader& header = schedule;
          const std::function<double(double, double)> plus = std::plus<double>();
          using OfSum = Reducer<double>;
          using OfMix = Reducer<double, Mix>;
          check(with_parts ? OfSum(MPI_COMM_WORLD, schedule) : OfSum(MPI_COMM_WORLD, header),
                schedule, numbers, 4, plus);
          check(with_parts ? OfMix(MPI_COMM_WORLD, schedule) : OfMix(MPI_COMM_WORLD, header),
                schedule, numbers, 4, std::function<double(double, double)>(Mix()));
        }
      }
    }
  }
}

TEST_CASE("a reducer executes every plan of its schedule, for other types and operators") {
  for (const auto& row : plans()) {
    const auto plan = make_plan(row.entry.name);
    const Delivery delivery = Delivery::to_all();
    std::optional<Schedule> schedule;
    try {
      if (!plan->scheduled()) continue;
      schedule = schedule_of(plan->spec(), "tree", 50, delivery, 2);
    } catch (const Error&) {
      continue;  // the plan makes no sense for these ranks
    }
    CAPTURE(plan->spec());
    const auto numbers = testing::hostile_elements<float>(testing::Hostile::signed_zeros, 100, 3);
    check(Reducer<float, Maximum>(MPI_COMM_WORLD, *schedule), *schedule, numbers, 1,
          std::function<float(float, float)>(testing::greater<float>));
    std::vector<std::uint32_t> integers(100);
    for (std::size_t i = 0; i < integers.size(); ++i) {
      integers[i] = static_cast<std::uint32_t>(i * 2654435761U);
    }
    check(Reducer<std::uint32_t>(MPI_COMM_WORLD, *schedule), *schedule, integers, 1,
          std::function<std::uint32_t(std::uint32_t, std::uint32_t)>(std::plus<std::uint32_t>()));
  }
}

TEST_CASE("a reducer executes a schedule of numbers by every algorithm") {
  const auto schedule = schedule_of("butterfly", "tree", 200, Delivery::to_all(), 1);
  const auto numbers = testing::hostile_elements(testing::Hostile::cancelling, 200, 11);
  const Range held = schedule.distribution.range(world().rank());
  const std::vector<double> own(numbers.begin() + held.begin, numbers.begin() + held.end);
  for (const char* algorithm : {"binned", "double-double"}) {
    Reducer<double> by_schedule(MPI_COMM_WORLD, schedule, {.algorithm = algorithm});
    Reducer<double> by_field(MPI_COMM_WORLD, Field(Layout::contiguous(held.size())),
                             {.algorithm = algorithm});
    CHECK(bits(*by_schedule.run(own)) == bits(*by_field.run(own)));
  }
}

TEST_CASE("a reducer executes a schedule of several fields with the bits of each") {
  constexpr Index fields = 3;
  const Index elements = 97;
  const auto order = make_order("chunked-tree:4", elements);
  const auto distribution = make_distribution("upper", elements, world().size());
  const auto numbers =
      testing::hostile_elements(testing::Hostile::cancelling, fields * elements, 13);
  for (const char* name : {"aggregated", "butterfly", "buffered", "ring"}) {
    for (const Delivery delivery : {Delivery::to(world().size() - 1), Delivery::to_all()}) {
      CAPTURE(name, name_of(delivery.collective));
      const Schedule schedule = make_schedule(
          {order, distribution, delivery, Items::of_fields(fields)}, *make_plan(name));
      const ScheduleHeader& header = schedule;
      for (const bool with_parts : {true, false}) {
        auto reducer = with_parts ? Reducer<double>(MPI_COMM_WORLD, schedule)
                                  : Reducer<double>(MPI_COMM_WORLD, header);
        const Range held = distribution.range(world().rank());
        std::vector<Operand<double>> own;
        for (Index k = 0; k < fields; ++k) {
          CHECK(reducer.held(static_cast<std::size_t>(k)) == held);
          const auto first = static_cast<std::size_t>(k * elements + held.begin);
          const std::span<const double> all(numbers);
          own.push_back({all.subspan(first, static_cast<std::size_t>(held.size())), {}});
        }
        std::vector<double> results(static_cast<std::size_t>(reducer.delivered().size()));
        reducer.run(own, results);
        const bool gets = delivery.wanted(world().rank(), world().size(), 1).size() == 1;
        REQUIRE(results.size() == (gets ? fields : 0));
        for (std::size_t k = 0; k < results.size(); ++k) {
          const auto field = std::span<const double>(numbers).subspan(
              k * static_cast<std::size_t>(elements), static_cast<std::size_t>(elements));
          const std::function<double(double, double)> plus = std::plus<double>();
          CHECK(bits(results[k]) == bits(testing::reduced(field, std::size_t{4}, plus)));
        }
      }
    }
  }
}

TEST_CASE("a reducer executes the plan native of a header, by any order") {
  const auto numbers = testing::hostile_elements(testing::Hostile::cancelling, 9, 11);
  for (const char* const spec : {"tree", "chunked-tree:2", "explicit:0:1:2:0:4:5:6:0"}) {
    const auto order = make_order(spec, 9);
    const auto distribution = make_distribution("upper", 9, world().size());
    const Range held = distribution.range(world().rank());
    const std::vector<double> own(numbers.begin() + held.begin, numbers.begin() + held.end);
    const Problem problem{order, distribution, Delivery::to_all()};
    Reducer<double> native(MPI_COMM_WORLD, header_of(problem, *make_plan("native")));
    Reducer<double> planned(MPI_COMM_WORLD, header_of(problem, *make_plan("dissemination")));
    CHECK(bits(*native.run(own)) == bits(*planned.run(own)));
    CHECK(native.messages_sent() == 0);
  }
  const auto order = make_order("tree", 9);
  const auto distribution = make_distribution("upper", 9, world().size());
  CHECK_THROWS_WITH(
      Reducer<double>(MPI_COMM_WORLD,
                      header_of({order, distribution, Delivery::to(0)}, *make_plan("native"))),
      Catch::Contains("the plan native leaves the result on every rank"));
}

TEST_CASE("vectors are not made by a function") {
  const Index count = world().size();
  const auto header = header_of(
      {make_order("tree", count), lower_distribution(count, count), Delivery::to_all(), 3},
      *make_plan("butterfly"));
  Reducer<double> sum(MPI_COMM_WORLD, header);
  std::array<double, 3> results{};
  const auto ones = [](Index) { return 1.0; };
  CHECK_THROWS_WITH(sum.run({elements_by<double>(ones)}, results),
                    Catch::Contains("vectors are reduced from an array"));
}

TEST_CASE("a reducer refuses a schedule that it cannot execute, on every rank") {
  const auto good = schedule_of("aggregated", "tree", 20, Delivery::to_all(), 1);
  const auto refuse = [](const Schedule& schedule, const Settings& settings,
                         const std::string& words) {
    CHECK_THROWS_WITH(Reducer<double>(MPI_COMM_WORLD, schedule, settings), Catch::Contains(words));
  };
  refuse(good, {.root = 0}, "omit these settings");
  refuse(good, {.plan = "direct"}, "omit these settings");
  refuse(good, {.algorithm = "chunked-tree:64"}, "omit the algorithm chunked-tree:64");
  refuse(good, {.algorithm = "associative"}, "omit the algorithm associative");
  refuse(good, {.algorithm = "kahan"}, "unknown algorithm 'kahan'");
  Schedule wrong = good;
  wrong.parts.resize(wrong.parts.size() + 1);
  refuse(wrong, {}, "parts for");
  wrong = good;
  wrong.order_version = 99;
  refuse(wrong, {}, "version 99");
  wrong = good;
  wrong.order = "associative";
  refuse(wrong, {}, "leaves the bracketing open");
  const auto vectors = schedule_of("aggregated", "tree", 20, Delivery::to_all(), 3);
  refuse(vectors, {.algorithm = "binned"}, "vectors are reduced by the elements' own");
  const auto more_ranks =
      make_schedule(make_order("tree", 20), make_distribution("upper", 20, world().size() + 1),
                    *make_plan("aggregated"), Delivery::to_all());
  refuse(more_ranks, {}, "ranks, the communicator has");
  if (world().size() > 1) {
    const bool other = world().rank() == 1;
    refuse(other ? schedule_of("direct", "tree", 20, Delivery::to_all(), 1) : good, {},
           "the ranks have different schedules");
  }
  Reducer<double> reducer(MPI_COMM_WORLD, good);
  const std::vector<double> ones(static_cast<std::size_t>(reducer.held().size()), 1.0);
  CHECK(*reducer.run(ones) == 20.0);
}

}  // namespace schedule_reducer_mpi_test
