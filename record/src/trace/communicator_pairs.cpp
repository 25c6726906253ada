// SPDX-License-Identifier: MIT

#include "communicator_pairs.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "alignment.hpp"
#include "bracket/record/format.h"

namespace bracket::record {

namespace {

/// Indices of communicators with the same members, by number.
using Alike = std::map<std::vector<int>, std::vector<std::size_t>>;

class CommunicatorPairing {
 public:
  explicit CommunicatorPairing(const CallComparison& compared)
      : compared_(compared), a_(calls_of(compared.a())), b_(calls_of(compared.b())) {
    if (compared.same_ranks()) return;
    result_.left_out = {leave_out(a_, compared.a()), leave_out(b_, compared.b())};
  }

  PairedCommunicators result() {
    const Alike of_a = alike(a_);
    Alike of_b = alike(b_);
    partners_.assign(a_.size(), b_.size());
    for (const auto& [members, list] : of_a) pair(list, of_b[members]);
    std::vector<bool> paired(b_.size());
    for (std::size_t i = 0; i < a_.size(); ++i) {
      result_.both.push_back({a_[i].communicator, std::move(a_[i].calls), {}});
      if (partners_[i] == b_.size()) continue;
      paired[partners_[i]] = true;
      result_.both.back().b = std::move(b_[partners_[i]].calls);
    }
    for (std::size_t j = 0; j < b_.size(); ++j) {
      if (!paired[j]) result_.both.push_back({b_[j].communicator, {}, std::move(b_[j].calls)});
    }
    return std::move(result_);
  }

 private:
  static bool has_all_ranks(const Communicator& communicator, const Trace& trace) {
    return communicator.members.size() == trace.ranks.size();
  }

  /// Leaves out the communicators of fewer ranks, and returns how many. MPI_COMM_SELF is one of
  /// them, although it has all ranks of a run on one.
  static std::size_t leave_out(std::vector<CommunicatorCalls>& calls, const Trace& trace) {
    return std::erase_if(calls, [&](const CommunicatorCalls& one) {
      const auto& path = one.communicator.origin.path;
      const bool from_self = !path.empty() && path[0] == format::self_number;
      return from_self || !has_all_ranks(one.communicator, trace);
    });
  }

  /// With other numbers of ranks, all communicators of all ranks are alike.
  [[nodiscard]] Alike alike(const std::vector<CommunicatorCalls>& calls) const {
    Alike lists;
    for (std::size_t i = 0; i < calls.size(); ++i) {
      const Communicator& on = calls[i].communicator;
      lists[compared_.same_ranks() ? on.members : std::vector<int>()].push_back(i);
    }
    for (auto& [members, list] : lists) {
      std::sort(list.begin(), list.end(), [&](std::size_t left, std::size_t right) {
        return calls[left].communicator.number < calls[right].communicator.number;
      });
    }
    return lists;
  }

  static bool is_world(const Communicator& on, const Trace& trace) {
    return on.number == 0 && has_all_ranks(on, trace);
  }

  [[nodiscard]] bool first_calls_match(const CommunicatorCalls& a,
                                       const CommunicatorCalls& b) const {
    constexpr std::size_t looked_at = 4;
    const std::size_t calls = std::min({looked_at, a.calls.size(), b.calls.size()});
    for (std::size_t k = 0; k < calls; ++k) {
      if (!compared_.match(a.communicator, a.calls[k], b.calls[k])) return false;
    }
    return true;
  }

  void pair(const std::vector<std::size_t>& of_a, const std::vector<std::size_t>& of_b) {
    const auto match = [&](std::size_t i, std::size_t j) {
      return first_calls_match(a_[of_a[i]], b_[of_b[j]]);
    };
    const auto same_origin = [&](std::size_t i, std::size_t j) {
      return a_[of_a[i]].communicator.origin == b_[of_b[j]].communicator.origin;
    };
    const Alignment by_calls(of_a.size(), of_b.size(), match);
    const Alignment by_origin(of_a.size(), of_b.size(), same_origin);
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < of_a.size() && j < of_b.size()) {
      // MPI_COMM_WORLD is there in both runs, but may have no calls in one.
      const bool world_of_a = is_world(a_[of_a[i]].communicator, compared_.a());
      const bool world_of_b = is_world(b_[of_b[j]].communicator, compared_.b());
      if (world_of_a != world_of_b) {
        ++(world_of_a ? i : j);
        continue;
      }
      constexpr std::size_t most = 64;
      if (!world_of_a && !match(i, j)) {
        auto skips = by_calls.skips_of_one(i, j, most);
        if (!skips && !same_origin(i, j)) skips = by_origin.skips_of_one(i, j, most);
        if (skips) {
          i += skips->first;
          j += skips->second;
        }
      }
      partners_[of_a[i++]] = of_b[j++];
    }
  }

  const CallComparison& compared_;
  std::vector<CommunicatorCalls> a_;
  std::vector<CommunicatorCalls> b_;
  std::vector<std::size_t> partners_;  ///< of each of `a_`, in `b_`; its size if there is none
  PairedCommunicators result_;
};

}  // namespace

PairedCommunicators pair_communicators(const CallComparison& compared) {
  return CommunicatorPairing(compared).result();
}

}  // namespace bracket::record
