// SPDX-License-Identifier: MIT

#include "simgrid/engine.hpp"

#include <simgrid/version.h>
#include <smpi/smpi.h>
#include <simgrid/kernel/resource/NetworkModelIntf.hpp>
#include <simgrid/s4u.hpp>

#include <algorithm>
#include <iterator>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "bracket/support/text.hpp"

namespace bracket::simulator {

namespace s4u = simgrid::s4u;

namespace {

constexpr const char* settings[] = {
    // Log only errors, and of those only the message.
    "--log=root.thres:error",
    "--log=root.fmt:%m%n",
    "--log=no_loc",
    // The latency and bandwidth of the platform apply as given: no factors, no acknowledgements
    // that take bandwidth, and no rate limit by a TCP window over the round trip.
    "--cfg=network/model:CM02",
    "--cfg=network/crosstraffic:0",
    "--cfg=network/TCP-gamma:1e100",
#if SIMGRID_VERSION >= 33400
    "--cfg=precision/timing:1e-12",
#else
    "--cfg=surf/precision:1e-12",
#endif
};

// The replay waits for latencies itself: SimGrid searches the list of all messages under way for
// each message that ends, and messages that wait for their latency are in it.
constexpr const char* settings_of_replay[] = {"--cfg=network/latency-factor:0"};

/// Settings of the simulated MPI: its calls take no time of their own, and ranks share their
/// variables. On a platform from a file, messages inside a host take no time, unless the file has a
/// loopback.
std::vector<std::string> settings_of_smpi(const Machine& machine) {
  std::vector<std::string> all{"--cfg=smpi/simulate-computation:0",
                               "--cfg=smpi/test:0",
                               "--cfg=smpi/iprobe:0",
                               "--cfg=smpi/wtime:0",
                               "--cfg=contexts/stack-size:1024",
                               "--cfg=network/loopback-lat:0",
                               "--cfg=network/loopback-bw:1e30"};
  const auto set = [&](const char* name, const std::string& value) {
    all.push_back(text("--cfg=", name, ":", value));
  };
  constexpr double most = std::numeric_limits<int>::max();
  const auto eager = static_cast<int>(std::min(machine.eager_bytes, most));
  set("smpi/async-small-thresh", std::to_string(eager));
  set("smpi/send-is-detached-thresh", std::to_string(eager));
  return all;
}

/// Factors for messages on the links of a platform by name. SimGrid's MPI asks for them by message
/// size.
class FactorsOfSmpi {
 public:
  explicit FactorsOfSmpi(const Machine& machine)
      : between_(machine.between_nodes()), inside_(machine.within_node()) {}

  /// Factor for the bandwidth of all links: the envelope and the first byte take no time.
  [[nodiscard]] double of_bandwidth(double with_envelope, const s4u::Host* from,
                                    const s4u::Host* to) const {
    const MessageCosts& cost = costs(from, to);
    const double bytes = at_least_one(with_envelope - envelope);
    const double on_links = cost.passage(bytes).on_links;
    const bool stretched = !cost.measured.empty() && cost.gap_per_byte > 0;
    constexpr double at_once = 1e12;
    const double timed = stretched ? on_links / cost.gap_per_byte : bytes - 1;
    return std::min(at_once, with_envelope / timed);
  }

  [[nodiscard]] double of_latency(double with_envelope, const s4u::Host* from,
                                  const s4u::Host* to) const {
    const MessageCosts& cost = costs(from, to);
    if (cost.latency == 0) return 1;
    return cost.passage(at_least_one(with_envelope - envelope)).latency / cost.latency;
  }

 private:
  static constexpr double envelope = 16;  // bytes that SMPI adds to a message

  static double at_least_one(double bytes) { return std::max(1.0, bytes); }

  [[nodiscard]] const MessageCosts& costs(const s4u::Host* from, const s4u::Host* to) const {
    return from == to ? inside_ : between_;
  }

  MessageCosts between_;
  MessageCosts inside_;
};

}  // namespace

s4u::Engine* start_engine(const Machine& machine, Moved moved) {
  std::vector<std::string> arguments{"bracket"};
  arguments.insert(arguments.end(), std::begin(settings), std::end(settings));
  if (moved == Moved::by_smpi) {
    smpi_init_options();
    const auto more = settings_of_smpi(machine);
    arguments.insert(arguments.end(), more.begin(), more.end());
  } else {
    arguments.insert(arguments.end(), std::begin(settings_of_replay), std::end(settings_of_replay));
  }
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  int argc = static_cast<int>(arguments.size());
  // SimGrid's engine lives until the process ends.
  auto* const engine = new s4u::Engine(&argc, argv.data());
  if (moved == Moved::by_smpi) SMPI_init();
  return engine;
}

void set_factors_of_smpi(const s4u::Engine& engine, const Machine& machine) {
  const auto factors = std::make_shared<const FactorsOfSmpi>(machine);
  auto* const model = engine.get_netzone_root()->get_network_model();
  model->set_bw_factor_cb(
      [factors](double bytes, const s4u::Host* from, const s4u::Host* to, const auto&...) {
        return factors->of_bandwidth(bytes, from, to);
      });
  model->set_lat_factor_cb(
      [factors](double bytes, const s4u::Host* from, const s4u::Host* to, const auto&...) {
        return factors->of_latency(bytes, from, to);
      });
}

}  // namespace bracket::simulator
