// SPDX-License-Identifier: MIT

// Reducers over the memory of an emulated device: the code of devices runs on the host.

#include <functional>
#include <numeric>

#include "bracket/model/order.hpp"
#include "bracket/model/plan.hpp"
#include "bracket/model/schedule.hpp"
#include "runtime/reducer/reducer_checks.hpp"
#include "support/binned_reference.hpp"

namespace device_arrays_mpi_test {

using namespace reducer_checks;

namespace {

Settings emulated(const std::string& algorithm = "") {
  Settings settings = by(algorithm);
  settings.memory = "emulated";
  return settings;
}

template <class Number>
void check_sums() {
  const auto fields = hostile_fields<Number>({1, 77, 1100});
  const auto check_order = [&](const char* algorithm, std::size_t chunk) {
    check<Number, Sum>(fields, emulated(algorithm), [=](const std::vector<Number>& elements) {
      return reduced(elements, chunk, std::plus<Number>());
    });
  };
  check_order("tree", 1);
  check_order("chunked-tree:7", 7);
  check_order("sequential", 1 << 20);
  check<Number, Sum>(fields, emulated("binned:2"), [](const std::vector<Number>& elements) {
    return testing::binned_sum<Number>(widened(elements), 2);
  });
  check<Number, Product>(fields, emulated(), [](const std::vector<Number>& elements) {
    return reduced(elements, 1, std::multiplies<Number>());
  });
}

template <class Number, class Operator, class Location>
void check_extremes(Number (*extreme)(Number, Number), Number of_nothing) {
  const auto fields = hostile_fields<Number>({1, 77, 1100});
  check<Number, Operator>(fields, emulated(), [&](const std::vector<Number>& elements) {
    return std::accumulate(elements.begin(), elements.end(), of_nothing, extreme);
  });
  check<Number, Location>(fields, emulated(), [&](const std::vector<Number>& elements) {
    Located<Number> best{of_nothing, -1};
    for (std::size_t i = 0; i < elements.size(); ++i) {
      if (best.index >= 0 && bits(extreme(best.value, elements[i])) == bits(best.value)) continue;
      best = {elements[i], static_cast<Index>(i)};
    }
    return best;
  });
}

}  // namespace

TEST_CASE("Sums over the memory of a device have the bits of the order on every plan") {
  check_sums<double>();
  check_sums<float>();
}

TEST_CASE("Extremes and locations over the memory of a device") {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  check_extremes<double, Minimum, MinimumLocation>(testing::lesser<double>, infinity);
  check_extremes<double, Maximum, MaximumLocation>(testing::greater<double>, -infinity);
  check_extremes<float, Minimum, MinimumLocation>(testing::lesser<float>,
                                                  std::numeric_limits<float>::infinity());
}

TEST_CASE("Float32 on a device is widened to float64") {
  Settings settings = emulated();
  settings.widened = true;
  check<float, Sum>(hostile_fields<float>({77, 1100}), settings,
                    [](const std::vector<float>& elements) {
                      return static_cast<float>(reduced(widened(elements), 1, std::plus<double>()));
                    });
}

TEST_CASE("Fields of a device may have several operators, and strided arrays and products") {
  const Index rows = 5 + world().rank();
  const Layout inner{{rows, 12}, {{0, rows}, {1, 11}}, {}, 0};
  std::vector<double> mine(static_cast<std::size_t>(rows * 12), 1e300);
  std::vector<double> factors(static_cast<std::size_t>(rows * 10));
  std::vector<double> all;
  std::vector<double> products;
  for (Rank rank = 0; rank < world().size(); ++rank) {
    std::mt19937_64 random(static_cast<std::uint64_t>(rank));
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (Index i = 0; i < 5 + rank; ++i) {
      for (Index k = 0; k < 10; ++k) {
        const double element = uniform(random);
        const double factor = uniform(random);
        all.push_back(element);
        products.push_back(element * factor);
        if (rank != world().rank()) continue;
        mine[static_cast<std::size_t>(i * 12 + k + 1)] = element;
        factors[static_cast<std::size_t>(i * 10 + k)] = factor;
      }
    }
  }
  const Layout close{{rows, 10}, {}, {}, 0};
  for (const char* plan : {"butterfly", "buffered", "aggregated"}) {
    Settings settings = emulated();
    settings.plan = plan;
    Reducer<double> reducer(
        MPI_COMM_WORLD, {Field(inner), Field::products(inner, close), Field(inner).by(Op::maximum)},
        settings);
    double results[3];
    reducer.run({{mine}, {mine, factors}, {mine}}, results);
    CHECK(bits(results[0]) == bits(testing::tree_sum(all)));
    CHECK(bits(results[1]) == bits(testing::tree_sum(products)));
    CHECK(results[2] == *std::max_element(all.begin(), all.end()));
  }
}

TEST_CASE("A schedule, the plan native and a function of elements beside arrays of a device") {
  const auto elements = hostile_elements<double>(testing::Hostile::spread, 1000, 8);
  const auto distribution = make_distribution("upper", 1000, world().size());
  const auto mine = own_part(elements, distribution);
  const double expected = testing::tree_sum(elements);
  const auto header =
      header_of({make_order("tree", 1000), distribution, Delivery::to_all()}, *make_plan("direct"));
  Settings settings = emulated();
  Reducer<double> scheduled(MPI_COMM_WORLD, header, settings);
  CHECK(bits(scheduled.run(mine).value()) == bits(expected));
  settings.plan = "native";
  const Layout layout = Layout::contiguous(static_cast<Index>(mine.size()));
  Reducer<double> native(MPI_COMM_WORLD, layout, settings);
  CHECK(bits(native.run(mine).value()) == bits(expected));
  Reducer<double> both(MPI_COMM_WORLD, {Field(layout), Field(layout)}, emulated());
  const auto by_function = [&](Index i) { return mine[static_cast<std::size_t>(i)]; };
  double results[2];
  both.run({{mine}, elements_by<double>(by_function)}, results);
  CHECK(bits(results[0]) == bits(expected));
  CHECK(bits(results[1]) == bits(expected));
}

TEST_CASE("What devices do not reduce is refused on every rank") {
  const std::vector<std::int64_t> integers(10);
  const Layout layout = Layout::contiguous(10);
  Reducer<std::int64_t> of_integers(MPI_COMM_WORLD, layout, emulated());
  CHECK_THROWS_WITH(of_integers.run(integers),
                    Catch::Matchers::Contains("devices reduce float32 and float64, not int64"));
  const std::vector<double> numbers(10);
  const auto join = [](double left, double right) { return left < right ? left : right; };
  Reducer<double, decltype(join)> own(MPI_COMM_WORLD, layout, emulated(), join);
  CHECK_THROWS_WITH(own.run(numbers),
                    Catch::Matchers::Contains("devices do not call an operator of your own"));
  Settings unknown;
  unknown.memory = "gpu";
  CHECK_THROWS_WITH(
      Reducer<double>(MPI_COMM_WORLD, layout, unknown),
      Catch::Matchers::Contains("memory: there is none called gpu; known: host, cuda or emulated"));
}

}  // namespace device_arrays_mpi_test
