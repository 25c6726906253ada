// SPDX-License-Identifier: MIT

#include <cmath>

#include "bracket/simulator/simgrid.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/file.hpp"
#include "bracket/support/text.hpp"
#include "simulator/by_hand.hpp"
#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"
#include "support/scratch.hpp"

namespace named_platform_test {

using namespace bracket;
using Catch::Approx;
using Catch::Contains;
using testing::add_message;
using testing::by_hand;
using testing::tree_schedule;

namespace {

constexpr Machine machine{.latency = 2e-6,
                          .overhead = 100e-9,
                          .gap = 1,
                          .gap_per_byte = 1e-9,
                          .seconds_per_addition = 7e-9,
                          .value_bytes = 8};
constexpr double L = 2e-6, o = 100e-9, G = 1e-9;

Simulation on(const std::string& platform, const Schedule& schedule, const Machine& with = machine,
              Index cores = 1, const std::string& placement = "block") {
  return replay_simgrid(Workload(schedule, with), with,
                        {.platform = PlatformSpec::parse(platform),
                         .cores = cores,
                         .placement = Placement::parse(placement)});
}

/// Seconds of one message from rank `from` to rank `to`.
double seconds(const std::string& platform, Rank ranks, Rank from, Rank to) {
  auto schedule = by_hand(ranks);
  add_message(schedule, from, to);
  return on(platform, schedule).makespan;
}

/// A platform by name and its equivalent in SimGrid's XML.
struct Twin {
  const char* name;
  Rank nodes;
  const char* xml;
};

constexpr Twin twins[] = {
    {"cluster", 24, ""},
    {"backbone:3e9", 24, "bb_bw='3GBps' bb_lat='0s'"},
    {"torus:4x3x2", 24, "topology='TORUS' topo_parameters='4,3,2'"},
    {"fat-tree:4x6:1x2", 24, "topology='FAT_TREE' topo_parameters='2;4,6;1,2;1,1'"},
    {"fat-tree:2x3x4:2x2x3:2x1x2", 24, "topology='FAT_TREE' topo_parameters='3;2,3,4;2,2,3;2,1,2'"},
    {"dragonfly:3x2x4x1", 24, "topology='DRAGONFLY' topo_parameters='3,1;2,1;4,1;1'"},
    {"dragonfly:2x2x3x2:3x2x4", 24, "topology='DRAGONFLY' topo_parameters='2,3;2,2;3,4;2'"},
};

Simulation on_twin(const Twin& twin, const Schedule& schedule, const Machine& with) {
  const testing::Scratch scratch;
  const auto file = (scratch.path() / "twin.xml").string();
  support::write_file(
      file,
      text("<?xml version='1.0'?>\n"
           "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
           "<platform version=\"4.1\"><cluster id='c' prefix='n' suffix='' radical='0-",
           twin.nodes - 1, "' speed='1Gf' bw='1GBps' lat='1us' ", twin.xml, "/></platform>\n"));
  return on(file, schedule, with);
}

}  // namespace

// SimGrid itself moves the messages on a platform from a file. If one of the two rounds off a
// picosecond, the difference grows where messages meet again and again.
TEST_CASE("messages share links by name as SimGrid lets them from a file") {
  testing::property("twins", [] {
    const Twin twin = *rc::gen::elementOf(std::vector<Twin>(std::begin(twins), std::end(twins)));
    const auto plan = *rc::gen::element<std::string>("direct", "gather", "aggregated:5",
                                                     "butterfly", "dissemination");
    const auto distribution =
        make_distribution("upper", *rc::gen::inRange<Index>(twin.nodes, 500), twin.nodes);
    Machine with = machine;
    with.overhead = *rc::gen::element(0.0, 1e-9, 100e-9);
    with.value_bytes = *rc::gen::element<Index>(1, 8, 1000);
    const auto schedule = tree_schedule(distribution, plan, *testing::any_delivery(),
                                        *rc::gen::inRange<Index>(1, 50));
    RC_TAG(std::string(twin.name));
    RC_LOG() << twin.name;
    const auto ours = on(twin.name, schedule, with);
    const auto simgrids = on_twin(twin, schedule, with);
    RC_ASSERT(ours.messages == simgrids.messages);
    const auto rounding = 2e-12 * static_cast<double>(ours.messages + 1);
    for (std::size_t rank = 0; rank < ours.finish.size(); ++rank) {
      const double difference = std::abs(ours.finish[rank] - simgrids.finish[rank]);
      RC_ASSERT(difference <= rounding + 1e-4 * simgrids.finish[rank]);
    }
  });
}

TEST_CASE("a message by way of one switch costs what LogGP says") {
  const double one_switch = o + L + 7 * G + o;
  CHECK(seconds("cluster", 2, 0, 1) == Approx(one_switch));
  CHECK(seconds("backbone:1e12", 2, 0, 1) == Approx(one_switch));
  CHECK(seconds("backbone:1e6", 2, 0, 1) == Approx(o + L + 7e-6 + o));
  CHECK(seconds("fat-tree:4x4:1x2", 16, 0, 3) == Approx(one_switch));
  CHECK(seconds("fat-tree:4x4:1x2", 16, 0, 4) == Approx(one_switch + L));
  CHECK(seconds("torus:5x3", 15, 0, 2) == Approx(one_switch));
  CHECK(seconds("torus:5x3", 15, 0, 1) == Approx(one_switch - L / 2));
  CHECK(seconds("torus:5x3", 15, 0, 14) == Approx(one_switch));
  CHECK(seconds("dragonfly:2x2x3x2", 24, 0, 1) == Approx(one_switch));
  CHECK(seconds("dragonfly:2x2x3x2", 24, 0, 2) == Approx(one_switch + L / 2));
  CHECK(seconds("dragonfly:2x2x3x2", 24, 2, 12) == Approx(one_switch + L / 2));
}

TEST_CASE("every route of a platform by name is there") {
  for (const char* const name :
       {"torus:2x2", "torus:3x4x2", "torus:7", "fat-tree:2x2:2x2:2x2", "fat-tree:3x2x2:1x3x2",
        "fat-tree:5:2:3", "dragonfly:3x3x3x1", "dragonfly:1x1x1x4", "dragonfly:4x2x5x2:2x1x3"}) {
    CAPTURE(name);
    const auto nodes = static_cast<Rank>(PlatformSpec::parse(name).nodes());
    for (Rank to = 1; to<nodes; to += nodes> 20 ? 5 : 1) {
      CHECK(seconds(name, nodes, 0, to) >= Approx(2 * o + L / 2 + 7 * G));
      CHECK(seconds(name, nodes, to, 0) >= Approx(2 * o + L / 2 + 7 * G));
    }
  }
}

TEST_CASE("parallel links share the messages of a fat tree between them") {
  // Both nodes below one switch send to both nodes below the other.
  auto schedule = by_hand(4);
  add_message(schedule, 0, 2);
  add_message(schedule, 1, 3);
  CHECK(on("fat-tree:2x2:1x1", schedule).makespan == Approx(o + 2 * L + 14 * G + o));
  CHECK(on("fat-tree:2x2:1x2", schedule).makespan == Approx(o + 2 * L + 7 * G + o));
}

TEST_CASE("ranks of one node share its links, and cost what is said inside it") {
  Machine with = machine;
  with.inside_node =
      MessageCosts{.latency = 3e-9, .overhead = 5e-9, .gap = 0, .gap_per_byte = 1e-10};
  auto schedule = by_hand(4);
  add_message(schedule, 0, 1);
  CHECK(on("cluster", schedule, with, 2).makespan == Approx(5e-9 + 3e-9 + 7e-10 + 5e-9));
  CHECK(on("cluster", schedule, with, 2, "round-robin").makespan == Approx(o + L + 7 * G + o));
  CHECK(on("cluster", schedule, machine, 2).makespan == Approx(o + L + 7 * G + o));
  auto out = by_hand(4);
  add_message(out, 0, 2);
  add_message(out, 1, 3);
  CHECK(on("cluster", out, with, 2).makespan == Approx(o + L + 14 * G + o));
  CHECK(on("torus:2x2", out, with, 2).makespan == Approx(o + L / 2 + 14 * G + o));
  CHECK(on("cluster", out, with, 1).makespan == Approx(o + L + 7 * G + o));
}

TEST_CASE("ranks that do not fit on a platform by name are an error with both numbers") {
  CHECK_THROWS_WITH(on("torus:4x4", by_hand(64)),
                    Contains("torus:4x4: 16 core(s) on 16 node(s) for 64 ranks"));
  CHECK_THROWS_WITH(on("torus:4x4", by_hand(64), machine, 3),
                    Contains("torus:4x4: 48 core(s) on 16 node(s) for 64 ranks"));
  CHECK(on("torus:4x4", by_hand(64), machine, 4).messages == 0);
}

TEST_CASE("O keeps both ends of a message busy, beside the links") {
  Machine with = machine;
  with.overhead_per_byte = 3e-9;
  auto schedule = by_hand(2);
  add_message(schedule, 0, 1);
  const auto simulation = on("cluster", schedule, with);
  CHECK(simulation.makespan == Approx(2 * o + L + 7 * 3e-9));
  CHECK(simulation.finish[0] == Approx(o + 7 * 3e-9));
}

}  // namespace named_platform_test
