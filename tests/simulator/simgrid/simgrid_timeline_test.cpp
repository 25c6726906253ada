// SPDX-License-Identifier: MIT

#include <map>

#include "bracket/simulator/simgrid.hpp"
#include "bracket/support/file.hpp"
#include "simulator/by_hand.hpp"
#include "support/catch.hpp"
#include "support/scratch.hpp"

namespace simgrid_timeline_test {

using namespace bracket;
using Kind = Workload::Kind;

namespace {

constexpr Machine machine{.latency = 1000e-12,
                          .overhead = 100e-12,
                          .gap = 0,
                          .gap_per_byte = 3e-12,
                          .seconds_per_addition = 50e-12};

/// Seven hosts that share one link of 1 ns.
constexpr const char* one_link =
    "<?xml version='1.0'?>\n"
    "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
    "<platform version=\"4.1\"><cluster id='c' prefix='n' suffix='' radical='0-6' speed='1Gf' "
    "bw='1TBps' lat='0s' bb_bw='100GBps' bb_lat='1ns'/></platform>\n";

}  // namespace

TEST_CASE("SimGrid's timeline has all that keeps the processors, one thing at a time") {
  const testing::Scratch scratch;
  const auto file = (scratch.path() / "one_link.xml").string();
  support::write_file(file, one_link);
  const Workload workload(
      testing::tree_schedule(make_distribution("upper", 100, 7), "buffered", Delivery::to_all()),
      machine);
  for (const std::string& platform : {std::string("cluster"), file}) {
    CAPTURE(platform);
    Timeline timeline(3);  // from an earlier simulation
    const Simulation simulation =
        replay_simgrid(workload, machine, {.platform = PlatformSpec::parse(platform)}, &timeline);
    CHECK(simulation ==
          replay_simgrid(workload, machine, {.platform = PlatformSpec::parse(platform)}));
    CHECK(timeline.size() == workload.operations().size());
    std::vector<Ticks> free(7, 0);
    std::map<std::uint32_t, Ticks> sent;
    Ticks before = 0;
    for (const Interval& interval : timeline) {
      CHECK(interval.start >= before);
      before = interval.start;
      Ticks& rank = free[static_cast<std::size_t>(interval.rank)];
      CHECK(interval.start >= rank);
      rank = interval.end;
      if (interval.kind == Kind::compute) {
        CHECK(interval.end > interval.start);
        continue;
      }
      CHECK(interval.end == interval.start + 100);
      CHECK(interval.bytes % 8 == 0);
      if (interval.kind == Kind::send) {
        CHECK(sent.emplace(interval.send, interval.end).second);
      } else {
        REQUIRE(sent.count(interval.send) == 1);
        CHECK(interval.start >= sent[interval.send] + 1000);
        sent.erase(interval.send);
      }
    }
    CHECK(sent.empty());
    for (std::size_t rank = 0; rank < free.size(); ++rank) {
      CHECK(seconds_of(free[rank]) == simulation.finish[rank]);
    }
  }
}

}  // namespace simgrid_timeline_test
