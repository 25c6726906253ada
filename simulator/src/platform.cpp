#include "platform.hpp"

#include <simgrid/version.h>
#include <simgrid/s4u.hpp>

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <string>
#include <unordered_set>

#include "bracket/model/error.hpp"

namespace bracket::simulator {

namespace s4u = simgrid::s4u;
using Links = std::vector<s4u::Link*>;

namespace {

constexpr const char* settings[] = {
    // Only what goes wrong, and of that only the words.
    "--log=root.thres:error",
    "--log=root.fmt:%m%n",
    "--log=no_loc",
    // Latency and bandwidth are what the platform says they are: no factors, no acknowledgements
    // that take bandwidth, no rate bounded by a TCP window over the round trip.
    "--cfg=network/model:CM02",
    "--cfg=network/crosstraffic:0",
    "--cfg=network/TCP-gamma:1e100",
    // The replay waits for the latency itself: SimGrid looks a message that ends up in the list of
    // all that are under way, those that wait for their latency among them.
    "--cfg=network/latency-factor:0",
#if SIMGRID_VERSION >= 33400
    "--cfg=precision/timing:1e-12",
#else
    "--cfg=surf/precision:1e-12",
#endif
};

s4u::Engine* start_engine() {
  std::vector<std::string> arguments{"bracket"};
  arguments.insert(arguments.end(), std::begin(settings), std::end(settings));
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  int argc = static_cast<int>(arguments.size());
  // SimGrid's engine ends with the process.
  return new s4u::Engine(&argc, argv.data());
}

#if SIMGRID_VERSION >= 40000
s4u::NetZone* add_star(const s4u::Engine& engine) {
  return engine.get_netzone_root()->add_netzone_star("cluster");
}
s4u::Host* add_host(s4u::NetZone& zone, const std::string& name) { return zone.add_host(name, 1); }
s4u::Link* add_link(s4u::NetZone& zone, const std::string& name, double bandwidth) {
  return zone.add_link(name, bandwidth);
}
void add_route(s4u::NetZone& zone, const s4u::Host* from, const s4u::Host* to,
               const s4u::Link* link) {
  zone.add_route(from, to, {s4u::LinkInRoute(link)}, false);
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
               const s4u::Link* link) {
  const auto netpoint = [](const s4u::Host* host) {
    return host == nullptr ? nullptr : host->get_netpoint();
  };
  zone.add_route(netpoint(from), netpoint(to), nullptr, nullptr, {s4u::LinkInRoute(link)}, false);
}
#endif

// Some of SimGrid's routings crash where a route is missing. Its last words then say which.
const s4u::Host* route_source = nullptr;
const s4u::Host* route_target = nullptr;

void name_route(int signal) {
  const auto say = [](const char* words) {
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, words, std::strlen(words));
  };
  if (route_source != nullptr) {
    say("while it looked for the route from host ");
    say(route_source->get_cname());
    say(" to host ");
    say(route_target->get_cname());
  }
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

double find_route(s4u::Host* from, s4u::Host* to, Links& links) {
  double latency = 0;
  route_source = from;
  route_target = to;
  from->route_to(to, links, &latency);
  route_source = nullptr;
  return latency;
}

}  // namespace

Platform::Platform(const Machine& machine, Rank ranks) : engine_(start_engine()) {
  s4u::NetZone* const zone = add_star(*engine_);
  // SimGrid wants a finite bandwidth; a message of any size takes no time at this one.
  const double bandwidth = machine.gap_per_byte > 0 ? 1 / machine.gap_per_byte : 1e30;
  for (Rank rank = 0; rank < ranks; ++rank) {
    const std::string name = std::to_string(rank);
    s4u::Host* const host = add_host(*zone, name)->seal();
    const auto link = [&](const char* direction) {
      return add_link(*zone, name + direction, bandwidth)->set_latency(machine.latency / 2)->seal();
    };
    add_route(*zone, host, nullptr, link(" out"));
    add_route(*zone, nullptr, host, link(" in"));
    hosts_.push_back(host);
  }
  zone->seal();
  engine_->seal_platform();
}

Platform::Platform(const std::filesystem::path& file, Rank ranks)
    : engine_(start_engine()), name_(file.string()) {
  // SimGrid lists its hosts by name, and announces one whenever it or its zone is complete.
  s4u::Host::on_creation_cb(
      [this, known = std::unordered_set<s4u::Host*>()](s4u::Host& host) mutable {
        if (known.insert(&host).second) listed_.push_back(&host);
      });
  engine_->load_platform(file.string());
  if (listed_.empty()) throw Error(text(name_, ": the platform has no hosts"));
  engine_->seal_platform();
  std::signal(SIGSEGV, name_route);
  const auto wanted = static_cast<std::size_t>(ranks);
  std::size_t cores = 0;
  for (s4u::Host* const host : listed_) {
    const auto here = static_cast<std::size_t>(host->get_core_count());
    hosts_.insert(hosts_.end(), std::min(here, wanted - hosts_.size()), host);
    cores += here;
  }
  if (hosts_.size() < wanted) {
    throw Error(
        text(name_, ": ", cores, " core(s) on ", listed_.size(), " host(s) for ", ranks, " ranks"));
  }
}

Route Platform::route(Rank from, Rank to) {
  s4u::Host* const source = host(from);
  s4u::Host* const target = host(to);
  if (source == target) {
    const auto [known, is_new] = loopbacks_.try_emplace(source);
    if (is_new) known->second = loopback(source);
    return known->second;
  }
  Links links;
  Route route;
  route.latency = find_route(source, target, links);
  if (links.empty() && !(route.latency > 0)) {
    throw Error(
        text(name_, ": no route from host ", source->get_name(), " to host ", target->get_name()));
  }
  for (const s4u::Link* const link : links) {
    if (!link->is_on()) throw Error(text(name_, ": the link ", link->get_name(), " is down"));
  }
  route.has_links = !links.empty();
  return route;
}

Route Platform::loopback(s4u::Host* host) const {
  Links links;
  Route route;
  route.latency = find_route(host, host, links);
  if (links.empty() || links.front()->get_name() == "__loopback__") return {};
  // A star sends a host's messages to itself out and back in again if it has no loopback.
  const auto other = std::find_if(listed_.begin(), listed_.end(), [&](const s4u::Host* candidate) {
    return candidate != host && candidate->get_englobing_zone() == host->get_englobing_zone();
  });
  if (other != listed_.end()) {
    Links out;
    find_route(host, *other, out);
    const bool leaves = std::any_of(links.begin(), links.end(), [&](const s4u::Link* link) {
      return std::find(out.begin(), out.end(), link) != out.end();
    });
    if (leaves) return {};
  }
  route.has_links = true;
  return route;
}

}  // namespace bracket::simulator
