// SPDX-License-Identifier: MIT

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bracket/record/run_calls.hpp"

namespace bracket::record {

/// Compares calls of two runs.
class CallComparison {
 public:
  CallComparison(const Trace& a, const Trace& b);

  [[nodiscard]] bool same_ranks() const { return a_.ranks.size() == b_.ranks.size(); }
  /// Whether sites are compared: the runs share most of them.
  [[nodiscard]] bool compares_sites() const { return compares_sites_; }

  /// Index of the first member on which the runs call different reductions; nothing if there is
  /// none. A missing call of a rank whose file is cut is no difference.
  [[nodiscard]] std::optional<std::size_t> other_call(const Communicator& on,
                                                      const CollectiveCall& a,
                                                      const CollectiveCall& b) const;
  /// Returns whether the calls are equal except for their call sites. Compilers copy calls, so one
  /// call in the source may have several sites.
  [[nodiscard]] bool other_sites_only(const Communicator& on, const CollectiveCall& a,
                                      const CollectiveCall& b) const;
  /// Index of the first member whose input differs.
  [[nodiscard]] static std::optional<std::size_t> other_input(const CollectiveCall& a,
                                                              const CollectiveCall& b);
  /// Index of the first member whose output differs. With different numbers of ranks, compares the
  /// outputs of the first members that have one, and returns 0 if they differ.
  [[nodiscard]] std::optional<std::size_t> other_output(const CollectiveCall& a,
                                                        const CollectiveCall& b) const;
  /// Whether there is no difference but in outputs of the same reduction; of other numbers of
  /// ranks, none at all.
  [[nodiscard]] bool match(const Communicator& on, const CollectiveCall& a,
                           const CollectiveCall& b) const;

  /// The run's reduction on a member, or on the first member that recorded it.
  [[nodiscard]] static const Reduction& on_member(const CollectiveCall& call, std::size_t member);

  /// `MPI_Allreduce of 1 MPI_DOUBLE by MPI_SUM`. A root is its rank in `MPI_COMM_WORLD`.
  [[nodiscard]] static std::string operation(const RankTrace& rank, const Reduction& reduction);

  /// Whether another order may give other bits. A maximum of floats counts, because of zeros and
  /// NaN, and so does an operator of the program. `nan`: one of the results is NaN.
  [[nodiscard]] static bool order_matters(const RankTrace& rank, const Reduction& reduction,
                                          bool nan);

  [[nodiscard]] const Trace& a() const { return a_; }
  [[nodiscard]] const Trace& b() const { return b_; }

 private:
  [[nodiscard]] bool same_operator(const std::string& a, const std::string& b) const;
  [[nodiscard]] bool same_reduction(const RankTrace& rank_a, const Reduction& a,
                                    const RankTrace& rank_b, const Reduction& b) const;
  [[nodiscard]] bool same_call(const RankTrace& rank_a, const Reduction& a, const RankTrace& rank_b,
                               const Reduction& b) const;

  /// Numbers of the sites of each rank: equal for equal places.
  using SiteNumbers = std::vector<std::vector<std::size_t>>;

  const Trace& a_;
  const Trace& b_;
  SiteNumbers sites_a_;
  SiteNumbers sites_b_;
  bool compares_sites_ = false;
};

/// A call of both runs, or of one that the other does not have.
struct CallPair {
  std::optional<std::size_t> a{};
  std::optional<std::size_t> b{};
  bool other = false;  ///< whether the two are different reductions
};

/// Aligns the calls of two runs on a communicator. Calls are left over where that lets the next
/// ones match.
std::vector<CallPair> pair_calls(const CallComparison& compared, const Communicator& on,
                                 const std::vector<CollectiveCall>& a,
                                 const std::vector<CollectiveCall>& b);

}  // namespace bracket::record
