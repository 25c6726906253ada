// SPDX-License-Identifier: MIT

#include <deque>
#include <map>
#include <optional>
#include <random>

#include "bracket/model/plan.hpp"
#include "bracket/model/verify.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "support/catch.hpp"

namespace mutant_test {

using namespace bracket;

namespace {

/// Runs a schedule with strings as values: `a` ∘ `b` is `(ab)`, so each bracketing and each order
/// of operands gives another string. Shares only the schedule with `verify`.
class StringRun {
 public:
  explicit StringRun(const Schedule& schedule) : schedule_(schedule) {}

  static std::string joined(const std::string& left, const std::string& right) {
    return text('(', left, right, ')');
  }

  static std::string element(Index x, Index item) { return text(x, '.', item, ','); }

  /// Result of the bracketing on a single rank.
  static std::string serial(const Order& order, Range bracket, Index item) {
    if (bracket.size() == 1) return element(bracket.begin, item);
    const Index middle = order.split(bracket);
    return joined(serial(order, {bracket.begin, middle}, item),
                  serial(order, {middle, bracket.end}, item));
  }

  /// Runs the schedule. Returns true if every rank reaches its end, every message is received, and
  /// each result equals the serial one.
  bool right() {
    const auto order = make_order(schedule_.order, schedule_.elements());
    std::vector<std::size_t> next(schedule_.parts.size());
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t rank = 0; rank < next.size(); ++rank) {
        const auto& part = schedule_.parts[rank];
        while (next[rank] < part.steps().size() && step(order, rank, part.steps()[next[rank]])) {
          ++next[rank];
          moved = true;
        }
      }
    }
    for (std::size_t rank = 0; rank < next.size(); ++rank) {
      if (next[rank] != schedule_.parts[rank].steps().size()) return false;
      const Range all{0, schedule_.elements()};
      const Range due =
          schedule_.delivery.wanted(static_cast<Rank>(rank), schedule_.ranks(), schedule_.items);
      for (Index item = due.begin; item < due.end; ++item) {
        if (held_[rank][{all, item}] != serial(order, all, item)) return false;
      }
    }
    for (const auto& [_, queue] : messages_) {
      if (!queue.empty()) return false;
    }
    return true;
  }

 private:
  using Held = std::map<std::pair<Range, Index>, std::string>;

  /// Strings of one item of a partial; no value if the rank does not hold it.
  std::optional<std::vector<std::string>> values_of(std::size_t rank, const Partial& partial,
                                                    Index item, bool elements) {
    const Held& held = held_[rank];
    std::vector<std::string> values;
    if (!elements) {
      const auto found = held.find({partial.range, item});
      if (found == held.end()) return std::nullopt;
      return std::vector{found->second};
    }
    for (Index x = partial.range.begin; x < partial.range.end; ++x) {
      const auto found = held.find({{x, x + 1}, item});
      if (schedule_.distribution.range(static_cast<Rank>(rank)).contains(x)) {
        values.push_back(element(x, item));
      } else if (found != held.end()) {
        values.push_back(found->second);
      } else {
        return std::nullopt;
      }
    }
    return values;
  }

  /// Does a step. Returns false if the step is not possible now, or ever.
  bool step(const Order& order, std::size_t rank, const Step& step) {
    const auto operands = schedule_.parts[rank].operands(step);
    auto& held = held_[rank];
    switch (step.kind) {
      case StepKind::fold: {
        const Partial& value = operands[0];
        for (Index item = value.segment.begin; item < value.segment.end; ++item) {
          if (!values_of(rank, value, item, true)) return false;
          held[{value.range, item}] = serial(order, value.range, item);
        }
        return true;
      }
      case StepKind::join: {
        const Range range{operands[0].range.begin, operands[1].range.end};
        const Range segment = operands[0].segment;
        if (operands[1].segment != segment) return false;
        for (Index item = segment.begin; item < segment.end; ++item) {
          const auto left = values_of(rank, operands[0], item, false);
          const auto right = values_of(rank, operands[1], item, operands[1].run);
          if (!left || !right) return false;
          std::string value = left->front();
          for (const auto& next : *right) value = joined(value, next);
          held[{range, item}] = value;
        }
        return true;
      }
      case StepKind::send: {
        std::vector<std::string> message;
        for (const Partial& partial : operands) {
          for (Index item = partial.segment.begin; item < partial.segment.end; ++item) {
            const auto values = values_of(rank, partial, item, partial.run);
            if (!values) return false;
            message.insert(message.end(), values->begin(), values->end());
          }
        }
        messages_[{static_cast<Rank>(rank), step.peer}].push_back(message);
        return true;
      }
      case StepKind::recv: {
        auto& queue = messages_[{step.peer, static_cast<Rank>(rank)}];
        if (queue.empty()) return false;
        // A message carries only values; the receiver's step says which partials they are.
        Index expected = 0;
        for (const Partial& partial : operands) expected += partial.values();
        if (static_cast<std::size_t>(expected) != queue.front().size()) return false;
        auto value = queue.front().begin();
        for (const Partial& partial : operands) {
          for (Index item = partial.segment.begin; item < partial.segment.end; ++item) {
            if (!partial.run) held[{partial.range, item}] = *value++;
            for (Index x = partial.range.begin; partial.run && x < partial.range.end; ++x) {
              held[{{x, x + 1}, item}] = *value++;
            }
          }
        }
        queue.pop_front();
        return true;
      }
    }
    return false;
  }

  const Schedule& schedule_;
  std::map<std::size_t, Held> held_;
  std::map<std::pair<Rank, Rank>, std::deque<std::vector<std::string>>> messages_;
};

enum class Mutation {
  drop,
  duplicate,
  swap_operands,
  redirect,
  reorder,
  other_partial,
  other_segment
};
constexpr int mutations = 7;

/// `schedule` with one step changed; no value if the mutation does not apply to the step.
std::optional<Schedule> mutant(const Schedule& schedule, Mutation mutation,
                               std::mt19937_64& random) {
  const std::size_t rank = random() % schedule.parts.size();
  const RankPart& part = schedule.parts[rank];
  if (part.steps().empty()) return std::nullopt;
  const std::size_t at = random() % part.steps().size();
  Schedule changed = schedule;
  RankPart& result = changed.parts[rank] = RankPart(schedule.items);
  for (std::size_t i = 0; i < part.steps().size(); ++i) {
    Step step = part.steps()[i];
    std::vector<Partial> operands(part.operands(step).begin(), part.operands(step).end());
    const bool message = step.is_message();
    if (i == at) {
      switch (mutation) {
        case Mutation::drop:
          continue;
        case Mutation::duplicate:
          result.add(step.kind, step.peer, operands);
          break;
        case Mutation::swap_operands:
          if (operands.size() < 2) return std::nullopt;
          std::swap(operands[0], operands[1]);
          break;
        case Mutation::redirect:
          if (!message || schedule.ranks() < 3) return std::nullopt;
          do {
            step.peer = static_cast<Rank>(random() % schedule.parts.size());
          } while (step.peer == part.steps()[i].peer || step.peer == static_cast<Rank>(rank));
          break;
        case Mutation::reorder:
          if (i + 1 == part.steps().size()) return std::nullopt;
          result.add(part.steps()[i + 1].kind, part.steps()[i + 1].peer,
                     part.operands(part.steps()[i + 1]));
          break;
        case Mutation::other_partial:
          ++operands[random() % operands.size()].range.end;
          break;
        case Mutation::other_segment: {
          Range& segment = operands[random() % operands.size()].segment;
          if (random() % 2 == 0) {
            ++segment.end;
          } else if (segment.size() > 1) {
            ++segment.begin;
          } else {
            return std::nullopt;
          }
          break;
        }
      }
    }
    if (mutation == Mutation::reorder && i == at + 1) continue;
    result.add(step.kind, step.peer, operands);
  }
  return changed;
}

}  // namespace

TEST_CASE("every plan gives the serial bracketing when it is run with strings") {
  for (const char* order : {"tree", "chunked-tree:4", "sequential"}) {
    for (Rank p = 1; p <= 17; ++p) {
      for (const char* distribution : {"lower", "power2"}) {
        for (const Index elements : {1, 7, 30}) {
          const auto held = make_distribution(distribution, elements, p);
          for (const auto& row : plans()) {
            const auto plan = make_plan(row.entry.name);
            if (!plan->scheduled()) continue;
            for (const Delivery delivery :
                 {Delivery::to(p / 3), Delivery::to_all(), Delivery::scattered()}) {
              for (const Index items : {1, 2}) {
                const Schedule schedule =
                    make_schedule(make_order(order, elements), held, *plan, delivery, items);
                CAPTURE(order, p, distribution, elements, schedule.plan, items);
                CHECK(StringRun(schedule).right());
              }
            }
          }
        }
      }
    }
  }
}

TEST_CASE("halving gives every item the serial bracketing") {
  for (const char* order : {"tree", "chunked-tree:4", "sequential"}) {
    for (Rank p = 1; p <= 17; ++p) {
      for (const Index elements : {p, 3 * p + 1}) {
        const auto held = lower_distribution(elements, p);
        for (const char* plan : {"butterfly:1", "butterfly:3", "elimination:1", "elimination:4",
                                 "elimination-overlapping:1", "elimination-overlapping:4", "ring:1",
                                 "composed:3:1", "composed:5:1"}) {
          for (const Delivery delivery :
               {Delivery::to(p / 2), Delivery::to_all(), Delivery::scattered()}) {
            const Schedule schedule =
                make_schedule(make_order(order, elements), held, *make_plan(plan), delivery, 11);
            CAPTURE(order, p, plan, elements, name_of(delivery.collective));
            CHECK(StringRun(schedule).right());
          }
        }
      }
    }
  }
}

TEST_CASE("changed schedules are refused, or run right all the same") {
  std::mt19937_64 random(20040918);
  std::map<bool, int> verified;
  for (int i = 0; verified[false] + verified[true] < 3000; ++i) {
    const auto elements = static_cast<Index>(1 + random() % 60);
    const auto p = static_cast<Rank>(2 + random() % 11);
    const char* const orders[] = {"tree", "chunked-tree:3", "sequential"};
    const auto order = make_order(orders[random() % 3], elements);
    const auto distribution =
        make_distribution(random() % 2 == 0 ? "lower" : "optimized:0.7", elements, p);
    const char* const halving[] = {"butterfly:1", "elimination:2", "elimination-overlapping:1",
                                   "ring:1", "composed:3:1"};
    const Index items = random() % 2 == 0 ? 1 : 6;
    const auto plan = items == 1 ? make_plan(plans()[random() % plans().size()].entry.name)
                                 : make_plan(halving[random() % std::size(halving)]);
    if (!plan->scheduled()) continue;
    const Delivery deliveries[] = {Delivery::to(0), Delivery::to_all(), Delivery::scattered()};
    const auto schedule =
        make_schedule(order, distribution, *plan, deliveries[random() % 3], items);
    const auto changed = mutant(schedule, static_cast<Mutation>(random() % mutations), random);
    if (!changed || *changed == schedule) continue;
    const bool accepted = verify(*changed).ok();
    ++verified[accepted];
    CAPTURE(i, schedule.plan, schedule.order, elements, p);
    // An accepted mutant is equivalent: independent steps in another order.
    if (accepted) CHECK(StringRun(*changed).right());
  }
  // Most mutations change the result.
  CHECK(verified[false] > 5 * verified[true]);
  WARN(verified[false] << " changed schedules refused, " << verified[true] << " equivalent");
}

}  // namespace mutant_test
