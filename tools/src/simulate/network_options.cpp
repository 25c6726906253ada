#include "simulate/network_options.hpp"

#include "bracket/support/error.hpp"
#include "common/help.hpp"
#include "common/options.hpp"

namespace bracket::tools {

void NetworkOptions::add_to(CLI::App& command) {
  const HelpGroup group(command, "Network");
  add_whole(command, "--cores", cores, "ranks that a node takes", Index{1})
      ->capture_default_str()
      ->type_name("C");
  command
      .add_option_function<std::string>(
          "--placement",
          [this](const std::string& written) {
            placed = Placement::parse(written);
            placement = written;
          },
          "which node a rank sits on: a name, or a file; `bracket list` names them")
      ->default_str(placement)
      ->type_name("NAME");
  command
      .add_option("--platform", platform,
                  "nodes and links that SimGrid simulates: a name, or a file; `bracket list` names "
                  "them")
      ->capture_default_str()
      ->type_name("NAME");
}

Network NetworkOptions::network() const {
  Network network{.platform = PlatformSpec::parse(platform), .cores = cores, .placement = placed};
  if (network.platform.kind == PlatformSpec::Kind::file && cores != 1) {
    throw Error(text("--cores is of a platform by name: ", platform, " says its own"));
  }
  return network;
}

std::vector<std::uint32_t> NetworkOptions::nodes(Rank ranks, const Machine& machine) const {
  check_without_links();
  const bool alike = cores == 1 && !machine.inside_node;
  // A file is judged even where nothing comes of it.
  if (alike && !placed.listed()) return {};
  auto nodes = placed.place(ranks, cores);
  return alike ? std::vector<std::uint32_t>() : nodes;
}

std::vector<std::uint32_t> NetworkOptions::sites(Rank ranks) const {
  const NetworkOptions usual;
  const bool given = cores != usual.cores || placement != usual.placement;
  if (!given || PlatformSpec::parse(platform).kind == PlatformSpec::Kind::file) return {};
  return placed.place(ranks, cores);
}

void NetworkOptions::check_without_links() const {
  if (PlatformSpec::parse(platform).kind == PlatformSpec::Kind::cluster) return;
  throw Error("--platform is of --engine simgrid and smpi: loggops knows no links");
}

}  // namespace bracket::tools
