// SPDX-License-Identifier: MIT

#include "bracket/model/verify.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <unordered_map>

#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "schedule/holdings.hpp"

namespace bracket {

std::string describe(const Schedule& schedule, const Violation& violation) {
  if (violation.rank < 0) return violation.what;
  if (violation.step < 0) return text("rank ", violation.rank, ": ", violation.what);
  const auto& part = schedule.parts[static_cast<std::size_t>(violation.rank)];
  const auto& step = part.steps()[static_cast<std::size_t>(violation.step)];
  return text("rank ", violation.rank, ", step ", violation.step, " (", describe(part, step),
              "): ", violation.what);
}

namespace {

/// A message under way: a send step of `from`.
struct Posted {
  Rank from = 0;
  std::size_t step = 0;
};

/// Messages from one rank to another arrive in the order in which they were sent.
using Channels = std::unordered_map<std::uint64_t, std::deque<Posted>>;

std::uint64_t channel(Rank from, Rank to) {
  return static_cast<std::uint64_t>(static_cast<std::uint32_t>(from)) << 32 |
         static_cast<std::uint32_t>(to);
}

bool same_operands(const RankPart& a, const Step& x, const RankPart& b, const Step& y) {
  const auto left = a.operands(x);
  const auto right = b.operands(y);
  return std::equal(left.begin(), left.end(), right.begin(), right.end());
}

/// Runs every rank as far as possible, with sends that do not block, and records violations.
class SymbolicRun {
 public:
  SymbolicRun(const Schedule& schedule, const Order& order) : schedule_(schedule), order_(order) {
    for (Rank rank = 0; rank < schedule.ranks(); ++rank) {
      ranks_.push_back({0, model::Holdings(schedule.distribution.range(rank), schedule.items), -1});
    }
  }

  std::vector<Violation> run() {
    std::deque<Rank> ready;
    for (Rank rank = 0; rank < schedule_.ranks(); ++rank) ready.push_back(rank);
    while (!ready.empty()) {
      const Rank rank = ready.front();
      ready.pop_front();
      advance(rank, ready);
    }
    report_stuck();
    report_unreceived();
    report_results();
    return std::move(violations_);
  }

 private:
  struct RankProgress {
    std::size_t next = 0;  // next step to run
    model::Holdings holdings;
    Rank waits_for = -1;
  };

  void refuse(Rank rank, std::size_t step, std::string what) {
    violations_.push_back({rank, static_cast<std::ptrdiff_t>(step), std::move(what)});
  }

  void advance(Rank rank, std::deque<Rank>& ready) {
    RankProgress& state = ranks_[static_cast<std::size_t>(rank)];
    const RankPart& part = schedule_.parts[static_cast<std::size_t>(rank)];
    state.waits_for = -1;
    for (; state.next < part.steps().size(); ++state.next) {
      const Step& step = part.steps()[state.next];
      check_segments(rank, state, part, step);
      switch (step.kind) {
        case StepKind::fold:
          fold(rank, state, part, step);
          break;
        case StepKind::join:
          join(rank, state, part, step);
          break;
        case StepKind::send:
          send(rank, state, part, step, ready);
          break;
        case StepKind::recv:
          if (!recv(rank, state, part, step)) return;
          break;
      }
    }
  }

  void check_segments(Rank rank, const RankProgress& state, const RankPart& part,
                      const Step& step) {
    const Range all{0, schedule_.items};
    for (const Partial& partial : part.operands(step)) {
      if (partial.segment.empty() || !all.contains(partial.segment)) {
        refuse(rank, state.next,
               text("items ", partial.segment, " of elements that have the items ", all));
      }
    }
  }

  [[nodiscard]] std::string named(Rank rank, const Partial& partial) const {
    return describe(schedule_.parts[static_cast<std::size_t>(rank)], partial);
  }

  void make(Rank rank, RankProgress& state, const Partial& value) {
    if (state.holdings.has_some(value)) {
      refuse(rank, state.next, text("makes ", named(rank, value), " a second time"));
    }
    state.holdings.take(value);
  }

  void need(Rank rank, const RankProgress& state, const Partial& partial) {
    if (!state.holdings.has(partial)) {
      refuse(rank, state.next,
             text("the rank does not hold ", named(rank, partial), " at this point"));
    }
  }

  bool is_message_peer(Rank rank, std::size_t step, Rank peer) {
    if (peer >= 0 && peer < schedule_.ranks() && peer != rank) return true;
    refuse(rank, step,
           peer == rank
               ? std::string("a message to the rank itself")
               : text("rank ", peer, " does not exist: they are 0 to ", schedule_.ranks() - 1));
    return false;
  }

  void fold(Rank rank, RankProgress& state, const RankPart& part, const Step& step) {
    const Partial& operand = part.operands(step)[0];
    const Range range = operand.range;
    if (range.empty() || operand.run || !state.holdings.has_elements(range, operand.segment)) {
      refuse(rank, state.next,
             text("folds ", range, ", but the rank holds the elements ",
                  schedule_.distribution.range(rank), " and what it received"));
    } else if (!order_.is_bracket(range)) {
      refuse(rank, state.next, text(range, " is no bracket of the ", order_.spec(), " order"));
    }
    make(rank, state, operand);
  }

  void join(Rank rank, RankProgress& state, const RankPart& part, const Step& step) {
    const Partial left = part.operands(step)[0];
    const Partial right = part.operands(step)[1];
    need(rank, state, left);
    need(rank, state, right);
    if (left.segment != right.segment) {
      refuse(rank, state.next,
             text("joins the items ", left.segment, " with the items ", right.segment));
    }
    if (!order_.joinable(left, right)) {
      refuse(rank, state.next,
             text("the ", order_.spec(), " order does not join ", left, " and ", right,
                  order_.joinable(right, left) ? " (the operands are swapped)" : ""));
    }
    make(rank, state, part.result(step));
  }

  void send(Rank rank, RankProgress& state, const RankPart& part, const Step& step,
            std::deque<Rank>& ready) {
    if (step.count == 0) refuse(rank, state.next, "an empty message");
    for (const Partial& partial : part.operands(step)) need(rank, state, partial);
    if (!is_message_peer(rank, state.next, step.peer)) return;
    channels_[channel(rank, step.peer)].push_back({rank, state.next});
    if (ranks_[static_cast<std::size_t>(step.peer)].waits_for == rank) {
      ranks_[static_cast<std::size_t>(step.peer)].waits_for = -1;
      ready.push_back(step.peer);
    }
  }

  bool recv(Rank rank, RankProgress& state, const RankPart& part, const Step& step) {
    if (!is_message_peer(rank, state.next, step.peer)) return true;
    auto& queue = channels_[channel(step.peer, rank)];
    if (queue.empty()) {
      state.waits_for = step.peer;
      return false;
    }
    const auto& sender = schedule_.parts[static_cast<std::size_t>(step.peer)];
    const Step& sent = sender.steps()[queue.front().step];
    if (!same_operands(part, step, sender, sent)) {
      refuse(rank, state.next,
             text("expects other partials than rank ", step.peer, " sends in its step ",
                  queue.front().step, " (", describe(sender, sent), ")"));
    }
    queue.pop_front();
    for (const Partial& partial : part.operands(step)) state.holdings.take(partial);
    return true;
  }

  void report_stuck() {
    for (Rank rank = 0; rank < schedule_.ranks(); ++rank) {
      const RankProgress& state = ranks_[static_cast<std::size_t>(rank)];
      if (state.waits_for < 0) continue;
      const auto& other = ranks_[static_cast<std::size_t>(state.waits_for)];
      refuse(
          rank, state.next,
          other.waits_for < 0
              ? text("waits forever: rank ", state.waits_for, " sends no such message")
              : text("waits forever for rank ", state.waits_for, ", which itself waits for rank ",
                     other.waits_for, " in its step ", other.next));
    }
  }

  void report_unreceived() {
    // In rank order, not in that of the hash table.
    std::map<std::pair<Rank, std::size_t>, bool> unreceived;
    for (const auto& [key, queue] : channels_) {
      for (const Posted& posted : queue) unreceived[{posted.from, posted.step}] = true;
    }
    for (const auto& [posted, _] : unreceived) {
      refuse(posted.first, posted.second, "the message is never received");
    }
  }

  void report_results() {
    const Partial result(Range{0, schedule_.elements()});
    for (Rank rank = 0; rank < schedule_.ranks(); ++rank) {
      const Range items = schedule_.delivery.wanted(rank, schedule_.ranks(), schedule_.items);
      const auto& holdings = ranks_[static_cast<std::size_t>(rank)].holdings;
      if (!items.empty() && !holdings.has(result.over(items))) {
        violations_.push_back(
            {rank, -1, text("ends without the result ", named(rank, result.over(items)))});
      }
    }
  }

  const Schedule& schedule_;
  const Order& order_;
  std::vector<RankProgress> ranks_;
  Channels channels_;
  std::vector<Violation> violations_;
};

/// Whether a schedule without violations ends when a send blocks until it is received.
bool ends_with_rendezvous(const Schedule& schedule) {
  std::vector<std::size_t> next(schedule.parts.size());
  const auto current = [&](Rank rank) -> const Step* {
    const auto i = static_cast<std::size_t>(rank);
    const auto& steps = schedule.parts[i].steps();
    return next[i] < steps.size() ? &steps[next[i]] : nullptr;
  };
  std::vector<Rank> ready(schedule.parts.size());
  for (std::size_t i = 0; i < ready.size(); ++i) ready[i] = static_cast<Rank>(i);
  std::size_t unfinished = ready.size();
  while (!ready.empty()) {
    const Rank rank = ready.back();
    ready.pop_back();
    while (const Step* step = current(rank)) {
      if (step->is_message()) {
        const Step* other = current(step->peer);
        const bool met = other != nullptr && other->peer == rank && other->kind != step->kind &&
                         other->is_message();
        if (!met) break;  // the peer returns to this rank when it gets there
        ++next[static_cast<std::size_t>(step->peer)];
        ready.push_back(step->peer);
      }
      ++next[static_cast<std::size_t>(rank)];
    }
  }
  for (Rank rank = 0; rank < schedule.ranks(); ++rank) {
    if (current(rank) == nullptr) --unfinished;
  }
  return unfinished == 0;
}

}  // namespace

Verdict verify(const Schedule& schedule) {
  Verdict verdict;
  if (schedule.parts.size() != static_cast<std::size_t>(schedule.ranks())) {
    verdict.violations.push_back({-1, -1,
                                  text("the schedule has ", schedule.parts.size(), " parts for ",
                                       schedule.ranks(), " ranks")});
    return verdict;
  }
  try {
    check_items(schedule.elements(), schedule.items);
    check_fields(schedule.items, schedule.delivery);
  } catch (const Error& failure) {
    verdict.violations.push_back({-1, -1, failure.what()});
    return verdict;
  }
  if (schedule.delivery.root < 0 || schedule.delivery.root >= schedule.ranks()) {
    verdict.violations.push_back(
        {-1, -1, text("the root, rank ", schedule.delivery.root, ", does not exist")});
    return verdict;
  }
  const auto order = make_order(schedule.order, schedule.elements());
  if (schedule.order_version != order.version()) {
    verdict.violations.push_back(
        {-1, -1,
         text("the schedule is for version ", schedule.order_version, " of the ", schedule.order,
              " order, this is version ", order.version())});
    return verdict;
  }
  verdict.violations = SymbolicRun(schedule, order).run();
  if (verdict.ok()) verdict.ends_with_blocking_sends = ends_with_rendezvous(schedule);
  return verdict;
}

}  // namespace bracket
