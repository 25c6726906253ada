// SPDX-License-Identifier: MIT

#include "simgrid/flows.hpp"

#include <algorithm>

namespace bracket::simulator {

Flows::Link Flows::add_link(double bandwidth) {
  links_.emplace_back().bandwidth = bandwidth;
  return static_cast<Link>(links_.size() - 1);
}

Flows::Id Flows::begin(Ticks now, std::span<const Link> links, double bytes) {
  if (free_.empty()) {
    free_.push_back(static_cast<Id>(flows_.size()));
    flows_.emplace_back();
  }
  const Id id = free_.back();
  free_.pop_back();
  Flow& flow = flows_[id];
  flow.links.assign(links.begin(), links.end());
  flow.positions.clear();
  for (std::uint32_t i = 0; i < links.size(); ++i) {
    auto& uses = links_[links[i]].uses;
    flow.positions.push_back(static_cast<std::uint32_t>(uses.size()));
    uses.push_back({id, i});
  }
  flow.bytes = bytes;
  flow.since = now;
  flow.rate = 0;
  flow.end = never;
  flow.told = never;
  change(flow.links.front());
  return id;
}

void Flows::end(Id id) {
  Flow& flow = flows_[id];
  for (std::size_t i = 0; i < flow.links.size(); ++i) {
    auto& uses = links_[flow.links[i]].uses;
    const LinkUse last = uses.back();
    uses[flow.positions[i]] = last;
    flows_[last.flow].positions[last.position] = flow.positions[i];
    uses.pop_back();
    if (!uses.empty()) change(flow.links[i]);
  }
  flow.end = never;
  free_.push_back(id);
}

void Flows::change(Link link) {
  if (links_[link].changed) return;
  links_[link].changed = true;
  changed_.push_back(link);
}

/// Collects a link, the messages on it, the other links of those messages, and so on.
void Flows::collect(Ticks now, Link first) {
  nearby_links_.clear();
  nearby_flows_.clear();
  const auto add = [&](Link id) {
    LinkState& link = links_[id];
    link.changed = false;
    if (link.nearby) return;
    link.nearby = true;
    link.left = link.bandwidth;
    link.unserved = static_cast<std::uint32_t>(link.uses.size());
    nearby_links_.push_back(id);
  };
  add(first);
  for (std::size_t i = 0; i < nearby_links_.size(); ++i) {
    for (const LinkUse& use : links_[nearby_links_[i]].uses) {
      Flow& flow = flows_[use.flow];
      if (flow.nearby) continue;
      flow.nearby = true;
      flow.bytes = std::max(0.0, flow.bytes - flow.rate * seconds_of(now - flow.since));
      flow.since = now;
      nearby_flows_.push_back(use.flow);
      for (const Link link : flow.links) add(link);
    }
  }
}

/// Max-min fair sharing. The link with the lowest rate for each of its messages gives that rate to
/// them. Then comes the next such link, with the bandwidth that they leave. A link's rate only
/// grows in the process.
void Flows::share() {
  const auto higher = [](const Share& a, const Share& b) {
    return a.rate != b.rate ? a.rate > b.rate : a.link > b.link;
  };
  const auto share_of = [&](Link id) { return Share{links_[id].left / links_[id].unserved, id}; };
  shares_.clear();
  for (const Link id : nearby_links_) {
    links_[id].nearby = false;
    if (links_[id].unserved > 0) shares_.push_back(share_of(id));
  }
  std::make_heap(shares_.begin(), shares_.end(), higher);
  for (std::size_t unserved = nearby_flows_.size(); unserved > 0;) {
    std::pop_heap(shares_.begin(), shares_.end(), higher);
    const Share least = shares_.back();
    shares_.pop_back();
    const LinkState& link = links_[least.link];
    if (link.unserved == 0) continue;
    if (const Share now = share_of(least.link); now.rate > least.rate) {
      shares_.push_back(now);
      std::push_heap(shares_.begin(), shares_.end(), higher);
      continue;
    }
    for (const LinkUse& use : link.uses) {
      Flow& flow = flows_[use.flow];
      if (!flow.nearby) continue;
      flow.nearby = false;
      flow.new_rate = least.rate;
      --unserved;
      for (const Link other : flow.links) {
        links_[other].left = std::max(0.0, links_[other].left - least.rate);
        --links_[other].unserved;
      }
    }
  }
}

Ticks Flows::end_of_first(Ticks now) {
  Ticks first = never;
  for (const Id id : nearby_flows_) {
    Flow& flow = flows_[id];
    if (flow.rate != flow.new_rate) {
      flow.rate = flow.new_rate;
      flow.end = now + ticks_of(flow.bytes / flow.rate, "a message on its links");
    }
    first = std::min(first, flow.end);
  }
  return first;
}

}  // namespace bracket::simulator
