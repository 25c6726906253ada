#include "plans/exchange.hpp"

#include <bit>

#include "bracket/model/error.hpp"

namespace bracket {

void Exchange::take(Index other, Index begin, Index end) {
  part_.recv(positions_.rank(other), positions_.elements(begin, end));
}

void Exchange::swap(Index other, Index begin, Index end) {
  give(other);
  take(other, begin, end);
}

void Exchange::ring(std::span<const Member> members, std::size_t self) {
  const std::size_t r = members.size();
  const auto elements = [&](std::size_t i) {
    return positions_.elements(members[i].begin, members[i].end);
  };
  const Rank next = positions_.rank(members[(self + 1) % r].position);
  const Rank before = positions_.rank(members[(self + r - 1) % r].position);
  for (std::size_t round = 1; round < r; ++round) {
    part_.pass(next, elements((self + r - round + 1) % r));
    part_.set_aside(before, elements((self + r - round) % r));
  }
  for (std::size_t i = self + 1; i < r; ++i) part_.join(elements(i));
  for (std::size_t i = self; i-- > 0;) part_.join(elements(i));
}

RankPart Exchange::finish() {
  const Partial result(Range{0, distribution_.elements()});
  RankPart& part = part_.part();
  const Index empty = positions_.empty();
  if (const auto at = position()) {
    if (result_from_) part.recv(positions_.rank(*result_from_), {{result}});
    for (const Index other : results_to_) part.send(positions_.rank(other), {{result}});
    for (Index e = *at; e < empty; e += positions_.size()) {
      part.send(positions_.empty_rank(e), {{result}});
    }
  } else {
    const Index number = positions_.empty_number(rank_);
    part.recv(positions_.rank(number % positions_.size()), {{result}});
  }
  return std::move(part);
}

void AllReducePlan::require(const Order&, Delivery delivery) const {
  if (!delivery.all) {
    throw Error(text("the plan ", spec_, " leaves the result on every rank: ask for that (--all)"));
  }
}

namespace {

/// An odd number q ≥ 3 of groups of `width` consecutive positions, in units that each come down to
/// two groups: three by a 3-2 elimination, four by two swaps and two 2-1 eliminations, two by a
/// swap (section 3.3).
class Elimination {
 public:
  Elimination(Index q, Index width)
      : q_(q),
        width_(width),
        units_(static_cast<Index>(std::bit_floor(static_cast<std::uint64_t>(q))) / 2),
        fours_((q - 2 * units_ - 1) / 2) {}

  void run(Exchange& exchange, Index position) const {
    const Index group = position / width_;
    const Index slot = position % width_;
    const Index unit = unit_of(group);
    const Index role = group - first_group(unit);
    const auto peer = [&](Index its_role) { return place(first_group(unit) + its_role, slot); };
    const auto groups = [&](Index begin, Index end) {
      return std::pair(place(first_group(unit) + begin, 0), place(first_group(unit) + end, 0));
    };
    const auto swap = [&](Index other) {
      const auto [begin, end] = groups(other, other + 1);
      exchange.swap(peer(other), begin, end);
    };
    const auto take = [&](Index other, Index from, Index to) {
      const auto [begin, end] = groups(from, to);
      exchange.take(peer(other), begin, end);
    };
    switch (first_group(unit + 1) - first_group(unit)) {
      case 2:
        swap(1 - role);
        break;
      case 3:
        if (role == 0) {
          exchange.give(peer(1));
          take(2, 1, 3);
        } else {
          swap(3 - role);
          if (role == 2) {
            exchange.give(peer(0));
            exchange.leave_to(peer(1));
            return;
          }
          take(0, 0, 1);
          exchange.deliver_to(peer(2));
        }
        break;
      default:
        swap(role ^ 1);
        if (role >= 2) {
          exchange.give(peer(role - 2));
          exchange.leave_to(peer(role - 2));
          return;
        }
        take(role + 2, 2, 4);
        exchange.deliver_to(peer(role + 2));
    }
    for (Index distance = 1; distance < units_; distance *= 2) {
      const Index other = unit ^ distance;
      const Index block = other - other % distance;
      exchange.swap(place(first_group(other) + role, slot), place(first_group(block), 0),
                    place(first_group(block + distance), 0));
    }
  }

 private:
  [[nodiscard]] Index place(Index group, Index slot) const { return group * width_ + slot; }

  [[nodiscard]] Index first_group(Index unit) const {
    if (unit == units_) return q_;
    if (unit <= fours_) return unit == 0 ? 0 : 3 + 4 * (unit - 1);
    return 3 + 4 * fours_ + 2 * (unit - 1 - fours_);
  }

  [[nodiscard]] Index unit_of(Index group) const {
    const Index behind = group - 3;
    if (behind < 0) return 0;
    if (behind < 4 * fours_) return 1 + behind / 4;
    return 1 + fours_ + (behind - 4 * fours_) / 2;
  }

  Index q_;
  Index width_;
  Index units_;
  Index fours_;
};

}  // namespace

RankPart staged_part(const Order& order, const Distribution& distribution, Rank rank,
                     std::span<const Index> radices) {
  Exchange exchange(order, distribution, rank);
  if (const auto at = exchange.position()) {
    Index width = 1;
    for (const Index radix : radices) {
      const Index base = *at - *at % (width * radix);
      std::vector<Exchange::Member> members;
      for (Index i = 0; i < radix; ++i) {
        const Index begin = base + i * width;
        members.push_back({begin + *at % width, begin, begin + width});
      }
      const Index self = *at / width % radix;
      if (radix == 2) {
        const auto& [position, begin, end] = members[static_cast<std::size_t>(1 - self)];
        exchange.swap(position, begin, end);
      } else {
        exchange.ring(members, static_cast<std::size_t>(self));
      }
      width *= radix;
    }
    const Index left = exchange.positions().size() / width;
    if (left > 1) Elimination(left, width).run(exchange, *at);
  }
  return exchange.finish();
}

}  // namespace bracket
