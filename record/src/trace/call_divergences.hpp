// SPDX-License-Identifier: MIT

#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "bracket/record/compare.hpp"
#include "call_pairs.hpp"

namespace bracket::record {

struct Agreement;

/// Describes how calls of two runs on one communicator differ.
class CallDivergences {
 public:
  CallDivergences(const CallComparison& compared, std::size_t index, const Communicator& on)
      : compared_(compared), index_(index), on_(on) {}

  /// Describes the difference of a call that both runs have, if there is one.
  std::optional<Divergence> of_pair(const CollectiveCall& a, const CollectiveCall& b);

  /// Describes a call that only one run has, or two that are different reductions.
  Divergence of_other(const CollectiveCall* a, const CollectiveCall* b) const;

  std::size_t disagreeing = 0;  ///< pairs in which ranks got different bits in both runs

 private:
  [[nodiscard]] int rank_of(std::size_t member) const { return on_.members[member]; }

  const RankTrace& trace_of(const Trace& trace, const CollectiveCall& call,
                            std::size_t member) const;

  std::string words(const CollectiveCall& call, std::size_t member, const Trace& trace) const;

  Divergence begin(Cause cause, std::size_t member, const CollectiveCall& call,
                   const Trace& trace) const;

  /// Adds the item in which `x` and `y` differ, or says that it is not known. Returns whether one
  /// of the two is NaN.
  static bool add_item(Divergence& result, const Data& x, const Data& y, const RankTrace& rank,
                       const Reduction& reduction);

  Divergence difference(Cause cause, std::size_t member, const CollectiveCall& a,
                        const CollectiveCall& b) const;

  static const Reduction* output_of(const CollectiveCall& call);

  /// The rank of the broken run, `call`, whose output is not the usual one.
  Divergence disagreement(const CollectiveCall& call, const Agreement& agreement,
                          const CollectiveCall& other, const char* run) const;

  Divergence with_ulps(Divergence result, const CollectiveCall& a, const CollectiveCall& b) const;

  const CallComparison& compared_;
  std::size_t index_;
  const Communicator& on_;
};

}  // namespace bracket::record
