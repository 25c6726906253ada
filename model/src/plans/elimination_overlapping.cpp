#include <bit>

#include "plans/exchange.hpp"
#include "plans/plans.hpp"

namespace bracket {

namespace {

/// Groups double from level to level. Where their number is odd, the first three come down to two
/// by a 3-2 elimination, which takes two rounds; the first group is the one that an earlier
/// elimination has delayed, and as the first of three it has nothing to do in the first of the
/// two, so that delays do not add up (Rabenseifner and Träff 2004, section 3.2).
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
        if (!eliminate(level, group, slot)) return;
        if (group == 1) slot += width;
        group = 0;
        continue;
      }
      const Index from_pairs = three ? group - 3 : group;
      const Index other = from_pairs % 2 == 0 ? group + 1 : group - 1;
      exchange_.swap(place(level, other, slot), first(level, other), first(level, other + 1));
      if (from_pairs % 2 == 1) slot += width;
      group = three ? 1 + from_pairs / 2 : from_pairs / 2;
    }
  }

 private:
  [[nodiscard]] Index groups(int level) const { return size_ >> level; }

  /// First position of a group. All but the first have 2^level positions; those eliminated so far
  /// are in the first.
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

  /// Whether the rank goes on.
  bool eliminate(int level, Index group, Index slot) {
    const auto peer = [&](Index other) { return place(level, other, slot); };
    if (group == 0) {
      exchange_.give(peer(1));
      exchange_.take(peer(2), first(level, 1), first(level, 3));
      return true;
    }
    exchange_.swap(peer(3 - group), first(level, 3 - group), first(level, 4 - group));
    if (group == 2) {
      exchange_.give(peer(0));
      exchange_.leave_to(peer(1));
      return false;
    }
    exchange_.take(peer(0), first(level, 0), first(level, 1));
    exchange_.deliver_to(peer(2));
    return true;
  }

  Exchange& exchange_;
  Index size_;
};

class OverlappingEliminationPlan final : public AllReducePlan {
 public:
  using AllReducePlan::AllReducePlan;

  RankPart part(const Order& order, const Distribution& distribution, Delivery,
                Rank rank) const override {
    Exchange exchange(order, distribution, rank);
    if (const auto at = exchange.position()) Levels(exchange).run(*at);
    return exchange.finish();
  }
};

}  // namespace

std::unique_ptr<Plan> make_overlapping_elimination_plan(const Spec& spec) {
  spec.expect_at_most(0);
  return std::make_unique<OverlappingEliminationPlan>("elimination-overlapping");
}

}  // namespace bracket
