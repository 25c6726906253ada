// SPDX-License-Identifier: MIT

#include <simgrid/plugins/energy.h>
#include <simgrid/version.h>
#include <simgrid/s4u.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "bracket/simulator/simgrid.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/file.hpp"
#include "bracket/support/text.hpp"
#include "simgrid/child_process.hpp"
#include "simulator/by_hand.hpp"
#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"
#include "support/scratch.hpp"

namespace energy_plugin_test {

using namespace bracket;
namespace s4u = simgrid::s4u;
using Kind = Workload::Kind;

namespace {

constexpr double flops_per_second = 1e9;

/// Hosts of `cores` cores with random watts; a host's messages in and out share its link. SimGrid
/// 3.32 does not notice that a message becomes faster if another one ends on a link that the two do
/// not share. So links have watts only if all messages share all links.
std::string star(Index hosts, Index cores) {
  std::string zone;
  for (Index i = 0; i < hosts; ++i) {
    const int idle = *rc::gen::inRange(0, 50);
    const int epsilon = idle + *rc::gen::inRange(0, 50);
    const int all = epsilon + *rc::gen::inRange(0, 200);
    zone += text("<host id='h", i, "' speed='1Gf' core='", cores,
                 "'><prop id='wattage_per_state' value='", idle, ":", epsilon, ":", all,
                 "'/></host><link id='l", i, "' latency='0' bandwidth='", *rc::gen::inRange(1, 5),
                 "MBps'>");
    if (hosts == 2) {
      const int link_idle = *rc::gen::inRange(0, 5);
      const int link_busy = link_idle + *rc::gen::inRange(0, 100);
      zone += text("<prop id='wattage_range' value='", link_idle, ":", link_busy, "'/>");
    }
    zone += "</link>";
  }
  for (Index i = 0; i < hosts; ++i) {
    for (Index j = i + 1; j < hosts; ++j) {
      zone += text("<route src='h", i, "' dst='h", j, "'><link_ctn id='l", i, "'/><link_ctn id='l",
                   j, "'/></route>");
    }
  }
  return text(
      "<?xml version='1.0'?>\n"
      "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
      "<platform version=\"4.1\"><zone id='z' routing='Full'>",
      zone, "</zone></platform>\n");
}

/// Joules by SimGrid's plugins for actors that follow the timeline: they execute while a processor
/// was busy, and send when a message left.
double by_plugins(const std::string& file, const Timeline& timeline,
                  const std::vector<std::uint32_t>& node_of, double makespan) {
  const std::string answer = simulator::in_child_process(file, [&] {
    sg_host_energy_plugin_init();
    std::vector<std::string> words {
      "test", "--log=root.thres:error", "--cfg=network/model:CM02", "--cfg=network/crosstraffic:0",
#if SIMGRID_VERSION >= 33400
          "--cfg=precision/timing:1e-9"
    };
#else
                                   "--cfg=surf/precision:1e-9"};
#endif
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    int argc = static_cast<int>(words.size());
    auto* const engine = new s4u::Engine(&argc, argv.data());  // ends with the process
    sg_link_energy_plugin_init();
    engine->load_platform(file);
    const auto host = [&](Rank rank) {
      return engine->host_by_name(text("h", node_of[static_cast<std::size_t>(rank)]));
    };
    for (Rank rank = 0; rank < static_cast<Rank>(node_of.size()); ++rank) {
      s4u::Actor::init(text("rank ", rank), host(rank))->start([&, rank] {
        for (const Interval& interval : timeline) {
          if (interval.rank != rank || interval.end == interval.start) continue;
          s4u::this_actor::sleep_until(seconds_of(interval.start));
          s4u::this_actor::execute(seconds_of(interval.end - interval.start) * flops_per_second);
        }
        s4u::this_actor::sleep_until(makespan);
      });
    }
    for (const Interval& interval : timeline) {
      s4u::Host* const from = host(interval.rank);
      s4u::Host* const to = host(interval.peer);
      if (interval.kind != Kind::send || from == to) continue;
      s4u::Actor::init("message", from)->start([interval, from, to] {
        s4u::this_actor::sleep_until(seconds_of(interval.end));
        s4u::Comm::sendto(from, to, interval.bytes);
      });
    }
    engine->run();
    double joules = 0;
    for (const s4u::Host* each : engine->get_all_hosts()) {
      const bool has_ranks = std::any_of(node_of.begin(), node_of.end(), [&](std::uint32_t node) {
        return text("h", node) == each->get_name();
      });
      if (has_ranks) joules += sg_host_get_consumed_energy(each);
    }
    for (const s4u::Link* each : engine->get_all_links()) {
      joules += sg_link_get_consumed_energy(each);
    }
    return std::string(reinterpret_cast<const char*>(&joules), sizeof joules);
  });
  double joules = 0;
  REQUIRE(answer.size() == sizeof joules);
  std::memcpy(&joules, answer.data(), sizeof joules);
  return joules;
}

}  // namespace

TEST_CASE("energy is what SimGrid's own plugins say of the same work and messages") {
  testing::property("plugins", [] {
    const bool two_hosts = *rc::gen::arbitrary<bool>();
    const auto distribution = *testing::any_distribution(300, two_hosts ? 6 : 10);
    const auto plan = *rc::gen::element<std::string>("direct", "buffered", "gather", "butterfly");
    const auto schedule = testing::tree_schedule(distribution, plan, *testing::any_delivery());
    const Machine machine{.latency = 0,
                          .overhead = *rc::gen::inRange(0, 4) * 0.25,
                          .gap = 0,
                          .gap_per_byte = 0,
                          .seconds_per_addition = *rc::gen::inRange(0, 4) * 0.125,
                          .value_bytes = 1'000'000};
    const auto cores = two_hosts ? 3 : *rc::gen::inRange<Index>(1, 4);
    const Index hosts =
        two_hosts ? 2 : (distribution.ranks() + cores - 1) / cores + *rc::gen::inRange(0, 2);
    const testing::Scratch scratch;
    const auto file = (scratch.path() / "star.xml").string();
    support::write_file(file, star(hosts, cores));
    Timeline timeline;
    const auto simulation = replay_simgrid(Workload(schedule, machine), machine,
                                           {.platform = PlatformSpec::parse(file)}, &timeline);
    std::vector<std::uint32_t> node_of;
    for (Rank rank = 0; rank < distribution.ranks(); ++rank) {
      node_of.push_back(static_cast<std::uint32_t>(rank / cores));
    }
    const double expected = by_plugins(file, timeline, node_of, simulation.makespan);
    RC_ASSERT(std::abs(*simulation.joules - expected) <= 1e-6 * (1 + expected));
  });
}

}  // namespace energy_plugin_test
