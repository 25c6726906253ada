// SPDX-License-Identifier: MIT

#include <bit>

#include "bracket/model/plan.hpp"
#include "plan/exchange.hpp"

namespace bracket::model {

namespace {

/// Groups double from level to level. Where their number is odd, a 3-2 elimination, which takes two
/// rounds, reduces the first three groups to two. An earlier elimination delays only the first
/// group. As the first of three it is idle in the first of the two rounds, so that delays do not
/// add up (Rabenseifner and Träff 2004, section 3.2).
class Levels {
 public:
  explicit Levels(Exchange& exchange) : exchange_(exchange), size_(exchange.positions().size()) {}

  void run(Index position) {
    Index group = position;
    Index slot = 0;
    for (int level = 0; groups(level) > 1; ++level) {
      const Index width = Index{1} << level;
      const bool three = groups(level) % 2 == 1;
      if (three && group < 3) {
        if (!eliminate(level, slot)) return;
        if (group == 1) slot += width;
        group = 0;
        continue;
      }
      const Index from_pairs = three ? group - 3 : group;
      const Index other = from_pairs % 2 == 0 ? group + 1 : group - 1;
      exchange_.swap(place(level, other, slot), groups_of(level, other, other + 1));
      if (from_pairs % 2 == 1) slot += width;
      group = three ? 1 + from_pairs / 2 : from_pairs / 2;
    }
  }

 private:
  [[nodiscard]] Index groups(int level) const { return size_ >> level; }

  /// First position of a group. All groups but the first have 2^level positions; the first group
  /// includes the eliminated positions.
  [[nodiscard]] Index first(int level, Index group) const {
    return group == 0 ? 0 : size_ - ((groups(level) - group) << level);
  }

  /// Position of a slot. The first group's slots from 2^t on were those of its second group at
  /// level t.
  [[nodiscard]] Index place(int level, Index group, Index slot) const {
    if (group > 0) return first(level, group) + slot;
    if (slot == 0) return 0;
    const int joined = std::bit_width(static_cast<std::uint64_t>(slot)) - 1;
    return first(joined, 1) + slot - (Index{1} << joined);
  }

  [[nodiscard]] Range groups_of(int level, Index begin, Index end) const {
    return {first(level, begin), first(level, end)};
  }

  /// Eliminates one of three groups. Returns whether this rank continues.
  bool eliminate(int level, Index slot) {
    const auto peer = [&](Index group) { return place(level, group, slot); };
    return exchange_.three_to_two({peer(0), peer(1), peer(2), groups_of(level, 0, 1),
                                   groups_of(level, 1, 2), groups_of(level, 2, 3)});
  }

  Exchange& exchange_;
  Index size_;
};

class OverlappingEliminationPlan final : public ExchangePlan {
 public:
  explicit OverlappingEliminationPlan(Index threshold)
      : ExchangePlan("elimination-overlapping", threshold) {}

 private:
  void run(Exchange& exchange) const override { Levels(exchange).run(*exchange.position()); }
};

}  // namespace

std::unique_ptr<Plan> make_overlapping_elimination_plan(const Spec& spec) {
  spec.expect_at_most(1);
  return std::make_unique<OverlappingEliminationPlan>(ExchangePlan::threshold_from(spec, 0));
}

}  // namespace bracket::model
