// SPDX-License-Identifier: MIT

#include "plan/exchange.hpp"

#include <bit>

#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "plan/delivery.hpp"

namespace bracket::model {

Exchange::Exchange(const Problem& problem, Rank rank, Index threshold)
    : problem_(problem),
      positions_(problem),
      rank_(rank),
      threshold_(threshold),
      position_(positions_.of(rank)),
      part_(problem, rank),
      covered_(part_.own()) {
  if (position_) group_ = {*position_, *position_ + 1};
}

bool Exchange::shares(Index among) const {
  return part_.items().size() > threshold_ && part_.items().size() >= among;
}

void Exchange::send(Index other, Range items) {
  part_.send(positions_.rank(other), {{covered_}}, items);
}

void Exchange::recv(Index other, Range theirs) {
  part_.recv(positions_.rank(other), {{positions_.elements(theirs)}});
  merge(theirs);
}

void Exchange::merge(Range theirs) {
  const Range elements = positions_.elements(theirs);
  if (theirs.begin == group_.end) {
    covered_ = part_.join(covered_, elements);
    group_.end = theirs.end;
  } else {
    covered_ = part_.join(elements, covered_);
    group_.begin = theirs.begin;
  }
}

Exchange::ResultTransfer Exchange::result_to(Index other, Range group, Range items) const {
  const Range wanted = wanted_items(problem_, positions_.families(group));
  return {StepKind::send, other, {items.intersection(wanted)}};
}

Exchange::ResultTransfer Exchange::result_from(Index other, Range group, Range items) const {
  const Range wanted = wanted_items(problem_, positions_.families(group));
  return {StepKind::recv, other, {items.intersection(wanted)}};
}

void Exchange::swap(Index other, Range theirs) {
  const Range all = part_.items();
  if (!shares(2)) {
    send(other, all);
    recv(other, theirs);
    return;
  }
  Range kept{all.begin, all.begin + all.size() / 2};
  Range given{kept.end, all.end};
  if (theirs.begin < group_.begin) std::swap(kept, given);
  unwind_.push_back({result_to(other, theirs, kept), result_from(other, group_, given)});
  send(other, given);
  part_.narrow(kept);
  recv(other, theirs);
}

void Exchange::absorb(Index other, Range theirs) {
  unwind_.push_back({result_to(other, theirs, part_.items())});
  recv(other, theirs);
}

void Exchange::leave_to(Index other) {
  unwind_.push_back({result_from(other, group_, part_.items())});
  send(other, part_.items());
}

bool Exchange::three_to_two(const Three& groups) {
  const auto& [first, second, third, firsts, seconds, thirds] = groups;
  const Range all = part_.items();
  const bool share = shares(2);
  const Range lower = share ? Range{all.begin, all.begin + all.size() / 2} : all;
  const Range upper = share ? Range{lower.end, all.end} : all;
  const Range later{seconds.begin, thirds.end};
  if (*position_ == first) {
    if (share) {
      unwind_.push_back({result_to(third, later, lower), result_from(second, group_, upper)});
    }
    send(second, upper);
    part_.narrow(lower);
    recv(third, later);
    return true;
  }
  if (*position_ == second) {
    if (share) {
      unwind_.push_back({result_to(third, thirds, upper), result_from(third, group_, lower)});
      unwind_.push_back({result_to(first, firsts, upper)});
    } else {
      unwind_.push_back({result_to(third, thirds, all)});
    }
    send(third, lower);
    part_.narrow(upper);
    recv(third, thirds);
    recv(first, firsts);
    return true;
  }
  if (share) {
    unwind_.push_back({result_to(second, seconds, lower), result_from(second, group_, upper)});
    unwind_.push_back({result_from(first, later, lower)});
  } else {
    unwind_.push_back({result_from(second, group_, all)});
  }
  send(second, upper);
  part_.narrow(lower);
  recv(second, seconds);
  send(first, lower);
  return false;
}

void Exchange::ring(std::span<const Member> members, std::size_t self) {
  if (shares(static_cast<Index>(members.size()))) {
    ring_shared(members, self);
  } else {
    ring_around(members, self);
  }
  for (std::size_t i = self + 1; i < members.size(); ++i) merge(members[i].group);
  for (std::size_t i = self; i-- > 0;) merge(members[i].group);
}

void Exchange::ring_around(std::span<const Member> members, std::size_t self) {
  const std::size_t r = members.size();
  const Rank next = positions_.rank(members[(self + 1) % r].position);
  const Rank before = positions_.rank(members[(self + r - 1) % r].position);
  for (std::size_t round = 1; round < r; ++round) {
    const Member& passed = members[(self + r - round + 1) % r];
    const Member& received = members[(self + r - round) % r];
    part_.send(next, {{positions_.elements(passed.group)}});
    part_.recv(before, {{positions_.elements(received.group)}});
  }
}

void Exchange::ring_shared(std::span<const Member> members, std::size_t self) {
  const std::size_t r = members.size();
  const Range all = part_.items();
  const auto share = [&](std::size_t i) {
    const Range part = block(all.size(), static_cast<Index>(i), static_cast<Index>(r));
    return Range{all.begin + part.begin, all.begin + part.end};
  };
  if (problem_.delivery.collective == Collective::all_reduce) {
    unwind_.push_back(all_gather(members, self, all));
  } else {
    ResultTransfers transfers;
    for (std::size_t round = 1; round < r; ++round) {
      const Member& to = members[(self + round) % r];
      const std::size_t from = (self + r - round) % r;
      transfers.push_back(result_to(to.position, to.group, share(self)));
      transfers.push_back(result_from(members[from].position, group_, share(from)));
    }
    unwind_.push_back(std::move(transfers));
  }
  part_.narrow(share(self));
  for (std::size_t round = 1; round < r; ++round) {
    const std::size_t to = (self + round) % r;
    const Member& from = members[(self + r - round) % r];
    send(members[to].position, share(to));
    part_.recv(positions_.rank(from.position), {{positions_.elements(from.group)}});
  }
}

/// Bruck's all-gather: in each round a rank receives, from the rank 2^k behind it, as many shares
/// as it has, or the ones it still lacks.
Exchange::ResultTransfers Exchange::all_gather(std::span<const Member> members, std::size_t self,
                                               Range items) const {
  const std::size_t r = members.size();
  const auto shares_from = [&](std::size_t first, std::size_t count) {
    std::vector<Range> ranges;
    const auto add = [&](std::size_t begin, std::size_t end) {
      const auto blocks = static_cast<Index>(r);
      const Range range{block(items.size(), static_cast<Index>(begin), blocks).begin,
                        block(items.size(), static_cast<Index>(end) - 1, blocks).end};
      ranges.push_back({items.begin + range.begin, items.begin + range.end});
    };
    add(first, std::min(first + count, r));
    if (first + count > r) add(0, first + count - r);
    return ranges;
  };
  ResultTransfers transfers;
  for (std::size_t have = 1; have < r; have *= 2) {
    const std::size_t count = std::min(have, r - have);
    const std::size_t to = (self + r - have) % r;
    const std::size_t from = (self + have) % r;
    transfers.push_back({StepKind::send, members[to].position, shares_from(self, count)});
    transfers.push_back({StepKind::recv, members[from].position, shares_from(from, count)});
  }
  return transfers;
}

void Exchange::disseminate() {
  const Index p = positions_.size();
  const Index at = *position_;
  // Collected elements lie behind this rank's position and, if the collection has wrapped around,
  // in front of it.
  Range behind{covered_.end, covered_.end};
  Range front;
  Index collected = 0;
  // Joined to the rank's own frontier only before that is sent, or at the end: the receiver of the
  // next message does not wait for it.
  std::vector<Range> not_joined;
  const auto join_all = [&] {
    for (const Range range : not_joined) covered_ = part_.join(covered_, range);
    not_joined.clear();
  };
  // The positions [begin, begin + count), cyclic, as one or two ranges of elements.
  const auto ranges_of = [&](Index begin, Index count) {
    std::vector<Range> ranges;
    begin %= p;
    if (begin + count > p) ranges.push_back(positions_.elements({0, begin + count - p}));
    ranges.push_back(positions_.elements({begin, std::min(begin + count, p)}));
    return ranges;
  };
  for (Index bit = static_cast<Index>(std::bit_floor(static_cast<std::uint64_t>(p - 1))); bit > 0;
       bit /= 2) {
    const bool with_own = ((p - 1) & bit) != 0;
    const Index distance = collected + (with_own ? 1 : 0);
    if (with_own) join_all();
    part_.send(positions_.rank((at + p - distance) % p),
               ranges_of(with_own ? at : at + 1, distance));
    const Index from = at + distance;
    const auto received = ranges_of(with_own ? from : from + 1, distance);
    part_.recv(positions_.rank(from % p), received);
    for (const Range range : received) {
      if (range.begin >= part_.own().end) {
        behind = part_.join(behind, range);
        not_joined.push_back(range);
      } else {
        front = part_.join(front, range);
      }
    }
    collected += distance;
  }
  join_all();
  covered_ = part_.join(front, covered_);
  group_ = {0, p};
}

RankPart Exchange::finish() {
  RankPart& part = part_.part();
  const Partial result(Range{0, problem_.distribution.elements()});
  for (auto transfers = unwind_.rbegin(); transfers != unwind_.rend(); ++transfers) {
    for (const auto& [kind, other, items] : *transfers) {
      std::vector<Partial> pieces;
      for (const Range segment : items) {
        if (!segment.empty()) pieces.push_back(result.over(segment));
      }
      if (!pieces.empty()) part.add(kind, positions_.rank(other), pieces);
    }
  }
  const Index head = positions_.head_of(rank_);
  append_delivery(part, problem_, positions_.families({head, head + 1}), positions_.rank(head),
                  rank_);
  return part_.finished();
}

ExchangePlan::ExchangePlan(const std::string& spec, Index threshold)
    : spec_(text(spec, ':', threshold)), threshold_(threshold) {}

RankPart ExchangePlan::make_part(const Problem& problem, Rank rank) const {
  Exchange exchange(problem, rank, threshold_);
  if (exchange.position()) run(exchange);
  return exchange.finish();
}

}  // namespace bracket::model
