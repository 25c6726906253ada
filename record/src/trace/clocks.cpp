// SPDX-License-Identifier: MIT

#include "bracket/record/clocks.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <string>

namespace bracket::record {

namespace {

/// Difference of two times of a damaged or a right file. It wraps around instead of overflowing.
std::int64_t difference(std::int64_t left, std::int64_t right) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(left) -
                                   static_cast<std::uint64_t>(right));
}

/// The last entry and the first exit of a call on one host.
struct OnHost {
  std::int64_t entry = std::numeric_limits<std::int64_t>::min();
  std::int64_t exit = std::numeric_limits<std::int64_t>::max();
};

/// Bounds on what is added to the times of a host.
struct Bounds {
  std::int64_t least = std::numeric_limits<std::int64_t>::min();
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
};

bool synchronises(const CollectiveCall& call) {
  return std::all_of(call.on.begin(), call.on.end(), [](const Reduction* on) {
    return on != nullptr && on->call == Call::allreduce && on->form == Form::blocking &&
           !on->unfinished && !on->failed;
  });
}

}  // namespace

std::vector<std::int64_t> clock_offsets(const Trace& trace,
                                        std::span<const CommunicatorCalls> calls) {
  const RankTrace& first = trace.ranks.front();
  std::map<std::string, Bounds> bounds;
  for (const CommunicatorCalls& on : calls) {
    for (const CollectiveCall& call : on.calls) {
      if (!synchronises(call)) continue;
      std::map<std::string, OnHost> hosts;
      for (std::size_t k = 0; k < call.on.size(); ++k) {
        const auto rank = static_cast<std::size_t>(on.communicator.members[k]);
        OnHost& host = hosts[trace.ranks[rank].host];
        host.entry = std::max(host.entry, call.on[k]->entry);
        host.exit = std::min(host.exit, call.on[k]->completed);
      }
      const auto here = hosts.find(first.host);
      if (here == hosts.end()) continue;
      for (const auto& [name, there] : hosts) {
        Bounds& bound = bounds[name];
        bound.least = std::max(bound.least, difference(here->second.entry, there.exit));
        bound.most = std::min(bound.most, difference(here->second.exit, there.entry));
      }
    }
  }
  std::vector<std::int64_t> offsets;
  for (const RankTrace& rank : trace.ranks) {
    const auto found = bounds.find(rank.host);
    if (rank.host == first.host) {
      offsets.push_back(0);
    } else if (found != bounds.end()) {
      const auto& [least, most] = found->second;
      offsets.push_back(least + difference(most, least) / 2);
    } else {
      offsets.push_back(difference(difference(rank.realtime, rank.monotonic),
                                   difference(first.realtime, first.monotonic)));
    }
  }
  return offsets;
}

}  // namespace bracket::record
