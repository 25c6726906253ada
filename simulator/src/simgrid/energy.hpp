// SPDX-License-Identifier: MIT

#pragma once

#include <simgrid/forward.h>

#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "bracket/simulator/watts.hpp"
#include "bracket/simulator/workload.hpp"

namespace bracket::simulator {

/// Power of a node that has ranks.
struct NodePower {
  NodeWatts watts{};
  Index cores = 1;
};

/// Power of the links of a platform.
class LinkPower {
 public:
  /// Unknown power.
  LinkPower() = default;

  /// Power of `links` links that all take the same.
  LinkPower(const LinkWatts& each, std::size_t links);

  /// Reads the property `wattage_range` of each link, for a SPLITDUPLEX link in each direction. A
  /// link without the property takes no power. Throws `Error` naming `file` and the link if the
  /// property is not valid, or if messages do not share the link.
  LinkPower(const simgrid::s4u::Engine& engine, const std::string& file);

  [[nodiscard]] bool known() const { return known_; }
  [[nodiscard]] double idle() const { return idle_; }  ///< watts of all links

  /// Joules per byte on top of the idle power, if all links take the same.
  [[nodiscard]] double per_byte(double bandwidth) const { return more_ / bandwidth; }

  /// Same, for one link from a file.
  [[nodiscard]] double per_byte(const simgrid::s4u::Link& link) const;

 private:
  bool known_ = false;
  double idle_ = 0;
  double more_ = 0;  // additional watts of a link in full use
  std::unordered_map<const simgrid::s4u::Link*, double> more_of_;
};

/// Power from a host's property `wattage_per_state`. Empty if the host has no such property. Throws
/// `Error` naming `file` and the host if the property is not valid.
std::optional<NodeWatts> watts_of(const simgrid::s4u::Host& host, const std::string& file);

/// Power of a platform: its links, and its nodes with ranks. `nodes` is indexed by node number, or
/// empty if the power of nodes is unknown.
struct Power {
  std::vector<NodePower> nodes;
  LinkPower links;

  [[nodiscard]] bool known() const { return !nodes.empty() || links.known(); }
};

/// Sums the energy of links and of nodes with ranks, from the start until the last rank is done.
class Energy {
 public:
  /// `node_of` is indexed by rank. The caller keeps both arguments alive.
  Energy(const Power& power, std::span<const std::uint32_t> node_of);

  /// A rank keeps a core busy. Successive calls must not go back in time.
  void compute(std::uint32_t rank, Ticks from, Ticks to);

  /// A message takes `joules` on its links, on top of their idle power.
  void carry(double joules) { carried_ += joules; }

  /// Total energy in joules. Throws `Error` if it is not a finite number.
  [[nodiscard]] double joules(double makespan) const;

 private:
  struct Node {
    bool has_ranks = false;
    Ticks any = 0;  // time during which at least one of its cores was busy
    Ticks until = 0;
    double all = 0;  // busy seconds of its cores together
  };

  const Power& power_;
  std::span<const std::uint32_t> node_of_;
  std::vector<Node> nodes_;
  double carried_ = 0;
};

}  // namespace bracket::simulator
