// SPDX-License-Identifier: MIT

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
  std::string written = "cluster";  ///< as on the command line, or the name of a file
  double bandwidth = 0;             ///< of a backbone, in bytes per second
  std::vector<Index> sizes{};     ///< of a fat tree, down; of a dragonfly, groups, chassis, routers
                                  ///< and nodes; of a torus, X, Y …
  std::vector<Index> up{};        ///< of a fat tree
  std::vector<Index> parallel{};  ///< links in place of one: at each level of a fat tree; between
                                  ///< groups, chassis and routers of a dragonfly

  /// Parses a row of `platforms()` with its parameters, or the name of a file: a word that ends in
  /// `.xml`, has a `/`, or names an existing file. Throws `Error` for any other text, and for bad
  /// parameters.
  static PlatformSpec parse(const std::string& written);

  /// Number of nodes; 0 if there are as many as are needed.
  [[nodiscard]] Index nodes() const;

  /// Measured memory of SimGrid for a host, a switch or a link, in bytes.
  static constexpr double bytes_of_part = 1400;

  /// Number of hosts, switches and links that SimGrid makes. 0 for a cluster and a backbone, which
  /// grow with the ranks. For a file, only elements with a radical count.
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

/// Every platform by name. Every link has bandwidth 1 / G and latency L / 2, in each direction, so
/// that a message over one switch costs what LogGP says. Nodes are numbered from 0.
std::span<const PlatformEntry> platforms();

/// Network on which a workload is replayed. A platform file has its own cores and watts.
struct Network {
  PlatformSpec platform{};
  Index cores = 1;  ///< of each node
  Placement placement{};
  std::optional<NodeWatts> watts{};       ///< of each node
  std::optional<LinkWatts> link_watts{};  ///< of each link, in each direction
};

}  // namespace bracket
