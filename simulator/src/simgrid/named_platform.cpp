// SPDX-License-Identifier: MIT

#include "simgrid/named_platform.hpp"

#include <simgrid/version.h>
#include <simgrid/s4u.hpp>

#include <functional>
#include <string>
#include <utility>

namespace bracket::simulator {

namespace s4u = simgrid::s4u;
using Hosts = std::vector<s4u::Host*>;

namespace {

constexpr auto both_ways = s4u::Link::SharingPolicy::SPLITDUPLEX;

#if SIMGRID_VERSION >= 40000
s4u::NetZone* add_star(const s4u::Engine& engine) {
  return engine.get_netzone_root()->add_netzone_star("cluster");
}
s4u::Host* add_host(s4u::NetZone& zone, const std::string& name) { return zone.add_host(name, 1); }
s4u::Link* add_link(s4u::NetZone& zone, const std::string& name, double bandwidth) {
  return zone.add_link(name, bandwidth);
}
void add_route(s4u::NetZone& zone, const s4u::Host* from, const s4u::Host* to,
               const std::vector<s4u::LinkInRoute>& links) {
  zone.add_route(from, to, links, false);
}
#else
s4u::NetZone* add_star(const s4u::Engine&) { return s4u::create_star_zone("cluster"); }
s4u::Host* add_host(s4u::NetZone& zone, const std::string& name) {
  return zone.create_host(name, 1);
}
s4u::Link* add_link(s4u::NetZone& zone, const std::string& name, double bandwidth) {
  return zone.create_link(name, bandwidth);
}
void add_route(s4u::NetZone& zone, const s4u::Host* from, const s4u::Host* to,
               const std::vector<s4u::LinkInRoute>& links) {
  const auto netpoint = [](const s4u::Host* host) {
    return host == nullptr ? nullptr : host->get_netpoint();
  };
  zone.add_route(netpoint(from), netpoint(to), nullptr, nullptr, links, false);
}
#endif

/// Makes the link of all messages inside nodes: one suffices, since they share no bandwidth.
s4u::Link* make_loopback(s4u::NetZone& zone, const LinkFigures& figures) {
  return add_link(zone, "loopback", figures.bandwidth)
      ->set_sharing_policy(s4u::Link::SharingPolicy::FATPIPE)
      ->set_latency(figures.latency)
      ->seal();
}

s4u::NetZone* make_star(const s4u::Engine& engine, const PlatformSpec& platform, Index nodes,
                        const LinkFigures& links, const std::optional<LinkFigures>& loopback,
                        Hosts& hosts) {
  s4u::NetZone* const zone = add_star(engine);
  std::vector<s4u::LinkInRoute> out;
  if (platform.kind == PlatformSpec::Kind::backbone) {
    out.emplace_back(add_link(*zone, "backbone", platform.bandwidth)->seal());
  }
  std::vector<s4u::LinkInRoute> inside;
  if (loopback) inside.emplace_back(make_loopback(*zone, *loopback));
  for (Index node = 0; node < nodes; ++node) {
    const std::string name = std::to_string(node);
    s4u::Host* const host = add_host(*zone, name)->seal();
    const auto link = [&](const char* direction) {
      return s4u::LinkInRoute(
          add_link(*zone, name + direction, links.bandwidth)->set_latency(links.latency)->seal());
    };
    out.insert(out.begin(), link(" out"));
    add_route(*zone, host, nullptr, out);
    out.erase(out.begin());
    add_route(*zone, nullptr, host, {link(" in")});
    if (!inside.empty()) add_route(*zone, host, host, inside);
    hosts.push_back(host);
  }
  return zone;
}

std::vector<unsigned> narrow(const std::vector<Index>& numbers) {
  return {numbers.begin(), numbers.end()};
}

s4u::NetZone* make_zone(const s4u::Engine& engine, const PlatformSpec& platform,
                        const LinkFigures& links, const std::optional<LinkFigures>& loopback,
                        Hosts& hosts) {
  const auto [bandwidth, latency] = links;
  const std::vector<unsigned> sizes = narrow(platform.sizes);
  const std::vector<unsigned> parallel = narrow(platform.parallel);
  const std::vector<unsigned long> dimensions(platform.sizes.begin(), platform.sizes.end());
  const auto levels = static_cast<unsigned>(sizes.size());
  const auto host = [&](s4u::NetZone* zone, const std::vector<unsigned long>&,
                        unsigned long id) -> s4u::Host* {
    hosts.push_back(add_host(*zone, std::to_string(id))->seal());
    return hosts.back();
  };
  std::function<s4u::Link*(s4u::NetZone*, const std::vector<unsigned long>&, unsigned long)> inside;
  if (loopback) {
    inside = [&, link = static_cast<s4u::Link*>(nullptr)](s4u::NetZone* zone, const auto&,
                                                          unsigned long) mutable {
      if (link == nullptr) link = make_loopback(*zone, *loopback);
      return link;
    };
  }
#if SIMGRID_VERSION >= 40000
  s4u::NetZone* const root = engine.get_netzone_root();
  s4u::NetZone* const zone =
      platform.kind == PlatformSpec::Kind::fat_tree
          ? root->add_netzone_fatTree("fat-tree", levels, sizes, narrow(platform.up), parallel,
                                      bandwidth, latency, both_ways)
      : platform.kind == PlatformSpec::Kind::dragonfly
          ? root->add_netzone_dragonfly("dragonfly", {sizes[0], parallel[0]},
                                        {sizes[1], parallel[1]}, {sizes[2], parallel[2]}, sizes[3],
                                        bandwidth, latency, both_ways)
          : root->add_netzone_torus("torus", dimensions, bandwidth, latency, both_ways);
  zone->set_host_cb(host);
  if (inside) zone->set_loopback_cb(inside);
  return zone;
#else
  static_cast<void>(engine);
  const s4u::ClusterCallbacks callbacks(
      [&](s4u::NetZone* zone, const auto& at, unsigned long id) {
        return std::pair<simgrid::kernel::routing::NetPoint*, simgrid::kernel::routing::NetPoint*>(
            host(zone, at, id)->get_netpoint(), nullptr);
      },
      inside, {});
  switch (platform.kind) {
    case PlatformSpec::Kind::fat_tree:
      return s4u::create_fatTree_zone("fat-tree", nullptr,
                                      {levels, sizes, narrow(platform.up), parallel}, callbacks,
                                      bandwidth, latency, both_ways);
    case PlatformSpec::Kind::dragonfly:
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

Hosts make_platform(const s4u::Engine& engine, const PlatformSpec& platform, Index nodes,
                    const LinkFigures& links, const std::optional<LinkFigures>& loopback) {
  Hosts hosts;
  s4u::NetZone* const zone = platform.nodes() == 0
                                 ? make_star(engine, platform, nodes, links, loopback, hosts)
                                 : make_zone(engine, platform, links, loopback, hosts);
  zone->seal();
  return hosts;
}

}  // namespace bracket::simulator
