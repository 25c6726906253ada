// SPDX-License-Identifier: MIT

#include "bracket/runtime/native_execution.hpp"
#include "bracket/runtime/reducer.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <thread>

#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "support/catch.hpp"
#include "support/hostile.hpp"
#include "support/planned_reduction.hpp"
#include "support/reference.hpp"
#include "support/world.hpp"

namespace native_mpi_test {

using namespace bracket;
using namespace bracket::runtime;
using testing::bits;
using testing::PlannedReduction;
using testing::random_distribution;
using testing::tree_sum;
using testing::world;

namespace {

constexpr Delivery to_all = Delivery::to_all();

const Plan& native() {
  static const std::unique_ptr<Plan> plan = make_plan("native");
  return *plan;
}

template <class Value>
std::vector<Value> part_of(const std::vector<Value>& elements, Range held) {
  return {elements.begin() + held.begin, elements.begin() + held.end};
}

/// A sum that refuses 13 as an operand.
struct Superstitious {
  double operator()(double left, double right) const {
    if (left == 13 || right == 13) throw Error("thirteen");
    return left + right;
  }
};

}  // namespace

TEST_CASE("native gives the serial bits over any distribution") {
  std::mt19937_64 random(20221);
  for (int repetition = 0; repetition < 2; ++repetition) {
    for (const std::size_t count : {1, 2, 5, 16, 17, 200, 3000}) {
      for (const std::size_t chunk : {1, 2, 3, 16, 100}) {
        if (chunk > 1 && chunk >= count) continue;
        const auto kind = testing::all_hostile[random() % std::size(testing::all_hostile)];
        const auto elements = testing::hostile_elements(kind, count, random());
        const auto order =
            make_order(text("chunked-tree:", chunk), static_cast<Index>(elements.size()));
        const auto distribution = random_distribution(order.elements(), random);
        CAPTURE(count, chunk, distribution.boundaries());
        PlannedReduction<> reducer(MPI_COMM_WORLD, Problem{order, distribution, to_all}, native());
        CHECK(reducer.held() == distribution.range(world().rank()));
        const auto own = part_of(elements, reducer.held());
        const double expected =
            testing::reduced(std::span<const double>(elements), chunk, std::plus<double>());
        CHECK(bits(reducer.run(own).value()) == bits(expected));
      }
    }
  }
}

TEST_CASE("native is reused, several side by side and beside other plans") {
  const Index count = 2500;
  const auto distribution = make_distribution("upper", count, world().size());
  std::vector<std::unique_ptr<PlannedReduction<>>> reducers;
  const std::vector<std::size_t> chunks{1, 7, 64};
  for (const auto chunk : chunks) {
    reducers.push_back(std::make_unique<PlannedReduction<>>(
        MPI_COMM_WORLD,
        Problem{make_order(text("chunked-tree:", chunk), count), distribution, to_all}, native()));
  }
  PlannedReduction<> butterfly(MPI_COMM_WORLD, make_order("tree", count), distribution,
                               *make_plan("butterfly"), to_all);
  for (std::uint64_t run = 0; run < 5; ++run) {
    const auto elements = testing::hostile_elements(testing::Hostile::cancelling,
                                                    static_cast<std::size_t>(count), run);
    const auto own = part_of(elements, butterfly.held());
    for (std::size_t i = 0; i < chunks.size(); ++i) {
      const double expected =
          testing::reduced(std::span<const double>(elements), chunks[i], std::plus<double>());
      CHECK(bits(reducers[i]->run(own).value()) == bits(expected));
    }
    CHECK(bits(butterfly.run(own).value()) == bits(tree_sum(elements)));
  }
}

TEST_CASE("what the operator throws on one rank is thrown on all, and the next run is right") {
  const Index count = 400;
  const auto distribution = make_distribution("lower", count, world().size());
  using Operation = Reduction<double, Superstitious>;
  PlannedReduction<Operation> reducer(
      MPI_COMM_WORLD, Problem{make_order("tree", count), distribution, to_all}, native());
  const std::vector<double> zeros(static_cast<std::size_t>(count), 0.0);
  // Two elements: both on one rank, both on the last rank, or with a sum that only the root's join
  // uses.
  using Pair = std::pair<std::size_t, double>;
  for (const auto& [first, second] :
       {std::pair<Pair, Pair>{{0, 13.0}, {1, 0.0}}, std::pair<Pair, Pair>{{398, 1.0}, {399, 13.0}},
        std::pair<Pair, Pair>{{0, 5.0}, {255, 8.0}}}) {
    auto elements = zeros;
    elements[first.first] = first.second;
    elements[second.first] = second.second;
    const auto own = part_of(elements, reducer.held());
    CHECK_THROWS_WITH(reducer.run(own), Catch::Equals("thirteen"));
    CHECK(reducer.run(part_of(zeros, reducer.held())) == 0.0);
  }
}

TEST_CASE("native refuses what it cannot do, on every rank") {
  const auto distribution = make_distribution("lower", 100, world().size());
  const auto refuse = [&](const std::string& order, Delivery delivery, const std::string& why) {
    CAPTURE(order);
    CHECK_THROWS_WITH(
        PlannedReduction<>(MPI_COMM_WORLD, Problem{make_order(order, 100), distribution, delivery},
                           native()),
        Catch::Contains(why));
  };
  refuse("tree", Delivery::to(0), "the plan native leaves the result on every rank");
  refuse("tree", {99, Collective::all_reduce}, "root 99");
  refuse("sequential", to_all, "the plan native makes no sense for the order sequential");
  refuse("chunked-tree:100", to_all, "makes no sense for the order chunked-tree:100");
  refuse("associative", to_all, "leaves the bracketing open");
  CHECK_THROWS_WITH(
      PlannedReduction<>(MPI_COMM_WORLD,
                         Problem{make_order("tree", 100),
                                 make_distribution("lower", 100, world().size() + 1), to_all},
                         native()),
      Catch::Contains("the communicator has"));
  const Index many = Index{1} << 40;
  CHECK_THROWS_WITH(
      PlannedReduction<>(MPI_COMM_WORLD,
                         Problem{make_order("chunked-tree:300000000", many),
                                 make_distribution("lower", many, world().size()), to_all},
                         native()),
      Catch::Contains("longer than MPI's 2147483647 bytes"));
  if (world().size() > 1) {
    const auto order = make_order(world().rank() == 0 ? "tree" : "chunked-tree:2", 100);
    CHECK_THROWS_WITH(
        PlannedReduction<>(MPI_COMM_WORLD, Problem{order, distribution, to_all}, native()),
        Catch::Contains("different schedules"));
  }
}

TEST_CASE("reducers by native give the bits of other plans") {
  const Index own = 5 + 7 * world().rank();
  const auto elements =
      testing::hostile_elements(testing::Hostile::cancelling, static_cast<std::size_t>(own),
                                static_cast<std::uint64_t>(world().rank()));
  const Layout layout = Layout::contiguous(own);
  for (const char* algorithm : {"tree", "chunked-tree:4", "binned", "double-double"}) {
    Settings settings;
    settings.algorithm = algorithm;
    Reducer<double> usual(MPI_COMM_WORLD, layout, settings);
    settings.plan = "native";
    Reducer<double> reducer(MPI_COMM_WORLD, layout, settings);
    const double expected = usual.run(elements).value();
    CHECK(bits(reducer.run(elements).value()) == bits(expected));
    double later = 0;
    reducer.start({{elements}}, {&later, 1});
    while (!reducer.test()) std::this_thread::yield();
    CHECK(bits(later) == bits(expected));
    CHECK(reducer.messages_sent() == 0);
  }
}

TEST_CASE("a rank that cannot begin a run by native ends it for all") {
  const bool wrong = world().rank() == world().size() - 1;
  Reducer<double> reducer(MPI_COMM_WORLD, Layout::contiguous(4), {.plan = "native"});
  const std::vector<double> elements(4, 1.0);
  CHECK(reducer.run(elements).value() == 4.0 * world().size());
  const std::span<const double> given(elements.data(), wrong ? 3 : 4);
  const std::string words = "rank " + std::to_string(world().size() - 1) + ": field 0: the array";
  CHECK_THROWS_WITH(reducer.run(given), Catch::Contains(words));
  CHECK_THROWS_WITH(reducer.run(elements), Catch::Contains("no run is possible"));
}

TEST_CASE("the library's operator gets what comes from lower ranks on the left") {
  // Messages are letters, and the operator concatenates them.
  constexpr std::size_t size = 300;
  using Letters = std::array<char, size>;
  const NativeReduction reduction(size, [](const std::byte* left, std::byte* right) {
    Letters l;
    Letters r;
    std::memcpy(l.data(), left, size);
    std::memcpy(r.data(), right, size);
    const std::string both = std::string(l.data()) + r.data();
    std::memcpy(right, both.c_str(), both.size() + 1);
  });
  const Rank last = world().size() - 1;
  for (const bool reversed : {false, true}) {
    MPI_Comm split = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, 0, reversed ? last - world().rank() : world().rank(), &split);
    const Communicator ranks(split);
    MPI_Comm_free(&split);
    std::string expected;
    for (Rank rank = 0; rank <= last; ++rank) expected += static_cast<char>('A' + rank);
    if (reversed) std::reverse(expected.begin(), expected.end());
    std::vector<std::byte> message(size);
    message[0] = static_cast<std::byte>('A' + world().rank());
    MPI_Request request = reduction.start(ranks, message.data());
    wait(request);
    CHECK(std::string(reinterpret_cast<const char*>(message.data())) == expected);
  }
}

}  // namespace native_mpi_test
