#pragma once

#include <simgrid/forward.h>

#include <filesystem>
#include <unordered_map>
#include <vector>

#include "bracket/model/loggp.hpp"

namespace bracket::simulator {

/// The way of a message.
struct Route {
  double latency = 0;      ///< seconds
  bool has_links = false;  ///< whether there is a bandwidth to share
};

/// SimGrid's engine, the hosts in it and who sits where. One for a process: SimGrid is global.
class Platform {
 public:
  /// A star of `ranks` hosts with one link out and one link in each.
  Platform(const Machine& machine, Rank ranks);

  /// The file's hosts, filled with `ranks` ranks core by core. Throws `Error` if they do not fit.
  Platform(const std::filesystem::path& file, Rank ranks);

  Platform(const Platform&) = delete;
  Platform& operator=(const Platform&) = delete;

  [[nodiscard]] const simgrid::s4u::Engine& engine() const { return *engine_; }
  [[nodiscard]] simgrid::s4u::Host* host(Rank rank) const {
    return hosts_[static_cast<std::size_t>(rank)];
  }

  /// The route from one rank's host to another's, which may be the same. Throws `Error` if there
  /// is none or a link on it is down.
  [[nodiscard]] Route route(Rank from, Rank to);

 private:
  [[nodiscard]] Route loopback(simgrid::s4u::Host* host) const;

  simgrid::s4u::Engine* engine_;
  std::string name_;                         // of the file, begins an error
  std::vector<simgrid::s4u::Host*> listed_;  // in the order in which they were made
  std::vector<simgrid::s4u::Host*> hosts_;   // by rank
  std::unordered_map<simgrid::s4u::Host*, Route> loopbacks_;
};

}  // namespace bracket::simulator
