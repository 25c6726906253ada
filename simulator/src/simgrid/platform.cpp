// SPDX-License-Identifier: MIT

#include "simgrid/platform.hpp"

#include <simgrid/s4u.hpp>

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <unordered_set>

#include "bracket/support/error.hpp"
#include "bracket/support/file.hpp"
#include "bracket/support/text.hpp"
#include "simgrid/engine.hpp"
#include "simgrid/named_platform.hpp"

namespace bracket::simulator {

namespace s4u = simgrid::s4u;
using Links = std::vector<s4u::Link*>;

namespace {

constexpr const char* built_in = "__loopback__";  // a link of SimGrid's own

// Measured memory. A star's node is two links and a number of cores; a SimGrid host takes far more.
constexpr double bytes_of_star_node = 150;
constexpr double bytes_of_star_host = 3 * PlatformSpec::bytes_of_part;

// SimGrid requires a finite bandwidth. At this one, a message of any size takes no time.
double bandwidth_of(double gap_per_byte) { return gap_per_byte > 0 ? 1 / gap_per_byte : 1e30; }

// Some of SimGrid's routings crash if a route is missing. The last message then names the route.
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

/// Latency in ticks. Errors begin with the text from `route()`.
template <class Route>
Ticks latency_of(double seconds, Route&& route) {
  try {
    return ticks_of(seconds, "the latency");
  } catch (const Error& failure) {
    throw Error(text(route(), ": ", failure.what()));
  }
}

}  // namespace

void check_platform(const PlatformSpec& platform) {
  if (platform.kind != PlatformSpec::Kind::file) return platform.check_memory();
  const std::filesystem::path file = platform.written;
  // SimGrid would execute a shared library that is given as a platform.
  if (file.extension() == ".so")
    throw Error(text(file.string(), ": a platform in XML was expected"));
  std::error_code ignored;
  // A pipe can be read only once, and SimGrid must read it.
  if (std::filesystem::is_fifo(file, ignored)) return;
  if (support::read_file(file).empty()) throw Error(text(file.string(), ": is empty"));
  platform.check_memory();
}

Platform::Platform(const Network& network, const Machine& machine, Rank ranks, Moved moved)
    : spec_(network.platform) {
  if (constant()) {
    build(network, machine, ranks, moved);
  } else {
    load(network, machine, ranks, moved);
  }
}

void Platform::build(const Network& network, const Machine& machine, Rank ranks, Moved moved) {
  const bool is_replayed_star = is_star() && moved == Moved::by_replay;
  Index nodes = spec_.nodes();
  if (nodes == 0) {
    nodes = network.placement.nodes_for(ranks, network.cores);
    check_room(
        text(spec_.written, ": its ", nodes, " nodes"),
        static_cast<double>(nodes) * (is_replayed_star ? bytes_of_star_node : bytes_of_star_host));
  }
  place(network.placement, ranks,
        Nodes{std::vector(static_cast<std::size_t>(nodes), network.cores), {}});
  const double bandwidth = bandwidth_of(machine.gap_per_byte);
  latency_ = ticks_of(machine.latency, "the latency");
  const MessageCosts inside = machine.within_node();
  inside_node_ = {.latency = ticks_of(inside.latency, "the latency inside a node")};
  if (is_replayed_star) {
    backbone_ = static_cast<Flows::Link>(2 * nodes);
    for (Index link = 0; link < 2 * nodes; ++link) flows_.add_link(bandwidth);
    flows_.add_link(spec_.bandwidth);
  } else {
    engine_ = start_engine(machine, moved);
    // The replay itself keeps the time of messages inside a node.
    std::optional<LinkFigures> loopback;
    if (moved == Moved::by_smpi) loopback = {bandwidth_of(inside.gap_per_byte), inside.latency};
    hosts_ = make_platform(*engine_, spec_, nodes, {bandwidth, machine.latency / 2}, loopback);
    engine_->seal_platform();
    if (moved == Moved::by_smpi) set_factors_of_smpi(*engine_, machine);
  }
  if (network.watts) {
    power_.nodes.assign(static_cast<std::size_t>(nodes), {*network.watts, network.cores});
  }
  if (network.link_watts) power_.links = {*network.link_watts, link_count(nodes)};
}

std::size_t Platform::link_count(Index nodes) const {
  if (is_star()) {
    const auto out_and_in = static_cast<std::size_t>(2 * nodes);
    return spec_.kind == PlatformSpec::Kind::backbone ? out_and_in + 1 : out_and_in;
  }
  return engine_
      ->get_filtered_links([](const s4u::Link* link) { return link->get_name() != built_in; })
      .size();
}

void Platform::load(const Network& network, const Machine& machine, Rank ranks, Moved moved) {
  engine_ = start_engine(machine, moved);
  // SimGrid lists its hosts by name. It announces a host when the host is complete, and again when
  // its zone is.
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
  if (moved == Moved::by_replay) read_power();
}

void Platform::read_power() {
  power_.links = {*engine_, spec_.written};
  s4u::Link::on_bandwidth_change_cb([this](const s4u::Link& link) {
    if (power_.links.per_byte(link) == 0) return;
    throw Error(text(spec_.written, ": link ", excerpt(link.get_name()),
                     ": the energy of a link whose ", "bandwidth changes with time is not known"));
  });
  std::vector<NodePower> nodes(hosts_.size());
  const s4u::Host* with = nullptr;
  const s4u::Host* without = nullptr;
  for (const std::uint32_t node : node_of_) {
    const s4u::Host* const host = hosts_[node];
    const auto watts = watts_of(*host, spec_.written);
    (watts ? with : without) = host;
    if (watts) nodes[node] = {*watts, host->get_core_count()};
  }
  if (with == nullptr) return;
  if (without != nullptr) {
    throw Error(text(spec_.written, ": host ", excerpt(without->get_name()),
                     " has no wattage_per_state, ", "as host ", excerpt(with->get_name()),
                     " has: give it to all hosts with ranks, or to no host"));
  }
  power_.nodes = std::move(nodes);
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
  double joules = 0;
  if (power_.links.known()) {
    for (const auto link : links_) joules += power_.links.per_byte(flows_.bandwidth(link));
  }
  return {.latency = latency, .has_links = true, .links = links_, .joules_per_byte = joules};
}

Route Platform::route_of_file(s4u::Host* from, s4u::Host* to) {
  found_.clear();
  const double latency = find_route(from, to, found_);
  if (found_.empty() && !(latency > 0)) {
    throw Error(text(spec_.written, ": no route from host ", excerpt(from->get_name()), " to host ",
                     excerpt(to->get_name())));
  }
  for (const s4u::Link* const link : found_) {
    if (!link->is_on()) {
      throw Error(text(spec_.written, ": the link ", excerpt(link->get_name()), " is down"));
    }
  }
  const auto route = [&] {
    return text(spec_.written, ": from host ", excerpt(from->get_name()), " to host ",
                excerpt(to->get_name()));
  };
  return {.latency = latency_of(latency, route),
          .has_links = !found_.empty(),
          .joules_per_byte = joules_per_byte(found_)};
}

double Platform::joules_per_byte(const Links& links) const {
  double joules = 0;
  for (const s4u::Link* const link : links) joules += power_.links.per_byte(*link);
  return joules;
}

Route Platform::loopback(s4u::Host* host) const {
  Links links;
  const double latency = find_route(host, host, links);
  if (links.empty() || links.front()->get_name() == built_in) return {};
  // Without a loopback, a star sends a host's messages to itself out and back in.
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
  const auto route = [&] {
    return text(spec_.written, ": loopback of host ", excerpt(host->get_name()));
  };
  return {.latency = latency_of(latency, route),
          .has_links = true,
          .joules_per_byte = joules_per_byte(links)};
}

}  // namespace bracket::simulator
