// SPDX-License-Identifier: MIT

#include "bracket/record/compare.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <span>

#include "bracket/record/format.h"
#include "bracket/record/run_calls.hpp"
#include "bracket/support/text.hpp"
#include "call_divergences.hpp"
#include "communicator_pairs.hpp"
#include "run_ends.hpp"

namespace bracket::record {

std::string name_of(Cause cause) {
  constexpr std::array names{"inputs", "order", "ranks-disagree", "structure", "results"};
  return names.at(static_cast<std::size_t>(cause));
}

namespace {

/// Returns whether the trace of a member of the communicator is cut.
bool is_cut(const Trace& trace, const Communicator& on) {
  return std::any_of(on.members.begin(), on.members.end(), [&](int member) {
    const auto rank = static_cast<std::size_t>(member);
    return rank < trace.ranks.size() && trace.ranks[rank].end == End::cut;
  });
}

/// Returns whether a run has no such call, or a member has no record of it.
bool lacks(const CollectiveCall* call) {
  return call == nullptr || std::find(call->on.begin(), call->on.end(), nullptr) != call->on.end();
}

class Comparing {
  /// The position in A of a call or, of a call of B alone, of the last one before it, from 1; and
  /// then the position in B, from 1.
  using Place = std::pair<std::uint64_t, std::uint64_t>;

 public:
  Comparing(const Trace& a, const Trace& b) : compared_(a, b) {}

  Comparison compare() {
    gather();
    for (std::size_t k = 0; k < both_.size(); ++k) pair_on(k);
    std::sort(common_.begin(), common_.end());
    for (std::size_t k = 0; k < both_.size(); ++k) compare_on(k);
    std::stable_sort(found_.begin(), found_.end(),
                     [](const auto& left, const auto& right) { return left.first < right.first; });
    for (auto& [place, divergence] : found_) result_.divergences.push_back(std::move(divergence));
    add_notes();
    result_.cut = !compared_.a().cut().empty() || !compared_.b().cut().empty();
    return std::move(result_);
  }

 private:
  void gather() {
    PairedCommunicators paired = pair_communicators(compared_);
    both_ = std::move(paired.both);
    left_out_ = paired.left_out;
    for (const BothRuns& run : both_) result_.communicators.push_back(run.on);
  }

  void pair_on(std::size_t index) {
    BothRuns& run = both_[index];
    if (!compared_.same_ranks()) {
      for (auto* const calls : {&run.a, &run.b}) {
        std::erase_if(*calls, [](const CollectiveCall& call) { return !has_one_result(call); });
      }
    }
    pairs_.push_back(pair_calls(compared_, run.on, run.a, run.b));
    for (const CallPair& pair : pairs_.back()) {
      if (pair.a && pair.b) common_.emplace_back(run.b[*pair.b].position, run.a[*pair.a].position);
    }
  }

  /// The place of a call that only B has: after the calls of both that come before it in B.
  /// `earliest` is the place of the call before it on the communicator.
  [[nodiscard]] Place place_in_b(const CollectiveCall& b, const Place& earliest) const {
    const auto after =
        std::lower_bound(common_.begin(), common_.end(), std::pair(b.position, std::uint64_t{0}));
    const Place place{after == common_.begin() ? 0 : std::prev(after)->second + 1, b.position + 1};
    return std::max(place, earliest);
  }

  void compare_on(std::size_t index) {
    BothRuns& run = both_[index];
    CallDivergences on(compared_, index, run.on);
    const std::vector<CallPair>& pairs = pairs_[index];
    // A run that is cut may have made the calls that it lacks at the end.
    const bool cut_a = is_cut(compared_.a(), run.on);
    const bool cut_b = is_cut(compared_.b(), run.on);
    std::size_t known = pairs.size();
    const auto after_cut = [&](const CallPair& pair) {
      return (cut_a && lacks(pair.a ? &run.a[*pair.a] : nullptr)) ||
             (cut_b && lacks(pair.b ? &run.b[*pair.b] : nullptr));
    };
    while (known > 0 && after_cut(pairs[known - 1])) --known;
    Place place{};
    for (const CallPair& pair : std::span(pairs).first(known)) {
      const CollectiveCall* const a = pair.a ? &run.a[*pair.a] : nullptr;
      const CollectiveCall* const b = pair.b ? &run.b[*pair.b] : nullptr;
      ++result_.calls;
      place = a != nullptr ? Place{a->position + 1, 0} : place_in_b(*b, place);
      std::optional<Divergence> found = divergence_of(on, run.on, pair.other, a, b);
      if (!found) continue;
      found->position = a != nullptr ? a->position : b->position;
      found_.emplace_back(place, std::move(*found));
    }
    disagreeing_ += on.disagreeing;
  }

  /// Data that differ say more than call sites that differ.
  std::optional<Divergence> divergence_of(CallDivergences& on, const Communicator& communicator,
                                          bool other, const CollectiveCall* a,
                                          const CollectiveCall* b) const {
    if (!other) return on.of_pair(*a, *b);
    if (a != nullptr && b != nullptr && compared_.other_sites_only(communicator, *a, *b)) {
      if (auto found = on.of_pair(*a, *b)) {
        found->what += " The call sites differ, too.";
        return found;
      }
    }
    return on.of_other(a, b);
  }

  static bool has_one_result(const CollectiveCall& call) {
    return std::any_of(call.on.begin(), call.on.end(), [](const Reduction* one) {
      return one != nullptr && one->output.present &&
             (one->call == Call::allreduce || one->call == Call::reduce);
    });
  }

  static std::string in_ranks(const Trace& trace) {
    return text(trace.ranks.size(), trace.ranks.size() == 1 ? " rank" : " ranks");
  }

  /// Calls of a run of which the recorder keeps the time alone.
  static std::uint64_t foreign_calls_of(const Trace& trace) {
    std::uint64_t calls = 0;
    for (const RankTrace& rank : trace.ranks) {
      for (const OtherCalls& other : rank.others) {
        if (rank.calls[other.name] == format::foreign_calls) calls += other.count;
      }
    }
    return calls;
  }

  void add_notes() {
    for (const auto& [trace, name] : {std::pair{&compared_.a(), "A"}, {&compared_.b(), "B"}}) {
      for (std::string& sentence : early_ends(*trace, name)) {
        result_.notes.push_back(std::move(sentence));
      }
    }
    if (!compared_.same_ranks()) {
      result_.notes.push_back(
          text("A ran on ", in_ranks(compared_.a()), " and B on ", in_ranks(compared_.b()),
               ": only results of MPI_Allreduce and MPI_Reduce on all ranks are compared."));
    } else if (!compared_.compares_sites()) {
      result_.notes.push_back(
          "Most call sites are only in one of the runs, so call sites are not compared.");
    }
    if (left_out_.first + left_out_.second > 0) {
      result_.notes.push_back(text("Communicators of fewer ranks are not compared: ",
                                   left_out_.first, " of A and ", left_out_.second, " of B."));
    }
    const std::uint64_t foreign_a = foreign_calls_of(compared_.a());
    const std::uint64_t foreign_b = foreign_calls_of(compared_.b());
    if (foreign_a + foreign_b > 0) {
      result_.notes.push_back(
          text("Reductions on intercommunicators or with spawned processes were recorded without "
               "data and "
               "are not compared: on all ranks together, ",
               foreign_a, " in A and ", foreign_b, " in B."));
    }
    if (disagreeing_ > 0) {
      result_.notes.push_back(text("In both runs, ", disagreeing_,
                                   disagreeing_ == 1 ? " all-reduce" : " all-reduces",
                                   " ended with different bits on different ranks."));
    }
  }

  CallComparison compared_;
  std::vector<BothRuns> both_;
  std::vector<std::vector<CallPair>> pairs_;  // of each of `both_`
  /// Positions in B and in A of the calls that both have.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> common_;
  std::vector<std::pair<Place, Divergence>> found_;
  Comparison result_;
  std::pair<std::size_t, std::size_t> left_out_{};  // communicators of A and of B
  std::size_t disagreeing_ = 0;
};

}  // namespace

Comparison compare(const Trace& a, const Trace& b) { return Comparing(a, b).compare(); }

}  // namespace bracket::record
