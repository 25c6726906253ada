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

/// What a node with ranks takes.
struct NodePower {
  NodeWatts watts{};
  Index cores = 1;
};

/// What the links of a platform take.
class LinkPower {
 public:
  /// Not known: none.
  LinkPower() = default;

  /// Of so many links that all take the same.
  LinkPower(const LinkWatts& each, std::size_t links);

  /// As the property `wattage_range` says, of a SPLITDUPLEX link for each of its directions. A link
  /// without it takes nothing. Throws `Error` naming `file` and the link if that is no such
  /// property, or of a link that messages do not share.
  LinkPower(const simgrid::s4u::Engine& engine, const std::string& file);

  [[nodiscard]] bool known() const { return known_; }
  [[nodiscard]] double idle() const { return idle_; }  ///< watts, of all

  /// Joules beside those, if all links take the same.
  [[nodiscard]] double per_byte(double bandwidth) const { return more_ / bandwidth; }

  /// The same of one from a file.
  [[nodiscard]] double per_byte(const simgrid::s4u::Link& link) const;

 private:
  bool known_ = false;
  double idle_ = 0;
  double more_ = 0;  // watts of a link in full use
  std::unordered_map<const simgrid::s4u::Link*, double> more_of_;
};

/// What the property `wattage_per_state` says of a host; nothing if it has none. Throws `Error`
/// naming `file` and the host if it is no such property.
std::optional<NodeWatts> watts_of(const simgrid::s4u::Host& host, const std::string& file);

/// The power of a platform: of each rank's node, which `nodes` has by its number or is empty if
/// nothing is known of them, and of its links.
struct Power {
  std::vector<NodePower> nodes;
  LinkPower links;

  [[nodiscard]] bool known() const { return !nodes.empty() || links.known(); }
};

/// Adds up what nodes with ranks and links take from the start until the last rank is done.
class Energy {
 public:
  /// `node_of` is by rank. Both stay the caller's.
  Energy(const Power& power, std::span<const std::uint32_t> node_of);

  /// A rank keeps a core busy: each in turn, none from earlier than the call before.
  void compute(std::uint32_t rank, Ticks from, Ticks to);

  /// A message that takes so many joules of its links, beside what they take idle.
  void carry(double joules) { carried_ += joules; }

  /// Throws `Error` if no number has as many.
  [[nodiscard]] double joules(double makespan) const;

 private:
  struct Node {
    bool has_ranks = false;
    Ticks any = 0;  // that one of its cores at least was busy
    Ticks until = 0;
    double all = 0;  // seconds, of its cores together
  };

  const Power& power_;
  std::span<const std::uint32_t> node_of_;
  std::vector<Node> nodes_;
  double carried_ = 0;
};

}  // namespace bracket::simulator
