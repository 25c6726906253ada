#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bracket/model/range.hpp"
#include "bracket/model/spec.hpp"
#include "bracket/simulator/placement.hpp"
#include "bracket/simulator/watts.hpp"

namespace bracket {

/// The nodes of a network and the links between them, by name or as a file.
struct PlatformSpec {
  enum class Kind { cluster, backbone, fat_tree, dragonfly, torus, file };

  Kind kind = Kind::cluster;
  std::string written = "cluster";  ///< as on the command line; of a file its name
  double bandwidth = 0;             ///< bytes per second, of a backbone
  std::vector<Index> sizes{};  ///< down, of a fat tree; groups, chassis, routers, nodes; X, Y …
  std::vector<Index> up{};     ///< of a fat tree
  std::vector<Index> parallel{};  ///< links in place of one: at each level of a fat tree; between
                                  ///< groups, chassis and routers of a dragonfly

  /// A row of `platforms()` with its parameters, otherwise a file: a word that ends in `.xml`, has
  /// a `/` or is the name of one. Throws `Error` for what is neither, and for bad parameters.
  static PlatformSpec parse(const std::string& written);

  /// How many nodes it has; 0 if it has as many as are needed.
  [[nodiscard]] Index nodes() const;

  /// Of SimGrid's memory, for a host, a switch or a link, as measured.
  static constexpr double bytes_of_part = 1400;

  /// Hosts, switches and links that SimGrid makes of it. 0 for a cluster and
  /// a backbone, which grow with the ranks; of a file, those of its elements with a radical.
  [[nodiscard]] double parts() const;

  /// Throws `Error` if the parts need more than this machine's memory.
  void check_memory() const;
};

/// Throws `Error`, which begins with `what`, if so many bytes are more than this machine's memory.
void check_room(const std::string& what, double bytes);

/// A row of the table of platforms.
struct PlatformEntry {
  CatalogueEntry entry;
  PlatformSpec::Kind kind;
};

/// Every platform by name. Every link has bandwidth 1 / G and latency L / 2, for each direction,
/// so that a message by way of one switch costs what LogGP says; nodes are numbered from 0.
std::span<const PlatformEntry> platforms();

/// Where a workload is replayed.
struct Network {
  PlatformSpec platform{};
  Index cores = 1;  ///< of each node, unless a file says
  Placement placement{};
  std::optional<NodeWatts> watts{};       ///< of each node, likewise
  std::optional<LinkWatts> link_watts{};  ///< of each link, in each direction, likewise
};

}  // namespace bracket
