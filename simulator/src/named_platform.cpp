#include "named_platform.hpp"

#include <simgrid/version.h>
#include <simgrid/s4u.hpp>

#include <string>

namespace bracket::simulator {

namespace s4u = simgrid::s4u;
using Kind = PlatformSpec::Kind;
using Hosts = std::vector<s4u::Host*>;

namespace {

constexpr auto both_ways = s4u::Link::SharingPolicy::SPLITDUPLEX;

s4u::Host* add_host(s4u::NetZone& zone, const std::string& name) {
#if SIMGRID_VERSION >= 40000
  return zone.add_host(name, 1);
#else
  return zone.create_host(name, 1);
#endif
}

std::vector<unsigned> narrow(const std::vector<Index>& numbers) {
  return {numbers.begin(), numbers.end()};
}

s4u::NetZone* make_zone(const s4u::Engine& engine, const PlatformSpec& platform, double bandwidth,
                        double latency, Hosts& hosts) {
  const std::vector<unsigned> sizes = narrow(platform.sizes);
  const std::vector<unsigned> parallel = narrow(platform.parallel);
  const std::vector<unsigned long> dimensions(platform.sizes.begin(), platform.sizes.end());
  const auto levels = static_cast<unsigned>(sizes.size());
  const auto host = [&](s4u::NetZone* zone, const std::vector<unsigned long>&,
                        unsigned long id) -> s4u::Host* {
    hosts.push_back(add_host(*zone, std::to_string(id))->seal());
    return hosts.back();
  };
#if SIMGRID_VERSION >= 40000
  s4u::NetZone* const root = engine.get_netzone_root();
  s4u::NetZone* const zone =
      platform.kind == Kind::fat_tree
          ? root->add_netzone_fatTree("fat-tree", levels, sizes, narrow(platform.up), parallel,
                                      bandwidth, latency, both_ways)
      : platform.kind == Kind::dragonfly
          ? root->add_netzone_dragonfly("dragonfly", {sizes[0], parallel[0]},
                                        {sizes[1], parallel[1]}, {sizes[2], parallel[2]}, sizes[3],
                                        bandwidth, latency, both_ways)
          : root->add_netzone_torus("torus", dimensions, bandwidth, latency, both_ways);
  zone->set_host_cb(host);
  return zone;
#else
  static_cast<void>(engine);
  const s4u::ClusterCallbacks callbacks([&](s4u::NetZone* zone, const auto& at, unsigned long id) {
    return std::pair<simgrid::kernel::routing::NetPoint*, simgrid::kernel::routing::NetPoint*>(
        host(zone, at, id)->get_netpoint(), nullptr);
  });
  switch (platform.kind) {
    case Kind::fat_tree:
      return s4u::create_fatTree_zone("fat-tree", nullptr,
                                      {levels, sizes, narrow(platform.up), parallel}, callbacks,
                                      bandwidth, latency, both_ways);
    case Kind::dragonfly:
      return s4u::create_dragonfly_zone(
          "dragonfly", nullptr,
          {{sizes[0], parallel[0]}, {sizes[1], parallel[1]}, {sizes[2], parallel[2]}, sizes[3]},
          callbacks, bandwidth, latency, both_ways);
    default:
      return s4u::create_torus_zone("torus", nullptr, dimensions, callbacks, bandwidth, latency,
                                    both_ways);
  }
#endif
}

}  // namespace

Hosts make_platform(const s4u::Engine& engine, const PlatformSpec& platform, double bandwidth,
                    double latency) {
  Hosts hosts;
  make_zone(engine, platform, bandwidth, latency, hosts)->seal();
  return hosts;
}

}  // namespace bracket::simulator
