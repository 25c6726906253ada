// SPDX-License-Identifier: MIT

#include "bracket/record/run_calls.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <numeric>

namespace bracket::record {

namespace {

/// A call while its position is not known.
struct OpenCall {
  CollectiveCall call;
  std::size_t ranks = 0;    ///< that recorded it
  std::size_t arrived = 0;  ///< that have no earlier call left
  bool done = false;
};

struct OpenCommunicator {
  std::map<std::uint64_t, OpenCall> calls;
};

class Grouping {
 public:
  explicit Grouping(const Trace& trace) : begun_(trace.ranks.size()), next_(trace.ranks.size()) {
    for (const RankTrace& rank : trace.ranks) add(rank);
    find_positions();
  }

  std::vector<CommunicatorCalls> result() {
    std::vector<CommunicatorCalls> all;
    for (auto& [key, open] : communicators_) {
      CommunicatorCalls one{key, {}};
      for (auto& [sequence, call] : open.calls) one.calls.push_back(std::move(call.call));
      all.push_back(std::move(one));
    }
    std::sort(all.begin(), all.end(), [](const auto& left, const auto& right) {
      return left.calls[0].position < right.calls[0].position;
    });
    std::stable_partition(all.begin(), all.end(), [&](const CommunicatorCalls& one) {
      return one.communicator.number == 0 && one.communicator.members.size() == begun_.size();
    });
    return all;
  }

 private:
  void add(const RankTrace& rank) {
    std::vector<const Reduction*> begun;
    for (const Reduction& reduction : rank.reductions) begun.push_back(&reduction);
    std::stable_sort(begun.begin(), begun.end(), [](const Reduction* left, const Reduction* right) {
      return left->entry < right->entry;
    });
    for (const Reduction* const reduction : begun) {
      const Communicator& key = rank.communicators[reduction->communicator];
      const auto member = std::find(key.members.begin(), key.members.end(), rank.rank);
      if (member == key.members.end()) continue;
      OpenCommunicator& communicator = communicators_[key];
      OpenCall& call = communicator.calls[reduction->sequence];
      call.call.sequence = reduction->sequence;
      call.call.on.resize(key.members.size());
      const Reduction*& here = call.call.on[static_cast<std::size_t>(member - key.members.begin())];
      if (here != nullptr) continue;
      here = reduction;
      ++call.ranks;
      begun_[static_cast<std::size_t>(rank.rank)].push_back(&call);
    }
  }

  /// Lets all ranks run side by side: a call is next once all its ranks have come to it. If ranks
  /// begin non-blocking calls in different sequences, that of the lowest rank applies.
  void find_positions() {
    for (std::size_t rank = 0; rank < begun_.size(); ++rank) arrive(rank);
    std::size_t lowest = 0;
    while (true) {
      while (!ready_.empty()) {
        OpenCall* const call = ready_.front();
        ready_.pop_front();
        finish(*call);
      }
      while (lowest < begun_.size() && next_[lowest] == begun_[lowest].size()) ++lowest;
      if (lowest == begun_.size()) return;
      finish(*begun_[lowest][next_[lowest]]);
    }
  }

  void arrive(std::size_t rank) {
    while (next_[rank] < begun_[rank].size() && begun_[rank][next_[rank]]->done) ++next_[rank];
    if (next_[rank] == begun_[rank].size()) return;
    OpenCall& call = *begun_[rank][next_[rank]];
    waiting_[&call].push_back(rank);
    if (++call.arrived == call.ranks) ready_.push_back(&call);
  }

  void finish(OpenCall& call) {
    if (call.done) return;
    call.done = true;
    call.call.position = positions_++;
    const auto found = waiting_.extract(&call);
    if (found.empty()) return;
    for (const std::size_t rank : found.mapped()) arrive(rank);
  }

  std::map<Communicator, OpenCommunicator> communicators_;
  std::vector<std::vector<OpenCall*>> begun_;  ///< calls of each rank
  std::vector<std::size_t> next_;              ///< index of the rank's next call
  std::map<const OpenCall*, std::vector<std::size_t>> waiting_;
  std::deque<OpenCall*> ready_;
  std::uint64_t positions_ = 0;
};

}  // namespace

std::vector<CommunicatorCalls> calls_of(const Trace& trace) { return Grouping(trace).result(); }

}  // namespace bracket::record
