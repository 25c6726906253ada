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
#include "named_platform.hpp"

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

// SimGrid wants a finite bandwidth; a message of any size takes no time at this one.
double bandwidth_of(double gap_per_byte) { return gap_per_byte > 0 ? 1 / gap_per_byte : 1e30; }

}  // namespace

Platform::Platform(const Network& network, const Machine& machine, Rank ranks)
    : spec_(network.platform) {
  if (constant()) {
    build(network, machine, ranks);
  } else {
    load(network, ranks);
  }
}

void Platform::build(const Network& network, const Machine& machine, Rank ranks) {
  const Index nodes =
      spec_.nodes() > 0 ? spec_.nodes() : network.placement.nodes_for(ranks, network.cores);
  place(network.placement, ranks,
        Nodes{std::vector(static_cast<std::size_t>(nodes), network.cores), {}});
  const double bandwidth = bandwidth_of(machine.gap_per_byte);
  latency_ = ticks_of(machine.latency, "the latency");
  const MessageCosts inside = machine.within_node();
  inside_node_ = {.latency = ticks_of(inside.latency, "the latency inside a node"),
                  .bandwidth = bandwidth_of(inside.gap_per_byte)};
  if (is_star()) {
    backbone_ = static_cast<Flows::Link>(2 * nodes);
    for (Index link = 0; link < 2 * nodes; ++link) flows_.add_link(bandwidth);
    flows_.add_link(spec_.bandwidth);
  } else {
    engine_ = start_engine();
    hosts_ = make_platform(*engine_, spec_, bandwidth, machine.latency / 2);
    engine_->seal_platform();
  }
}

void Platform::load(const Network& network, Rank ranks) {
  engine_ = start_engine();
  // SimGrid lists its hosts by name, and announces one whenever it or its zone is complete.
  s4u::Host::on_creation_cb(
      [this, known = std::unordered_set<s4u::Host*>()](s4u::Host& host) mutable {
        if (known.insert(&host).second) hosts_.push_back(&host);
      });
  engine_->load_platform(spec_.written);
  if (hosts_.empty()) throw Error(text(spec_.written, ": the platform has no hosts"));
  engine_->seal_platform();
  std::signal(SIGSEGV, name_route);
  Nodes nodes;
  for (const s4u::Host* const host : hosts_) {
    nodes.cores.push_back(host->get_core_count());
    nodes.names.push_back(host->get_name());
  }
  place(network.placement, ranks, nodes);
}

void Platform::place(const Placement& placement, Rank ranks, const Nodes& nodes) {
  try {
    node_of_ = placement.place(ranks, nodes);
  } catch (const Error& error) {
    throw Error(text(spec_.written, ": ", error.what()));
  }
}

Route Platform::route(Rank from, Rank to) {
  if (constant()) return route_by_name(node(from), node(to));
  s4u::Host* const source = host(from);
  s4u::Host* const target = host(to);
  if (source != target) return route_of_file(source, target);
  const auto [known, is_new] = loopbacks_.try_emplace(source);
  if (is_new) known->second = loopback(source);
  return known->second;
}

Route Platform::route_by_name(std::uint32_t from, std::uint32_t to) {
  if (from == to) return inside_node_;
  links_.clear();
  Ticks latency = latency_;
  if (is_star()) {
    links_.push_back(2 * from);
    if (spec_.kind == PlatformSpec::Kind::backbone) {
      links_.push_back(backbone_);
    }
    links_.push_back(2 * to + 1);
  } else {
    found_.clear();
    latency = ticks_of(find_route(hosts_[from], hosts_[to], found_), "a route's latency");
    for (s4u::Link* const link : found_) {
      auto number = reinterpret_cast<std::uintptr_t>(link->get_data<void>());
      if (number == 0) {
        number = std::uintptr_t{1} + flows_.add_link(link->get_bandwidth());
        link->set_data(reinterpret_cast<void*>(number));
      }
      links_.push_back(static_cast<Flows::Link>(number - 1));
    }
  }
  return {.latency = latency, .has_links = true, .links = links_};
}

Route Platform::route_of_file(s4u::Host* from, s4u::Host* to) {
  found_.clear();
  const double latency = find_route(from, to, found_);
  if (found_.empty() && !(latency > 0)) {
    throw Error(text(spec_.written, ": no route from host ", from->get_name(), " to host ",
                     to->get_name()));
  }
  for (const s4u::Link* const link : found_) {
    if (!link->is_on()) {
      throw Error(text(spec_.written, ": the link ", link->get_name(), " is down"));
    }
  }
  return {.latency = ticks_of(latency, "a route's latency"), .has_links = !found_.empty()};
}

Route Platform::loopback(s4u::Host* host) const {
  Links links;
  const double latency = find_route(host, host, links);
  if (links.empty() || links.front()->get_name() == "__loopback__") return {};
  // A star sends a host's messages to itself out and back in again if it has no loopback.
  const auto other = std::find_if(hosts_.begin(), hosts_.end(), [&](const s4u::Host* candidate) {
    return candidate != host && candidate->get_englobing_zone() == host->get_englobing_zone();
  });
  if (other != hosts_.end()) {
    Links out;
    find_route(host, *other, out);
    const bool leaves = std::any_of(links.begin(), links.end(), [&](const s4u::Link* link) {
      return std::find(out.begin(), out.end(), link) != out.end();
    });
    if (leaves) return {};
  }
  return {.latency = ticks_of(latency, "a loopback's latency"), .has_links = true};
}

}  // namespace bracket::simulator
