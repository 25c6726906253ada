// SPDX-License-Identifier: MIT

#include <filesystem>
#include <string>

#include "bracket/simulator/simgrid.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/file.hpp"
#include "bracket/support/text.hpp"
#include "simulator/by_hand.hpp"
#include "support/catch.hpp"
#include "support/scratch.hpp"

namespace platform_test {

using namespace bracket;
using Catch::Approx;
using Catch::Contains;
using testing::add_message;
using testing::by_hand;

namespace {

// Latency, gap and bandwidth come from the file: these figures must have no effect.
constexpr Machine machine{.latency = 1,
                          .overhead = 100e-9,
                          .gap = 1,
                          .gap_per_byte = 1,
                          .seconds_per_addition = 7e-9,
                          .value_bytes = 9};  // 8 after the first
constexpr double o = 100e-9;

constexpr const char* head =
    "<?xml version='1.0'?>\n"
    "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
    "<platform version=\"4.1\">\n";

Simulation on_file(const Schedule& schedule, const Machine& with,
                   const std::filesystem::path& file) {
  return replay_simgrid(Workload(schedule, with), with,
                        {.platform = {.kind = PlatformSpec::Kind::file, .written = file.string()}});
}

/// Simulates `schedule` on a platform file with `body` inside its platform element. The file
/// `events` beside it contains `events`.
Simulation on_platform(const Schedule& schedule, const std::string& body,
                       const Machine& with = machine, const std::string& events = "") {
  const testing::Scratch scratch;
  support::write_file(scratch.path() / "events", events);
  const auto file = scratch.path() / "platform.xml";
  support::write_file(file, head + body + "</platform>\n");
  return on_file(schedule, with, file);
}

/// Zone with full routing, with hosts by name and `rest`, which joins them.
std::string full_zone(const std::vector<std::string>& hosts, const std::string& rest,
                      int cores = 1) {
  std::string zone = "<zone id='zone' routing='Full'>";
  for (const std::string& host : hosts) {
    zone += text("<host id='", host, "' speed='1Gf' core='", cores, "'/>");
  }
  return zone + rest + "</zone>";
}

std::string link(const std::string& name, const std::string& latency, const std::string& bandwidth,
                 const std::string& policy = "SHARED") {
  return text("<link id='", name, "' latency='", latency, "' bandwidth='", bandwidth,
              "' sharing_policy='", policy, "'/>");
}

std::string route(const std::string& from, const std::string& to, const std::string& over) {
  return text("<route src='", from, "' dst='", to, "'><link_ctn id='", over, "'/></route>");
}

Schedule one_message(Rank ranks, Rank from, Rank to) {
  auto schedule = by_hand(ranks);
  add_message(schedule, from, to);
  return schedule;
}

}  // namespace

TEST_CASE("latency and bandwidth are the file's as written") {
  const auto simulation =
      on_platform(one_message(2, 1, 0),
                  full_zone({"a", "b"}, link("l", "3us", "2GBps") + route("a", "b", "l")));
  CHECK(simulation.makespan == Approx(o + 3e-6 + 8 / 2e9 + o));
  CHECK(simulation.finish[1] == Approx(o));
  CHECK(simulation.messages == 1);
}

TEST_CASE("no TCP window bounds the rate of a large message") {
  Machine large = machine;
  large.value_bytes = 1'000'000'000;
  const auto simulation =
      on_platform(one_message(2, 1, 0),
                  full_zone({"a", "b"}, link("l", "1ms", "1TBps") + route("a", "b", "l")), large);
  CHECK(simulation.makespan == Approx(o + 1e-3 + 1e-3 + o));
}

TEST_CASE("a route costs the latencies of all its links and its narrowest bandwidth") {
  const auto simulation = on_platform(
      one_message(2, 0, 1),
      full_zone({"a", "b"}, link("l", "3us", "2GBps") + link("m", "4us", "1GBps") +
                                "<route src='a' dst='b'><link_ctn id='l'/><link_ctn id='m'/>"
                                "</route>"));
  CHECK(simulation.makespan == Approx(o + 7e-6 + 8 / 1e9 + o));
}

TEST_CASE("two messages over one link") {
  auto schedule = by_hand(4);
  add_message(schedule, 1, 0);
  add_message(schedule, 3, 2);
  const auto platform = [](const std::string& policy) {
    return full_zone({"a", "b", "c", "d"}, link("trunk", "1us", "1GBps", policy) +
                                               route("a", "b", "trunk") + route("c", "d", "trunk"));
  };
  SECTION("share it") {
    CHECK(on_platform(schedule, platform("SHARED")).makespan == Approx(o + 1e-6 + 16 / 1e9 + o));
  }
  SECTION("do not if it is a fat pipe") {
    CHECK(on_platform(schedule, platform("FATPIPE")).makespan == Approx(o + 1e-6 + 8 / 1e9 + o));
  }
}

TEST_CASE("ranks fill the cores of the hosts in the order of the file") {
  const std::string hosts = full_zone({"z", "a", "m"},
                                      link("za", "1us", "1GBps") + link("zm", "2us", "1GBps") +
                                          link("am", "4us", "1GBps") + route("z", "a", "za") +
                                          route("z", "m", "zm") + route("a", "m", "am"),
                                      2);
  const auto latency = [&](Rank from, Rank to) {
    return on_platform(one_message(6, from, to), hosts).makespan - 2 * o;
  };
  CHECK(latency(0, 1) == Approx(0).margin(1e-15));
  CHECK(latency(1, 2) == Approx(1e-6 + 8e-9));
  CHECK(latency(4, 0) == Approx(2e-6 + 8e-9));
  CHECK(latency(3, 5) == Approx(4e-6 + 8e-9));
}

TEST_CASE("messages between ranks of one host") {
  const auto schedule = one_message(2, 1, 0);
  SECTION("cost only the overheads without a loopback") {
    CHECK(on_platform(schedule, full_zone({"a"}, "", 2)).makespan == Approx(2 * o));
  }
  SECTION("do not take the way out of a star and back") {
    const std::string cluster =
        "<cluster id='c' prefix='n' suffix='' radical='0-3' speed='1Gf' core='2' bw='1GBps' "
        "lat='1us'/>";
    CHECK(on_platform(schedule, cluster).makespan == Approx(2 * o));
    CHECK(on_platform(one_message(8, 2, 0), cluster).makespan == Approx(2 * o + 2e-6 + 8e-9));
  }
  SECTION("take a loopback") {
    CHECK(
        on_platform(schedule, full_zone({"a"}, link("l", "1us", "1GBps") + route("a", "a", "l"), 2))
            .makespan == Approx(2 * o + 1e-6 + 8e-9));
    CHECK(on_platform(schedule,
                      "<cluster id='c' prefix='n' suffix='' radical='0-3' speed='1Gf' core='2' "
                      "bw='1GBps' lat='1us' loopback_bw='4GBps' loopback_lat='5us'/>")
              .makespan == Approx(2 * o + 5e-6 + 2e-9));
  }
}

TEST_CASE("a torus") {
  // Ranks 0 and 1 are neighbours, 0 and 3 two links apart.
  const std::string torus =
      "<cluster id='c' prefix='n' suffix='' radical='0-3' speed='1Gf' bw='1GBps' lat='1us' "
      "topology='TORUS' topo_parameters='2,2'/>";
  CHECK(on_platform(one_message(4, 1, 0), torus).makespan == Approx(2 * o + 1e-6 + 8e-9));
  CHECK(on_platform(one_message(4, 3, 0), torus).makespan == Approx(2 * o + 2e-6 + 8e-9));
}

TEST_CASE("a platform may change with time") {
  // A transfer takes 1 us at the full rate.
  const auto changing = [](const Schedule& schedule, const std::string& profile,
                           const std::string& events) {
    const std::string link =
        text("<link id='l' latency='1us' bandwidth='8MBps' ", profile, "='events'/>");
    return on_platform(schedule, full_zone({"a", "b"}, link + route("a", "b", "l")), machine,
                       events);
  };
  const auto schedule = one_message(2, 1, 0);
  SECTION("without end") {
    const std::string halved = "PERIODICITY 1e-6\n0.0 4e6\n";
    CHECK(changing(schedule, "bandwidth_file", halved).makespan == Approx(2 * o + 1e-6 + 2e-6));
    auto circular = by_hand(2);
    circular.parts[0].recv(1, {{Partial(Range{1, 2})}});
    circular.parts[0].send(1, {{Partial(Range{0, 1})}});
    circular.parts[1].recv(0, {{Partial(Range{0, 1})}});
    circular.parts[1].send(0, {{Partial(Range{1, 2})}});
    CHECK_THROWS_WITH(changing(circular, "bandwidth_file", halved),
                      Contains("rank 0 waits forever"));
  }
  SECTION("and lose a link before a message leaves") {
    CHECK_THROWS_WITH(changing(schedule, "state_file", "5e-8 0\n"),
                      Contains("platform.xml") && Contains("link l is down"));
  }
  SECTION("and lose a message under way") {
    CHECK_THROWS_WITH(changing(schedule, "state_file", "1.5e-6 0\n"),
                      Contains("from rank 1 to rank 0 is lost"));
  }
}

TEST_CASE("a file that is no platform is refused by name") {
  const testing::Scratch scratch;
  const auto schedule = one_message(2, 1, 0);
  const auto refused = [&](const std::filesystem::path& file, const std::string& cause) {
    CHECK_THROWS_WITH(on_file(schedule, machine, file), Contains(file.string()) && Contains(cause));
  };
  const auto written = [&](const std::string& content) {
    const auto file = scratch.path() / "platform.xml";
    support::write_file(file, content);
    return file;
  };
  refused(scratch.path() / "nowhere.xml", "No such file");
  refused(scratch.path(), "is a directory");
  refused(written(""), "is empty");
  const auto library = scratch.path() / "platform.so";
  support::write_file(library, "anything");
  refused(library, "a platform in XML was expected");
  refused(written("hello\n"), "Unexpected character");
  refused(written(std::string(head) + "<zone id='z' routing='Full'>"), "Premature EOF");
  refused(written(std::string(head) + "</platform>"), "no hosts");
  refused(written(std::string(head) + "<zone id='z' routing='Full'/></platform>"), "no hosts");
  refused(written(head + full_zone({"a", "a"}, "") + "</platform>"), "second host named 'a'");
  refused(written(head + full_zone({"a", "b"}, route("a", "b", "l")) + "</platform>"),
          "Link not found: l");
  // The refused files do not affect the next simulation.
  CHECK(on_file(schedule, machine, written(head + full_zone({"a"}, "", 2) + "</platform>"))
            .messages == 1);
}

TEST_CASE("a latency that is none is refused with the route's name") {
  for (const std::string latency : {"NaNus", "infus"}) {
    CAPTURE(latency);
    const std::string slow = link("l", latency, "1GBps");
    CHECK_THROWS_WITH(
        on_platform(one_message(2, 1, 0), full_zone({"a", "b"}, slow + route("a", "b", "l"))),
        Contains("platform.xml: from host b to host a: the latency is "));
    CHECK_THROWS_WITH(
        on_platform(one_message(2, 1, 0), full_zone({"a"}, slow + route("a", "a", "l"), 2)),
        Contains("platform.xml: loopback of host a: the latency is "));
  }
}

TEST_CASE("ranks that do not fit are an error with both numbers") {
  CHECK_THROWS_WITH(on_platform(by_hand(7), full_zone({"a", "b", "c"}, "", 2)),
                    Contains("platform.xml") && Contains("6 core(s) on 3 node(s) for 7 ranks"));
}

TEST_CASE("hosts without a route are an error if a message needs it") {
  const auto zone = [](const std::string& routing) {
    return text("<zone id='z' routing='", routing,
                "'><host id='a' speed='1Gf'/><host id='b' speed='1Gf'/><host id='c' speed='1Gf'/>",
                link("l", "1us", "1GBps"), route("a", "b", "l"), "</zone>");
  };
  CHECK(on_platform(one_message(3, 1, 0), zone("Full")).messages == 1);
  for (const std::string routing : {"Full", "Floyd", "Dijkstra", "DijkstraCache"}) {
    CAPTURE(routing);
    CHECK_THROWS_WITH(on_platform(one_message(3, 2, 0), zone(routing)),
                      Contains("platform.xml") && Contains("oute from"));
  }
}

}  // namespace platform_test
