// SPDX-License-Identifier: MIT

#include <map>

#include "bracket/simulator/simgrid.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/file.hpp"
#include "bracket/support/text.hpp"
#include "simulator/by_hand.hpp"
#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"
#include "support/scratch.hpp"

namespace energy_test {

using namespace bracket;
using Catch::Approx;
using Catch::Contains;
using testing::add_message;
using testing::by_hand;
using testing::tree_schedule;

namespace {

// Figures are in seconds, so an energy shows its terms.
constexpr Machine machine{.latency = 10,
                          .overhead = 3,
                          .gap = 0,
                          .gap_per_byte = 0.25,
                          .seconds_per_addition = 1,
                          .value_bytes = 8};
constexpr double L = 10, o = 3, G = 0.25;
constexpr NodeWatts watts{.idle = 10, .epsilon = 50, .all_cores = 200};

Simulation on(const Network& network, const Schedule& schedule, const Machine& with = machine) {
  return replay_simgrid(Workload(schedule, with), with, network);
}

double joules(const Network& network, const Schedule& schedule, const Machine& with = machine) {
  const auto simulation = on(network, schedule, with);
  REQUIRE(simulation.joules.has_value());
  return *simulation.joules;
}

/// Schedule in which `rank` adds `additions` times.
Schedule one_computes(Rank ranks, Rank rank, Index additions) {
  auto schedule = by_hand(ranks);
  schedule.parts[static_cast<std::size_t>(rank)].fold({0, additions + 1});
  return schedule;
}

/// A platform file: hosts a and b of two cores, in the second of their two states, with links
/// between them and from a to itself.
struct File {
  std::string a;  ///< properties
  std::string b;
  std::string links{};
  std::string between{};  ///< attributes of the link
  std::string events{};   ///< content of the file `events`
};

Simulation on(const File& file, const Schedule& schedule) {
  const testing::Scratch scratch;
  const auto path = scratch.path() / "platform.xml";
  const auto host = [](const char* name, const std::string& properties) {
    return text("<host id='", name, "' speed='1f,2f' core='2' pstate='1'>", properties, "</host>");
  };
  const bool two_ways = file.between.find("SPLITDUPLEX") != std::string::npos;
  support::write_file(scratch.path() / "events", file.events);
  support::write_file(
      path,
      text("<?xml version='1.0'?>\n"
           "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
           "<platform version=\"4.1\"><zone id='z' routing='Full'>",
           host("a", file.a), host("b", file.b), "<link id='l' latency='10s' bandwidth='4Bps' ",
           file.between, ">", file.links, "</link><link id='loop' latency='1s' bandwidth='8Bps'>",
           file.links, "</link><route src='a' dst='b'><link_ctn id='l'",
           two_ways ? " direction='UP'" : "",
           "/></route><route src='a' dst='a'><link_ctn id='loop'/></route></zone>"
           "</platform>\n"));
  return on(Network{.platform = PlatformSpec::parse(path.string())}, schedule);
}

std::string per_state(const std::string& value) {
  return "<prop id='wattage_per_state' value='" + value + "'/>";
}

std::string range(const std::string& value) {
  return "<prop id='wattage_range' value='" + value + "'/>";
}

}  // namespace

TEST_CASE("energy is not known without watts") {
  CHECK_FALSE(on(Network{}, one_computes(1, 0, 5)).joules);
  CHECK_FALSE(on(File{}, one_computes(1, 0, 5)).joules);
}

TEST_CASE("who computes takes all its cores take, who waits or is done the idle watts") {
  CHECK(joules({.watts = watts}, one_computes(1, 0, 5)) == Approx(5 * 200));
  CHECK(joules({.watts = watts}, one_computes(2, 1, 5)) == Approx(5 * 200 + 5 * 10));
  CHECK(joules({.watts = watts}, by_hand(3)) == 0);
  // Rank 0 is busy for o at the start, rank 1 for o at the end of 2 o + L + 7 G.
  auto schedule = by_hand(2);
  add_message(schedule, 0, 1);
  CHECK(joules({.watts = watts}, schedule) == Approx(2 * (o * 200 + (o + L + 7 * G) * 10)));
}

TEST_CASE("cores of a node that compute share what is beyond epsilon") {
  const Network two{.cores = 2, .watts = watts};
  CHECK(joules(two, one_computes(2, 1, 5)) == Approx(5 * (50 + 150 / 2)));
  CHECK(joules(two, one_computes(1, 0, 5)) == Approx(5 * (50 + 150 / 2)));
  auto both = one_computes(2, 1, 5);
  both.parts[0].fold({0, 3});
  CHECK(joules(two, both) == Approx(2 * 200 + 3 * 125));
  CHECK(joules({.cores = 2, .watts = NodeWatts{10, 10, 200}}, both) == Approx(2 * 200 + 3 * 105));
  // A message inside a node keeps its cores busy one after the other, with the latency between.
  auto schedule = by_hand(2);
  add_message(schedule, 0, 1);
  CHECK(joules(two, schedule) == Approx(2 * o * 125 + (L + 7 * G) * 10));
}

TEST_CASE("nodes without a rank take nothing") {
  CHECK(joules({.platform = PlatformSpec::parse("torus:4x4"), .watts = watts},
               one_computes(3, 1, 5)) == Approx(5 * 200 + 2 * 5 * 10));
  CHECK(joules({.platform = PlatformSpec::parse("torus:4x4"), .cores = 2, .watts = watts},
               one_computes(3, 1, 5)) == Approx(5 * 125 + 5 * 10));
}

TEST_CASE("links take what their bytes take, and all of them the idle watts") {
  const LinkWatts link_watts{.idle = 1, .busy = 5};
  auto schedule = by_hand(3);
  add_message(schedule, 0, 1);
  const double makespan = 2 * o + L + 7 * G;
  const auto links = [&](const std::string& platform) {
    const Network network{.platform = PlatformSpec::parse(platform), .link_watts = link_watts};
    return joules(network, schedule);
  };
  CHECK(links("cluster") == Approx(6 * makespan + 2 * 4 * 8 * G));
  CHECK(links("backbone:8") == Approx(7 * makespan + 4 * (2 * 8 * G + 8.0 / 8)));
  CHECK(links("torus:4") == Approx(8 * (makespan - L / 2) + 4 * 8 * G));
  CHECK(links("fat-tree:3:2") == Approx(12 * makespan + 2 * 4 * 8 * G));
  // Two groups of two routers: 4 node links, 2 router links and 1 group link, in both directions.
  // Between nodes 0 and 1 are two node links and one router link.
  CHECK(links("dragonfly:2x1x2x1") == Approx(14 * (makespan + L / 2) + 3 * 4 * 8 * G));
  // There are no links inside a node.
  CHECK(joules({.cores = 3, .link_watts = link_watts}, schedule) == Approx(2 * makespan));
  CHECK(joules({.watts = watts, .link_watts = link_watts}, schedule) ==
        Approx(joules({.watts = watts}, schedule) + links("cluster")));
}

TEST_CASE("a platform from a file says its watts") {
  auto schedule = by_hand(3);  // ranks 0 and 1 on a, 2 on b
  add_message(schedule, 0, 1);
  add_message(schedule, 0, 2);
  // Rank 0 is busy for 2 o. Rank 1 is busy from o + 1 + 7 / 8 to 2 o + 1 + 7 / 8, until 2 o
  // together with rank 0. Rank 2 is busy for o at the end of 3 o + L + 7 / 4.
  const double makespan = 3 * o + L + 7.0 / 4;
  const double hosts =
      makespan * (10 + 10) + (2 * o + 1 + 7.0 / 8) * 40 + (2 * o + o) * 75 + o * (40 + 75);
  const std::string states = per_state("1:2:3,10:50:200");
  const auto joules = [](const File& file, const Schedule& what) {
    return on(file, what).joules.value();
  };
  CHECK(joules(File{states, states}, schedule) == Approx(hosts));
  const double links = 2 * 1 * makespan + 4 * (8.0 / 4 + 8.0 / 8);
  CHECK(joules(File{states, states, range("1:5")}, schedule) == Approx(hosts + links));
  CHECK(joules(File{"", "", range("1:5")}, schedule) == Approx(links));
  CHECK(joules(File{"", "", range("1:5"), "sharing_policy='SPLITDUPLEX'"}, schedule) ==
        Approx(links + makespan));
  // Only hosts with ranks count.
  CHECK(joules(File{states, ""}, one_computes(2, 0, 5)) == Approx(5 * 125));
  CHECK(joules(File{states, "<prop id='wattage_off' value='1'/>"}, one_computes(2, 0, 5)) ==
        Approx(5 * 125));
}

TEST_CASE("properties of a file that are no watts are refused by name") {
  const Schedule schedule = one_computes(3, 0, 5);
  const auto refused = [&](const File& file, const std::string& where, const std::string& cause) {
    CHECK_THROWS_WITH(on(file, schedule), Contains("platform.xml: " + where) && Contains(cause));
  };
  const std::string good = per_state("1:2,3:4");
  refused({good, ""}, "host b has no wattage_per_state", "as host a has");
  refused({"", good}, "host a has no wattage_per_state", "as host b has");
  refused({good, per_state("1:2")}, "host b: wattage_per_state '1:2'", "1 of the host's 2 states");
  refused({good, per_state("1:2,3:4,5:6")}, "host b: wattage_per_state '1:2,3:4,5:6'",
          "3 of the host's 2 states");
  refused({good, per_state("1:2,3")}, "host b: wattage_per_state '3'", "IDLE:EPSILON:ALL_CORES");
  refused({good, per_state("")}, "host b: wattage_per_state ''", "1 of the host's 2 states");
  refused({per_state("1:2,x:4"), good}, "host a: wattage_per_state 'x:4'", "not a number");
  refused({per_state("1:2,4:3"), good}, "host a: wattage_per_state '4:3'", "must not decrease");
  refused({"", "", range("3")}, "link l", "wattage_range '3': 1 number");
  refused({"", "", range("3:4,5:6")}, "link l", "IDLE:BUSY");
  refused({"", "", range("3:4"), "sharing_policy='FATPIPE'"}, "link l: wattage_range '3:4'",
          "requires a link that messages share");
}

TEST_CASE("the energy of a link whose bandwidth changes is not known") {
  const std::string changes = "bandwidth_file='events'";
  const std::string events = "1.0 2\n";
  auto schedule = by_hand(3);
  add_message(schedule, 0, 2);
  CHECK_THROWS_WITH(on(File{"", "", range("1:5"), changes, events}, schedule),
                    Contains("platform.xml: link l") && Contains("changes with time"));
  CHECK(on(File{"", "", range("1:1"), changes, events}, schedule).joules ==
        Approx(2 * (2 * o + L + 7.0 / 2)));
  CHECK_FALSE(on(File{"", "", "", changes, events}, schedule).joules);
}

TEST_CASE("more joules than a number has are an error") {
  CHECK_THROWS_WITH(joules({.watts = NodeWatts{0, 0, 1e308}}, one_computes(1, 0, 5)),
                    Contains("more joules"));
}

// The plain way: between two moments at which a step begins or ends, count the busy cores.
TEST_CASE("energy is power over time, moment by moment") {
  testing::property("power", [] {
    const auto distribution = *testing::any_distribution(300, 12);
    const auto plan = *rc::gen::element<std::string>("direct", "buffered", "aggregated:3",
                                                     "butterfly", "dissemination");
    const auto schedule = tree_schedule(distribution, plan, *testing::any_delivery());
    Machine with = machine;
    with.overhead = *rc::gen::inRange(0, 4);
    with.seconds_per_addition = *rc::gen::inRange(0, 3);
    const Network network{
        .platform = PlatformSpec::parse(*rc::gen::element<std::string>("cluster", "torus:4x3")),
        .cores = *rc::gen::inRange<Index>(1, 5),
        .placement = Placement::parse(*rc::gen::element<std::string>("block", "round-robin")),
        .watts = NodeWatts{*rc::gen::inRange(0, 9) * 1.0, 9 + *rc::gen::inRange(0, 9) * 1.0, 40}};
    Timeline timeline;
    const auto simulation = replay_simgrid(Workload(schedule, with), with, network, &timeline);

    const Nodes nodes{
        std::vector<Index>(network.platform.nodes() > 0
                               ? 12
                               : network.placement.nodes_for(distribution.ranks(), network.cores),
                           network.cores),
        {}};
    const auto node_of = network.placement.place(distribution.ranks(), nodes);
    std::map<std::uint32_t, std::map<Ticks, Index>> changes;  // in a node's number of busy cores
    const auto end = static_cast<Ticks>(simulation.makespan * ticks_per_second + 0.5);
    for (const auto node : node_of) changes[node][0] = changes[node][end] = 0;
    for (const Interval& interval : timeline) {
      auto& of_node = changes[node_of[static_cast<std::size_t>(interval.rank)]];
      ++of_node[interval.start];
      --of_node[interval.end];
    }
    double expected = 0;
    for (const auto& [_, of_node] : changes) {
      Ticks since = 0;
      Index busy = 0;
      for (const auto& [time, change] : of_node) {
        RC_ASSERT(busy >= 0);
        RC_ASSERT(busy <= network.cores);
        const NodeWatts& takes = *network.watts;
        const double share = static_cast<double>(busy) / static_cast<double>(network.cores);
        expected +=
            seconds_of(time - since) *
            (busy == 0 ? takes.idle : takes.epsilon + share * (takes.all_cores - takes.epsilon));
        since = time;
        busy += change;
      }
    }
    RC_ASSERT(std::abs(*simulation.joules - expected) <= 1e-9 * (1 + expected));
  });
}

}  // namespace energy_test
