// SPDX-License-Identifier: MIT

#include "simgrid/energy.hpp"

#include <simgrid/s4u.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

namespace bracket::simulator {

namespace s4u = simgrid::s4u;

namespace {

constexpr const char* of_host = "wattage_per_state";
constexpr const char* of_link = "wattage_range";

/// The property of a link. The two links that SimGrid makes of a SPLITDUPLEX link do not have it;
/// the SPLITDUPLEX link does.
const char* property_of(const s4u::Engine& engine, const s4u::Link& link) {
  const char* const own = link.get_property(of_link);
  if (own != nullptr) return own;
  const std::string& name = link.get_name();
  for (const std::string direction : {"_UP", "_DOWN"}) {
    if (!name.ends_with(direction)) continue;
    try {
      return engine.split_duplex_link_by_name(name.substr(0, name.size() - direction.size()))
          ->get_property(of_link);
    } catch (const std::invalid_argument&) {  // the name only looks like one of a SPLITDUPLEX link
    }
  }
  return nullptr;
}

template <class Parse>
auto parse_property(const std::string& file, const char* kind, const std::string& name,
                    const char* property, Parse&& parse) {
  try {
    return parse();
  } catch (const Error& error) {
    throw Error(text(file, ": ", kind, " ", excerpt(name), ": ", property, " ", error.what()));
  }
}

}  // namespace

LinkPower::LinkPower(const LinkWatts& each, std::size_t links)
    : known_(true), idle_(each.idle * static_cast<double>(links)), more_(each.busy - each.idle) {}

LinkPower::LinkPower(const s4u::Engine& engine, const std::string& file) {
  for (const s4u::Link* const link : engine.get_all_links()) {
    const char* const property = property_of(engine, *link);
    if (property == nullptr) continue;
    const LinkWatts watts = parse_property(file, "link", link->get_name(), of_link, [&] {
      if (link->get_sharing_policy() != s4u::Link::SharingPolicy::SHARED) {
        throw Error(text("'", excerpt(property), "' requires a link that messages share"));
      }
      return LinkWatts::parse(property);
    });
    known_ = true;
    idle_ += watts.idle;
    more_of_[link] = watts.busy - watts.idle;
  }
}

double LinkPower::per_byte(const s4u::Link& link) const {
  const auto found = more_of_.find(&link);
  return found == more_of_.end() ? 0 : found->second / link.get_bandwidth();
}

std::optional<NodeWatts> watts_of(const s4u::Host& host, const std::string& file) {
  const char* const property = host.get_property(of_host);
  if (property == nullptr) return {};
  return parse_property(file, "host", host.get_name(), of_host, [&] {
    std::vector<std::string> states(1);
    for (const char* at = property; *at != '\0'; ++at) {
      if (*at == ',') {
        states.emplace_back();
      } else {
        states.back() += *at;
      }
    }
    if (states.size() != host.get_pstate_count()) {
      throw Error(text("'", excerpt(property), "': ", states.size(), " of the host's ",
                       host.get_pstate_count(), " states, with a comma between them"));
    }
    return NodeWatts::parse(states[host.get_pstate()]);
  });
}

Energy::Energy(const Power& power, std::span<const std::uint32_t> node_of)
    : power_(power), node_of_(node_of), nodes_(power.nodes.size()) {
  if (nodes_.empty()) return;
  for (const std::uint32_t node : node_of) nodes_[node].has_ranks = true;
}

void Energy::compute(std::uint32_t rank, Ticks from, Ticks to) {
  if (nodes_.empty()) return;
  Node& node = nodes_[node_of_[rank]];
  node.all += seconds_of(to - from);
  from = std::max(from, node.until);
  if (to <= from) return;
  node.any += to - from;
  node.until = to;
}

double Energy::joules(double makespan) const {
  double all = carried_ + power_.links.idle() * makespan;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const Node& node = nodes_[i];
    const auto& [watts, cores] = power_.nodes[i];
    if (!node.has_ranks) continue;
    all += watts.idle * makespan + (watts.epsilon - watts.idle) * seconds_of(node.any) +
           (watts.all_cores - watts.epsilon) * node.all / static_cast<double>(cores);
  }
  if (!std::isfinite(all)) throw Error("the energy is more joules than a number has");
  return all;
}

}  // namespace bracket::simulator
