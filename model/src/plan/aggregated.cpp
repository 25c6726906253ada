// SPDX-License-Identifier: MIT

#include <algorithm>
#include <array>
#include <optional>

#include "bracket/model/plan.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "plan/delivery.hpp"
#include "plan/frontier_part.hpp"
#include "plan/positions.hpp"

namespace bracket::model {

namespace {

/// A tree of ranks whose subtrees are contiguous in element order, so that the frontier of each is
/// one message. The head of a group of ranks is its first rank (in the group of all ranks, the
/// root). The other ranks form up to m groups of nearly equal size.
class AggregatedPlan final : public Plan {
 public:
  explicit AggregatedPlan(Index arity) : arity_(arity) {}

  std::string spec() const override { return text("aggregated:", arity_); }

  RankPart make_part(const Problem& problem, Rank rank) const override {
    FrontierPart part(problem, rank);
    const Tree tree(problem);
    if (const auto place = tree.find(rank, arity_)) {
      reduce(part, problem.distribution, tree, *place);
    }
    append_delivery(part.part(), problem, problem.delivery.root, rank);
    return part.finished();
  }

 private:
  /// Half-open range of positions in the list of members.
  struct MemberRange {
    std::size_t begin = 0;
    std::size_t end = 0;
    [[nodiscard]] std::size_t size() const { return end - begin; }
  };

  struct HeadPlace {
    MemberRange group;
    std::size_t head = 0;
    std::ptrdiff_t parent = -1;  ///< head of the group above; −1 for the root
  };

  /// The members of a group on one side of its head, cut into pieces of nearly equal size.
  struct HeadSide {
    std::size_t begin = 0;
    std::size_t count = 0;
    std::size_t pieces = 0;

    [[nodiscard]] MemberRange piece(std::size_t i) const { return {boundary(i), boundary(i + 1)}; }
    [[nodiscard]] MemberRange piece_with(std::size_t position) const {
      if (pieces == 2) return piece(position < boundary(1) ? 0 : 1);
      return piece(((position - begin + 1) * pieces - 1) / count);
    }

   private:
    /// First member of piece `i`. Avoids a division in the usual tree, where a rank calls this
    /// log2 p times to find its place.
    [[nodiscard]] std::size_t boundary(std::size_t i) const {
      return begin + (pieces == 2 ? count * i / 2 : count * i / pieces);
    }
  };

  /// The members, in element order: the ranks that take part, and the root even if it takes no
  /// part.
  class Tree {
   public:
    explicit Tree(const Problem& problem)
        : positions_(problem),
          root_(problem.delivery.root),
          top_head_(static_cast<std::size_t>(positions_.before(root_))),
          root_is_apart_(!positions_.of(root_)) {}

    [[nodiscard]] std::size_t size() const {
      return static_cast<std::size_t>(positions_.size()) + (root_is_apart_ ? 1 : 0);
    }

    [[nodiscard]] Rank rank_at(std::size_t position) const {
      if (position == top_head_) return root_;
      const bool behind_root_apart = root_is_apart_ && position > top_head_;
      return positions_.rank(static_cast<Index>(behind_root_apart ? position - 1 : position));
    }

    /// Place of `rank`. Empty if the rank takes no part and is not the root.
    [[nodiscard]] std::optional<HeadPlace> find(Rank rank, Index arity) const {
      const auto position = position_of(rank);
      if (!position) return std::nullopt;
      HeadPlace place{{0, size()}, top_head_, -1};
      if (arity == 1 && *position != top_head_) {
        place = in_chain(*position);
      } else {
        while (place.head != *position) {
          const MemberRange below = group_below(place.group, place.head, arity, *position);
          place = {below, below.begin, static_cast<std::ptrdiff_t>(place.head)};
        }
      }
      return place;
    }

    [[nodiscard]] Range elements_of(MemberRange group, const Distribution& distribution) const {
      return {distribution.range(rank_at(group.begin)).begin,
              distribution.range(rank_at(group.end - 1)).end};
    }

    /// The two sides of the head, which no group straddles. Each side that is not empty gets its
    /// share of the groups, at least one.
    static std::array<HeadSide, 2> sides(MemberRange group, std::size_t head, Index arity) {
      const std::size_t before = head - group.begin;
      const std::size_t after = group.end - head - 1;
      const std::size_t others = before + after;
      const std::size_t parts = std::min(static_cast<std::size_t>(arity), others);
      if (others == 0) return {};
      std::size_t parts_before = before == 0 ? 0 : (parts * before + others / 2) / others;
      if (before > 0) parts_before = std::max<std::size_t>(parts_before, 1);
      if (after > 0 && parts > 1) parts_before = std::min(parts_before, parts - 1);
      const std::size_t parts_after =
          after == 0 ? 0 : std::max<std::size_t>(parts - std::min(parts, parts_before), 1);
      return {HeadSide{group.begin, before, std::min(parts_before, before)},
              HeadSide{head + 1, after, std::min(parts_after, after)}};
    }

   private:
    static MemberRange group_below(MemberRange group, std::size_t head, Index arity,
                                   std::size_t position) {
      return sides(group, head, arity)[position < head ? 0 : 1].piece_with(position);
    }

    /// Place in a chain (arity 1), where a walk from the top would pass every rank above. Each
    /// side of the root is one chain from left to right.
    [[nodiscard]] HeadPlace in_chain(std::size_t position) const {
      const std::size_t end = position < top_head_ ? top_head_ : size();
      const std::size_t above = position == 0 ? top_head_ : position - 1;
      return {{position, end}, position, static_cast<std::ptrdiff_t>(above)};
    }

    [[nodiscard]] std::optional<std::size_t> position_of(Rank rank) const {
      if (rank == root_) return top_head_;
      const auto at = positions_.of(rank);
      if (!at) return std::nullopt;
      const auto position = static_cast<std::size_t>(*at);
      return root_is_apart_ && position >= top_head_ ? position + 1 : position;
    }

    Positions positions_;
    Rank root_;
    std::size_t top_head_;  // position of the root
    bool root_is_apart_;
  };

  void reduce(FrontierPart& part, const Distribution& distribution, const Tree& tree,
              const HeadPlace& place) const {
    Range covered = part.own();
    const auto receive = [&](MemberRange child) {
      const Range theirs = tree.elements_of(child, distribution);
      part.recv(tree.rank_at(child.begin), {{theirs}});
      covered = child.begin > place.head ? part.join(covered, theirs) : part.join(theirs, covered);
    };
    // Nearest neighbours first: the joined elements stay one contiguous range.
    const auto [left, right] = Tree::sides(place.group, place.head, arity_);
    for (std::size_t i = left.pieces; i-- > 0;) receive(left.piece(i));
    for (std::size_t i = 0; i < right.pieces; ++i) receive(right.piece(i));
    if (place.parent >= 0) {
      part.send(tree.rank_at(static_cast<std::size_t>(place.parent)), {{covered}});
    }
  }

  Index arity_;
};

}  // namespace

std::unique_ptr<Plan> make_aggregated_plan(const Spec& spec) {
  spec.expect_at_most(1);
  return std::make_unique<AggregatedPlan>(spec.integer(0, "arity m", 2, 1));
}

}  // namespace bracket::model
