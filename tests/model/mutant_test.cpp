#include <deque>
#include <map>
#include <optional>
#include <random>

#include "bracket/model/error.hpp"
#include "bracket/model/plan.hpp"
#include "bracket/model/verify.hpp"
#include "support/catch.hpp"

using namespace bracket;

namespace {

/// Runs a schedule with strings for values: `a` ∘ `b` is `(ab)`, which tells every bracketing and
/// every order of operands from any other. Shares nothing with `verify` but the schedule.
class StringRun {
 public:
  explicit StringRun(const Schedule& schedule) : schedule_(schedule) {}

  static std::string joined(const std::string& left, const std::string& right) {
    return text('(', left, right, ')');
  }

  /// What the bracketing gives if one rank does it all.
  static std::string serial(const Order& order, Range bracket) {
    if (bracket.size() == 1) return std::to_string(bracket.begin) + ".";
    const Index middle = order.split(bracket);
    return joined(serial(order, {bracket.begin, middle}), serial(order, {middle, bracket.end}));
  }

  /// Whether every rank gets to its end, no message is left over, and each result is the serial
  /// one.
  bool right() {
    const auto order = make_order(schedule_.order, schedule_.elements());
    std::vector<std::size_t> next(schedule_.parts.size());
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t rank = 0; rank < next.size(); ++rank) {
        const auto& part = schedule_.parts[rank];
        while (next[rank] < part.steps().size() && step(*order, rank, part.steps()[next[rank]])) {
          ++next[rank];
          moved = true;
        }
      }
    }
    for (std::size_t rank = 0; rank < next.size(); ++rank) {
      if (next[rank] != schedule_.parts[rank].steps().size()) return false;
      const bool due =
          schedule_.delivery.all || rank == static_cast<std::size_t>(schedule_.delivery.root);
      const Range all{0, schedule_.elements()};
      if (due && held_[rank][all] != serial(*order, all)) return false;
    }
    for (const auto& [_, queue] : messages_) {
      if (!queue.empty()) return false;
    }
    return true;
  }

 private:
  struct Posted {
    std::vector<Partial> partials;
    std::vector<std::string> values;
  };

  /// False if it cannot be done now, or ever.
  bool step(const Order& order, std::size_t rank, const Step& step) {
    const auto operands = schedule_.parts[rank].operands(step);
    auto& held = held_[rank];
    const Range own = schedule_.distribution.range(static_cast<Rank>(rank));
    const auto element = [&](Index x) -> std::string {
      if (own.contains(x)) return std::to_string(x) + ".";
      const auto found = held.find({x, x + 1});
      return found == held.end() ? "?" : found->second;
    };
    switch (step.kind) {
      case StepKind::fold: {
        for (Index x = operands[0].range.begin; x < operands[0].range.end; ++x) {
          if (element(x) == "?") return false;
        }
        held[operands[0].range] = serial(order, operands[0].range);
        return true;
      }
      case StepKind::join: {
        if (!held.contains(operands[0].range)) return false;
        std::string value = held[operands[0].range];
        if (operands[1].run) {
          for (Index x = operands[1].range.begin; x < operands[1].range.end; ++x) {
            value = joined(value, element(x));
          }
        } else {
          if (!held.contains(operands[1].range)) return false;
          value = joined(value, held[operands[1].range]);
        }
        held[{operands[0].range.begin, operands[1].range.end}] = value;
        return true;
      }
      case StepKind::send: {
        Posted posted;
        for (const Partial& partial : operands) {
          posted.partials.push_back(partial);
          if (partial.run) {
            for (Index x = partial.range.begin; x < partial.range.end; ++x) {
              posted.values.push_back(element(x));
            }
          } else {
            if (!held.contains(partial.range)) return false;
            posted.values.push_back(held[partial.range]);
          }
        }
        messages_[{static_cast<Rank>(rank), step.peer}].push_back(posted);
        return true;
      }
      case StepKind::recv: {
        auto& queue = messages_[{step.peer, static_cast<Rank>(rank)}];
        if (queue.empty()) return false;
        // The wire carries values only: what they are is what the receiver expects.
        std::size_t value = 0;
        Index expected = 0;
        for (const Partial& partial : operands) expected += partial.values();
        if (static_cast<std::size_t>(expected) != queue.front().values.size()) return false;
        for (const Partial& partial : operands) {
          if (partial.run) {
            for (Index x = partial.range.begin; x < partial.range.end; ++x) {
              held[{x, x + 1}] = queue.front().values[value++];
            }
          } else {
            held[partial.range] = queue.front().values[value++];
          }
        }
        queue.pop_front();
        return true;
      }
    }
    return false;
  }

  const Schedule& schedule_;
  std::map<std::size_t, std::map<Range, std::string>> held_;
  std::map<std::pair<Rank, Rank>, std::deque<Posted>> messages_;
};

enum class Mutation { drop, duplicate, swap_operands, redirect, reorder, other_partial };

/// `schedule` with one step changed; nothing if the mutation does not apply to the step.
std::optional<Schedule> mutant(const Schedule& schedule, Mutation mutation,
                               std::mt19937_64& random) {
  const std::size_t rank = random() % schedule.parts.size();
  const RankPart& part = schedule.parts[rank];
  if (part.steps().empty()) return std::nullopt;
  const std::size_t at = random() % part.steps().size();
  Schedule changed = schedule;
  RankPart& result = changed.parts[rank] = {};
  for (std::size_t i = 0; i < part.steps().size(); ++i) {
    Step step = part.steps()[i];
    std::vector<Partial> operands(part.operands(step).begin(), part.operands(step).end());
    const bool message = step.kind == StepKind::send || step.kind == StepKind::recv;
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
      for (const char* distribution : {"lower", "upper", "power2"}) {
        for (const Index elements : {1, 7, 40}) {
          const auto held = make_distribution(distribution, elements, p);
          for (const auto& row : plans()) {
            const Schedule schedule = make_schedule(*make_order(order, elements), held,
                                                    *make_plan(row.entry.name), {0, true});
            CAPTURE(order, p, distribution, elements, schedule.plan);
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
    const auto plan = make_plan(plans()[random() % plans().size()].entry.name);
    const auto schedule = make_schedule(*order, distribution, *plan, {0, true});
    const auto changed = mutant(schedule, static_cast<Mutation>(random() % 6), random);
    if (!changed || *changed == schedule) continue;
    const bool accepted = verify(*changed).ok();
    ++verified[accepted];
    CAPTURE(i, schedule.plan, schedule.order, elements, p);
    // A survivor is equivalent: steps that do not depend on each other, in another order.
    if (accepted) CHECK(StringRun(*changed).right());
  }
  // Most changes matter.
  CHECK(verified[false] > 5 * verified[true]);
  WARN(verified[false] << " changed schedules refused, " << verified[true] << " equivalent");
}
