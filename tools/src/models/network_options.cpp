// SPDX-License-Identifier: MIT

#include "models/network_options.hpp"

#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "common/help.hpp"
#include "common/options.hpp"

namespace bracket::tools {

void NetworkOptions::add_to(CLI::App& command) {
  const HelpGroup group(command, "Network");
  add_whole(command, "--cores", cores, "ranks on each node", Index{1})
      ->capture_default_str()
      ->type_name("C");
  command
      .add_option_function<std::string>(
          "--placement",
          [this](const std::string& written) {
            placed = Placement::parse(written);
            placement = written;
          },
          "assignment of ranks to nodes: a name, or a file; `bracket list placements` explains "
          "each")
      ->default_str(placement)
      ->type_name("NAME");
  command
      .add_option(
          "--platform", platform,
          "nodes and links for the engines simgrid and smpi (loggops refuses this option): a "
          "name, or a file; `bracket list platforms` explains each")
      ->capture_default_str()
      ->type_name("NAME");
}

Network NetworkOptions::network() const {
  Network network{.platform = PlatformSpec::parse(platform), .cores = cores, .placement = placed};
  if (network.platform.kind == PlatformSpec::Kind::file && cores != 1) {
    throw Error(text("--cores requires a platform by name: ", platform, " defines its own"));
  }
  return network;
}

bool NetworkOptions::any_placed() const {
  const NetworkOptions usual;
  return cores != usual.cores || placement != usual.placement;
}

void NetworkOptions::check_known_by(const CostModel& model, Role role) const {
  if (PlatformSpec::parse(platform).kind != PlatformSpec::Kind::cluster) {
    require(model, role, &Knowledge::links, "--platform");
  }
  const NetworkOptions usual;
  if (cores != usual.cores) require(model, role, &Knowledge::nodes, "--cores");
  if (placement != usual.placement) require(model, role, &Knowledge::nodes, "--placement");
}

}  // namespace bracket::tools
