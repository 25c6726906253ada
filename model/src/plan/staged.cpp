// SPDX-License-Identifier: MIT

#include "plan/staged.hpp"

#include <bit>

namespace bracket::model {

namespace {

/// An odd number q ≥ 3 of groups of `width` consecutive positions, in units. Each unit is reduced
/// to two groups: three groups by a 3-2 elimination, four by two swaps and two 2-1 eliminations,
/// two by a swap (section 3.3).
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
      return Range{place(first_group(unit) + begin, 0), place(first_group(unit) + end, 0)};
    };
    switch (first_group(unit + 1) - first_group(unit)) {
      case 2:
        exchange.swap(peer(1 - role), groups(1 - role, 2 - role));
        break;
      case 3:
        if (!exchange.three_to_two(
                {peer(0), peer(1), peer(2), groups(0, 1), groups(1, 2), groups(2, 3)})) {
          return;
        }
        break;
      default:
        exchange.swap(peer(role ^ 1), groups(role ^ 1, (role ^ 1) + 1));
        if (role >= 2) {
          exchange.leave_to(peer(role - 2));
          return;
        }
        exchange.absorb(peer(role + 2), groups(2, 4));
    }
    for (Index distance = 1; distance < units_; distance *= 2) {
      const Index other = unit ^ distance;
      const Index block = other - other % distance;
      exchange.swap(place(first_group(other) + role, slot),
                    {place(first_group(block), 0), place(first_group(block + distance), 0)});
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

void merge_in_stages(Exchange& exchange, std::span<const Index> radices) {
  const Index at = *exchange.position();
  Index width = 1;
  for (const Index radix : radices) {
    const Index base = at - at % (width * radix);
    std::vector<Exchange::Member> members;
    for (Index i = 0; i < radix; ++i) {
      const Index begin = base + i * width;
      members.push_back({begin + at % width, {begin, begin + width}});
    }
    const auto self = static_cast<std::size_t>(at / width % radix);
    if (radix == 2) {
      exchange.swap(members[1 - self].position, members[1 - self].group);
    } else {
      exchange.ring(members, self);
    }
    width *= radix;
  }
  const Index left = exchange.positions().size() / width;
  if (left > 1) Elimination(left, width).run(exchange, at);
}

}  // namespace bracket::model
