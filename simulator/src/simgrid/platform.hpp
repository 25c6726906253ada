// SPDX-License-Identifier: MIT

#pragma once

#include <simgrid/forward.h>

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "bracket/model/loggp.hpp"
#include "bracket/simulator/platforms.hpp"
#include "bracket/simulator/workload.hpp"
#include "simgrid/energy.hpp"
#include "simgrid/engine.hpp"
#include "simgrid/flows.hpp"

namespace bracket::simulator {

/// Route of a message.
struct Route {
  Ticks latency = 0;
  bool has_links = false;                ///< whether messages share bandwidth
  std::span<const Flows::Link> links{};  ///< by name; until the next call of `route`
  double joules_per_byte = 0;            ///< energy of the links, on top of their idle power
};

/// Throws `Error` in cases where SimGrid's message would not name the cause.
void check_platform(const PlatformSpec& platform);

/// SimGrid's engine, its hosts, and the placement of ranks. The replay needs no SimGrid for a star
/// by name. Make only one for each process, because SimGrid is global.
class Platform {
 public:
  /// Throws `Error` if the ranks do not fit.
  Platform(const Network& network, const Machine& machine, Rank ranks,
           Moved moved = Moved::by_replay);

  Platform(const Platform&) = delete;
  Platform& operator=(const Platform&) = delete;

  // Only for a platform from a file, or for SimGrid's MPI.
  [[nodiscard]] const simgrid::s4u::Engine& engine() const { return *engine_; }
  [[nodiscard]] simgrid::s4u::Host* host(Rank rank) const { return hosts_[node(rank)]; }

  /// Whether this is a platform by name: it never changes with time.
  [[nodiscard]] bool constant() const { return spec_.kind != PlatformSpec::Kind::file; }

  /// Links of a platform by name.
  [[nodiscard]] Flows& flows() { return flows_; }

  /// Power of nodes and links, from the network or the platform's file. From a file only for the
  /// replay.
  [[nodiscard]] const Power& power() const { return power_; }

  /// Nodes, indexed by rank.
  [[nodiscard]] std::span<const std::uint32_t> nodes() const { return node_of_; }

  [[nodiscard]] bool on_one_node(Rank a, Rank b) const { return node(a) == node(b); }

  /// Route from one rank's host to another's, which may be the same. Throws `Error` if there is no
  /// route or if a link on it is down.
  [[nodiscard]] Route route(Rank from, Rank to);

 private:
  [[nodiscard]] std::uint32_t node(Rank rank) const {
    return node_of_[static_cast<std::size_t>(rank)];
  }
  [[nodiscard]] bool is_star() const {
    return spec_.kind == PlatformSpec::Kind::cluster || spec_.kind == PlatformSpec::Kind::backbone;
  }
  void build(const Network& network, const Machine& machine, Rank ranks, Moved moved);
  void load(const Network& network, const Machine& machine, Rank ranks, Moved moved);
  [[nodiscard]] std::size_t link_count(Index nodes) const;
  void read_power();
  void place(const Placement& placement, Rank ranks, const Nodes& nodes);
  [[nodiscard]] Route route_by_name(std::uint32_t from, std::uint32_t to);
  [[nodiscard]] Route route_of_file(simgrid::s4u::Host* from, simgrid::s4u::Host* to);
  [[nodiscard]] double joules_per_byte(const std::vector<simgrid::s4u::Link*>& links) const;
  [[nodiscard]] Route loopback(simgrid::s4u::Host* host) const;

  PlatformSpec spec_;
  simgrid::s4u::Engine* engine_ = nullptr;
  std::vector<simgrid::s4u::Host*> hosts_;  // by node
  std::vector<std::uint32_t> node_of_;      // by rank
  std::unordered_map<simgrid::s4u::Host*, Route> loopbacks_;
  Power power_;

  std::vector<simgrid::s4u::Link*> found_;

  // For a platform by name.
  Ticks latency_ = 0;         // of a star
  Flows::Link backbone_ = 0;  // of a star
  Route inside_node_{};
  Flows flows_;                     // of a star: out of and into each node, then the backbone
  std::vector<Flows::Link> links_;  // of the latest route
};

}  // namespace bracket::simulator
