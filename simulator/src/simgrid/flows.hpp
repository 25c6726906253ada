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
/// SimGrid 3.32 would do it, but keeps the messages that are under way in a list which it searches
/// from end to end for each that ends: quadratic where many are under way at once.
class Flows {
 public:
  using Link = std::uint32_t;
  using Id = std::uint32_t;

  /// A link of so many bytes per second.
  Link add_link(double bandwidth);

  [[nodiscard]] double bandwidth(Link link) const { return links_[link].bandwidth; }

  /// A message of so many bytes, which may be a fraction, onto at least one link, none of them
  /// twice. It has no end before `settle`.
  Id begin(Ticks now, std::span<const Link> links, double bytes);

  /// Takes a message off its links. Its number is then another's.
  void end(Id flow);

  /// When a message ends if nothing changes.
  [[nodiscard]] Ticks end_of(Id flow) const { return flows_[flow].end; }

  /// Shares the links anew for those that share, over however many others, with what has begun or
  /// ended since. Of all that share with each other, `next` is called with those that end first,
  /// unless it has been called with that end: nothing changes for the others before.
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

  /// A message on a link: the position of the link among its own.
  struct Use {
    Id flow;
    std::uint32_t position;
  };

  struct LinkState {
    double bandwidth = 0;
    std::vector<Use> uses;
    bool nearby = false;
    bool changed = false;
    double left = 0;             // of the bandwidth, while it is shared out
    std::uint32_t unserved = 0;  // messages that have no rate yet
  };

  struct Flow {
    std::vector<Link> links;
    std::vector<std::uint32_t> positions;  // among each link's uses
    double bytes = 0;                      // left at `since`
    Ticks since = 0;
    double rate = 0;  // bytes per second
    double new_rate = 0;
    Ticks end = never;
    Ticks told = never;
    bool nearby = false;
  };

  /// What a link has for each message that has no rate yet.
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
  std::vector<Share> shares_;  // a heap, lowest first
};

}  // namespace bracket::simulator
