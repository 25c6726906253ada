// SPDX-License-Identifier: MIT

#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "bracket/simulator/workload.hpp"

namespace bracket::simulator {

/// Messages on links of given bandwidths, which they share as under SimGrid's CM02: max-min fair,
/// all messages alike (Bertsekas and Gallager 1992, section 6.5.2).
///
/// SimGrid 3.32 could do this, but it searches its whole list of messages under way whenever one
/// ends. That is quadratic where many messages are under way at once.
class Flows {
 public:
  using Link = std::uint32_t;
  using Id = std::uint32_t;

  /// Adds a link. `bandwidth` is in bytes per second.
  Link add_link(double bandwidth);

  [[nodiscard]] double bandwidth(Link link) const { return links_[link].bandwidth; }

  /// Puts a message of `bytes`, possibly fractional, on one or more different links. It has no end
  /// before `settle`.
  Id begin(Ticks now, std::span<const Link> links, double bytes);

  /// Takes a message off its links. Its number may then be reused.
  void end(Id flow);

  /// Time at which a message ends if nothing changes.
  [[nodiscard]] Ticks end_of(Id flow) const { return flows_[flow].end; }

  /// Shares the links again after messages have begun or ended, for all messages that share links,
  /// directly or through others. Of each connected set, `next` is called with the messages that end
  /// first, unless it has been called with that end: until then nothing changes for the others.
  template <class Next>
  void settle(Ticks now, Next&& next) {
    for (const Link link : changed_) {
      if (!links_[link].changed) continue;
      collect(now, link);
      share();
      const Ticks first = end_of_first(now);
      for (const Id id : nearby_flows_) {
        Flow& flow = flows_[id];
        if (flow.end != first || flow.told == first) continue;
        flow.told = first;
        next(id);
      }
    }
    changed_.clear();
  }

 private:
  static constexpr Ticks never = std::numeric_limits<Ticks>::max();

  /// A message on a link, and the link's position among the message's links.
  struct LinkUse {
    Id flow;
    std::uint32_t position;
  };

  struct LinkState {
    double bandwidth = 0;
    std::vector<LinkUse> uses;
    bool nearby = false;
    bool changed = false;
    double left = 0;             // unassigned bandwidth while it is shared out
    std::uint32_t unserved = 0;  // messages without a rate
  };

  struct Flow {
    std::vector<Link> links;
    std::vector<std::uint32_t> positions;  // in each link's uses
    double bytes = 0;                      // bytes left at `since`
    Ticks since = 0;
    double rate = 0;  // bytes per second
    double new_rate = 0;
    Ticks end = never;
    Ticks told = never;
    bool nearby = false;
  };

  /// Rate that a link offers to each message without a rate.
  struct Share {
    double rate;
    Link link;
  };

  void change(Link link);
  void collect(Ticks now, Link first);
  void share();
  Ticks end_of_first(Ticks now);

  std::vector<LinkState> links_;
  std::vector<Flow> flows_;
  std::vector<Id> free_;
  std::vector<Link> changed_;
  std::vector<Link> nearby_links_;
  std::vector<Id> nearby_flows_;
  std::vector<Share> shares_;  // heap, lowest first
};

}  // namespace bracket::simulator
