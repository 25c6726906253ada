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
#include "simgrid/flows.hpp"

namespace bracket::simulator {

/// The way of a message.
struct Route {
  Ticks latency = 0;
  bool has_links = false;                ///< whether there is a bandwidth to share
  std::span<const Flows::Link> links{};  ///< by name; until the next route is asked for
  double joules_per_byte = 0;            ///< of links, beside what they take idle
};

/// Who moves the messages on a platform: the replay, which waits for latencies itself, or SimGrid's
/// MPI.
enum class Moved { by_replay, by_smpi };

/// Throws `Error` for causes that SimGrid would not name.
void check_platform(const PlatformSpec& platform);

/// SimGrid's engine, the hosts in it and who sits where; the replay needs no SimGrid for a star by
/// name. One for a process: SimGrid is global.
class Platform {
 public:
  /// Throws `Error` if the ranks do not fit.
  Platform(const Network& network, const Machine& machine, Rank ranks,
           Moved moved = Moved::by_replay);

  Platform(const Platform&) = delete;
  Platform& operator=(const Platform&) = delete;

  // Of a platform from a file, or any for SimGrid's MPI.
  [[nodiscard]] const simgrid::s4u::Engine& engine() const { return *engine_; }
  [[nodiscard]] simgrid::s4u::Host* host(Rank rank) const { return hosts_[node(rank)]; }

  /// Whether it is one by name: nothing on it changes with time.
  [[nodiscard]] bool constant() const { return spec_.kind != PlatformSpec::Kind::file; }

  /// The links of a platform by name.
  [[nodiscard]] Flows& flows() { return flows_; }

  /// What nodes and links take, as the network or its file says; of a file for the replay only.
  [[nodiscard]] const Power& power() const { return power_; }

  /// By rank.
  [[nodiscard]] std::span<const std::uint32_t> nodes() const { return node_of_; }

  [[nodiscard]] bool on_one_node(Rank a, Rank b) const { return node(a) == node(b); }

  /// The route from one rank's host to another's, which may be the same. Throws `Error` if there
  /// is none or a link on it is down.
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

  // By name.
  Ticks latency_ = 0;         // of a star
  Flows::Link backbone_ = 0;  // likewise
  Route inside_node_{};
  Flows flows_;                     // of a star: out of a node and in, for each, then the backbone
  std::vector<Flows::Link> links_;  // of a route
};

}  // namespace bracket::simulator
