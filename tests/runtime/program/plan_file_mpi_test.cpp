// SPDX-License-Identifier: MIT

#include "bracket/runtime/read_plan_file.hpp"

#include <cstdlib>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <random>

#include "bracket/input/input.hpp"
#include "bracket/model/plan.hpp"
#include "bracket/model/rank_order.hpp"
#include "bracket/runtime/reducer.hpp"
#include "bracket/support/text.hpp"
#include "support/catch.hpp"
#include "support/hostile.hpp"
#include "support/reference.hpp"
#include "support/scratch.hpp"
#include "support/world.hpp"

namespace plan_file_mpi_test {

using namespace bracket;
using namespace bracket::runtime;
using Catch::Contains;
using testing::bits;
using testing::own_part;
using testing::world;

namespace {

/// A plan file for one number of elements and the ranks of the test.
PlanFile plan_file(const std::string& order, const std::string& plan,
                   const Distribution& distribution, Delivery delivery) {
  PlanFile file;
  file.objective = "loggp";
  file.ranks = distribution.ranks();
  file.delivery = delivery;
  const Index elements = distribution.elements();
  file.plans = {{elements, elements, order, 1, plan, "", distribution, {{"loggp", 1e-6}}}};
  return file;
}

/// A plan file that each rank writes for itself.
class Written {
 public:
  explicit Written(const PlanFile& file) { std::ofstream(path()) << to_json(file); }
  [[nodiscard]] std::filesystem::path path() const { return scratch_.path() / "sum.json"; }

 private:
  testing::Scratch scratch_;
};

Layout side_by_side(const std::vector<double>& mine) {
  return Layout::contiguous(static_cast<Index>(mine.size()));
}

}  // namespace

TEST_CASE("reducers reduce as a plan file says, to the bits of its order") {
  std::mt19937_64 random(17);
  const auto elements = testing::hostile_elements(testing::Hostile::cancelling, 1000, 5);
  const struct {
    const char* order;
    std::size_t chunk;
  } orders[] = {{"tree", 1}, {"chunked-tree:7", 7}, {"sequential", 1000}};
  for (const auto& [order, chunk] : orders) {
    const double expected =
        testing::reduced(std::span<const double>(elements), chunk, std::plus<double>());
    for (const char* plan : {"aggregated:2", "buffered", "butterfly"}) {
      for (const Delivery delivery : {Delivery::to_all(), Delivery::to(world().size() - 1)}) {
        const auto held = testing::random_distribution(1000, random)
                              .with_rank_order(make_rank_order("reversed", world().size()));
        if (plan == std::string("butterfly") && delivery.collective == Collective::reduce) continue;
        const Written written(plan_file(order, plan, held, delivery));
        const auto planned = read_planned_reduction(MPI_COMM_WORLD, written.path(), 1000);
        CHECK(planned == ScheduleHeader{order, 1, plan, held, delivery, 1});
        const auto mine = own_part(elements, planned.distribution);
        Reducer<double> reducer(MPI_COMM_WORLD, side_by_side(mine), settings_of(planned));
        CHECK(reducer.held() == held.range(world().rank()));
        const auto result = reducer.run(mine);
        Reducer<double> of_schedule(MPI_COMM_WORLD, planned);
        const auto same = of_schedule.run(mine);
        CHECK(same.has_value() == result.has_value());
        if (same) CHECK(bits(*same) == bits(*result));
        const bool here =
            delivery.collective == Collective::all_reduce || world().rank() == world().size() - 1;
        CAPTURE(order, plan, here);
        REQUIRE(result.has_value() == here);
        if (here) CHECK(bits(*result) == bits(expected));
      }
    }
  }
}

TEST_CASE("a plan file's distribution by name") {
  PlanFile file =
      plan_file("tree", "binomial", upper_distribution(500, world().size()), Delivery::to_all());
  file.plans[0].held.reset();
  file.plans[0].distribution = "lower";
  file.plans[0].to = 2000;
  const Written written(file);
  const auto elements = testing::hostile_elements(testing::Hostile::cancelling, 1234, 5);
  const auto planned = read_planned_reduction(MPI_COMM_WORLD, written.path(), 1234);
  const auto mine = own_part(elements, lower_distribution(1234, world().size()));
  Reducer<double> reducer(MPI_COMM_WORLD, side_by_side(mine), settings_of(planned));
  CHECK(bits(reducer.run(mine).value()) == bits(testing::tree_sum(elements)));
}

TEST_CASE("elements that are held otherwise than planned are refused on all ranks") {
  const Rank size = world().size();
  const Rank self = world().rank();
  const auto held = upper_distribution(100 * size, size);
  const Written written(plan_file("tree", "aggregated", held, Delivery::to_all()));
  const auto planned = read_planned_reduction(MPI_COMM_WORLD, written.path(), 100 * size);
  const auto settings = settings_of(planned);
  // The last rank has one element too many, or the rank before it has one that belongs to the last
  // rank.
  const auto refused = [&](Index count, const std::string& words) {
    CHECK_THROWS_MATCHES(Reducer<double>(MPI_COMM_WORLD, Layout::contiguous(count), settings),
                         CollectiveError, Catch::Message(words));
  };
  refused(self == size - 1 ? 101 : 100,
          text("field 0: rank ", size - 1, " holds 101 elements, the plan is for 100 there"));
  if (size > 1) {
    refused(self == size - 1   ? 99
            : self == size - 2 ? 101
                               : 100,
            text("field 0: rank ", size - 2, " holds 101 elements, the plan is for 100 there"));
  }
  refused(0, "field 0: rank 0 holds 0 elements, the plan is for 100 there");
  // All fields are checked, for any operator.
  const std::vector<Field> fields{Layout::contiguous(100), Layout::contiguous(self == 0 ? 0 : 100)};
  CHECK_THROWS_WITH(Reducer<double>(MPI_COMM_WORLD, fields, settings),
                    "field 1: rank 0 holds 0 elements, the plan is for 100 there");
  CHECK_THROWS_WITH((Reducer<float, Minimum>(MPI_COMM_WORLD, Layout::contiguous(1), settings)),
                    Contains("rank 0 holds 1 elements"));
  CHECK_THROWS_WITH(
      (Reducer<double, std::plus<double>>(MPI_COMM_WORLD, Layout::contiguous(1), settings)),
      Contains("rank 0 holds 1 elements"));
  // A custom distribution must equal that of the plan.
  if (size > 1) {
    const Field reversed(Layout::contiguous(100),
                         held.with_rank_order(make_rank_order("reversed", size)));
    CHECK_THROWS_WITH(Reducer<double>(MPI_COMM_WORLD, reversed, settings),
                      "field 0: the plan is for another distribution");
  }
  // All ranks can still reduce.
  const std::vector<double> mine(100, 1);
  Reducer<double> right(MPI_COMM_WORLD, Field(side_by_side(mine), held), settings);
  CHECK(right.run(mine) == 100.0 * size);
}

TEST_CASE("a plan for other ranks is refused where its settings are used") {
  const Rank more = world().size() + 1;
  const ScheduleHeader planned{"tree", 1, "aggregated", upper_distribution(100, more), {}};
  CHECK_THROWS_WITH(
      Reducer<double>(MPI_COMM_WORLD, Layout::contiguous(1), settings_of(planned)),
      Contains(text("the plan is for p = ", more, ", the communicator has ", world().size())));
}

TEST_CASE("a plan file that one rank cannot take is refused on all") {
  const Rank size = world().size();
  const Rank last = size - 1;
  const auto file =
      plan_file("tree", "aggregated", upper_distribution(100, size), Delivery::to_all());
  const Written written(file);
  const auto read = [&](const std::filesystem::path& path, Index elements) {
    return read_planned_reduction(MPI_COMM_WORLD, path, elements);
  };
  CHECK_THROWS_AS(read(world().rank() == last ? "none.json" : written.path(), 100),
                  CollectiveError);
  CHECK_THROWS_WITH(read(written.path(), 101),
                    Contains("sum.json: the plan is for N = 100, not for N = 101"));
  PlanFile other = file;
  other.ranks = size + 1;
  other.plans[0].held = upper_distribution(100, size + 1);
  CHECK_THROWS_WITH(read(Written(other).path(), 100),
                    Contains(text("the plan is for p = ", size + 1, ", not for p = ", size)));
  other = file;
  other.plans[0].order_version = 9;
  CHECK_THROWS_WITH(read(Written(other).path(), 100), Contains("version 9 of the order tree"));
  CHECK_NOTHROW(read(written.path(), 100));
}

TEST_CASE("ranks that were given different plan files are refused") {
  const Rank size = world().size();
  if (size == 1) return;
  const auto held = upper_distribution(100, size);
  const auto refused = [&](const ScheduleHeader& here, const std::string& words) {
    const ScheduleHeader there{"tree", 1, "aggregated", held, Delivery::to_all()};
    const auto& mine = world().rank() == 0 ? here : there;
    const Index count = mine.distribution.range(world().rank()).size();
    CHECK_THROWS_WITH(Reducer<double>(MPI_COMM_WORLD, Layout::contiguous(count), settings_of(mine)),
                      words);
  };
  refused({"chunked-tree:3", 1, "aggregated", held, Delivery::to_all()},
          "the ranks ask for different algorithms");
  refused({"tree", 1, "binomial", held, Delivery::to_all()}, "the ranks ask for different plans");
  refused({"tree", 1, "aggregated", held, Delivery::to(0)}, "the ranks ask for different roots");
  refused({"tree", 1, "aggregated", lower_distribution(100 * size + 1, size), Delivery::to_all()},
          "the ranks have the distributions of different plan files");
  refused({"tree", 1, "aggregated", held.with_rank_order(make_rank_order("reversed", size)),
           Delivery::to_all()},
          "the ranks have the distributions of different plan files");
}

TEST_CASE("what a reducer does not do is no reducer's settings") {
  const auto held = upper_distribution(100, world().size());
  CHECK_THROWS_WITH(settings_of({"tree", 1, "butterfly", held, Delivery::scattered()}),
                    Contains("reducer of a schedule"));
  CHECK_THROWS_WITH(settings_of({"tree", 1, "butterfly", held, Delivery::to_all(), 2}),
                    Contains("vectors of 2 items"));
  const auto integers = settings_of({"associative", 1, "butterfly", held, Delivery::to_all()});
  CHECK(integers.algorithm == "associative");
  const std::vector<std::int64_t> mine(static_cast<std::size_t>(held.range(world().rank()).size()),
                                       3);
  Reducer<std::int64_t> sum(MPI_COMM_WORLD, Layout::contiguous(static_cast<Index>(mine.size())),
                            integers);
  CHECK(sum.run(mine) == 300);
}

TEST_CASE("a plan file gives a published sum, bit for bit") {
  const char* const folder = std::getenv("BRACKET_DATA");
  if (folder == nullptr) {
    WARN("BRACKET_DATA does not name the folder of published inputs: nothing compared");
    return;
  }
  const auto input = input::open_input(std::filesystem::path(folder) / "fusob.binpsllh");
  const auto held = make_distribution("optimized:0.2", input->elements(), world().size())
                        .with_rank_order(make_rank_order("random:1", world().size()));
  const Written written(plan_file("tree", "aggregated:4", held, Delivery::to_all()));
  const auto planned = read_planned_reduction(MPI_COMM_WORLD, written.path(), input->elements());
  const Range own = planned.distribution.range(world().rank());
  std::vector<double> mine(static_cast<std::size_t>(own.size()));
  input->read(own, mine);
  Reducer<double> sum(MPI_COMM_WORLD, side_by_side(mine), settings_of(planned));
  CHECK(bits(sum.run(mine).value()) == 0xC0C37B57721E5D72);
}

}  // namespace plan_file_mpi_test
