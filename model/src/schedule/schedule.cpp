// SPDX-License-Identifier: MIT

#include "bracket/model/schedule.hpp"

#include <algorithm>
#include <array>
#include <iomanip>
#include <limits>
#include <locale>
#include <optional>
#include <sstream>

#include "bracket/support/error.hpp"
#include "bracket/support/fnv1a.hpp"
#include "bracket/support/text.hpp"

namespace bracket {

std::string_view name_of(StepKind kind) {
  static constexpr std::array<std::string_view, 4> names{"fold", "join", "send", "recv"};
  return names[static_cast<std::size_t>(kind)];
}

std::string_view name_of(Collective collective) {
  static constexpr std::array<std::string_view, 3> names{"reduce", "all-reduce", "reduce-scatter"};
  return names[static_cast<std::size_t>(collective)];
}

Range Delivery::wanted(Rank rank, Rank ranks, Index items) const {
  switch (collective) {
    case Collective::all_reduce:
      return {0, items};
    case Collective::reduce_scatter:
      return block(items, rank, ranks);
    default:
      return {0, rank == root ? items : 0};
  }
}

namespace {

/// Numbers in a message of these partials. Empty if an `Index` cannot count them.
std::optional<Index> numbers_in(std::span<const Partial> partials) {
  Index count = 0;
  for (const Partial& partial : partials) {
    Index numbers = 0;
    if (__builtin_mul_overflow(partial.count(), partial.segment.size(), &numbers) ||
        __builtin_add_overflow(count, numbers, &count)) {
      return std::nullopt;
    }
  }
  return count;
}

}  // namespace

void RankPart::add(StepKind kind, Rank peer, std::span<const Partial> operands) {
  const std::size_t wanted = kind == StepKind::fold   ? 1
                             : kind == StepKind::join ? 2
                                                      : operands.size();
  if (operands.size() != wanted) {
    throw Error(text("a ", name_of(kind), " takes ", wanted, " operand(s), not ", operands.size()));
  }
  constexpr std::size_t most = std::numeric_limits<std::uint32_t>::max();
  if (operands.size() > most - operands_.size()) {
    throw Error(text("the steps of one rank have more than ", most, " operands"));
  }
  steps_.push_back({kind, peer, static_cast<std::uint32_t>(operands_.size()),
                    static_cast<std::uint32_t>(operands.size())});
  operands_.insert(operands_.end(), operands.begin(), operands.end());
  for (Partial& partial : std::span(operands_).last(operands.size())) {
    if (partial.segment.empty()) partial.segment = {0, items_};
  }
  if (!numbers_in(this->operands(steps_.back()))) {
    throw Error(
        text("a ", name_of(kind), " of more than ", std::numeric_limits<Index>::max(), " numbers"));
  }
}

void RankPart::fold(const Partial& value) { add(StepKind::fold, -1, {{value}}); }
void RankPart::join(Partial left, Partial right) { add(StepKind::join, -1, {{left, right}}); }
void RankPart::send(Rank to, std::span<const Partial> partials) {
  add(StepKind::send, to, partials);
}
void RankPart::recv(Rank from, std::span<const Partial> partials) {
  add(StepKind::recv, from, partials);
}

Index RankPart::values(const Step& step) const { return *numbers_in(operands(step)); }

Index RankPart::messages() const {
  return std::count_if(steps_.begin(), steps_.end(),
                       [](const Step& step) { return step.kind == StepKind::send; });
}

std::string describe(const RankPart& part, const Partial& partial) {
  if (partial.segment == Range{0, part.items()}) return text(partial);
  return text(partial, '@', partial.segment);
}

std::string describe(const RankPart& part, const Step& step) {
  std::ostringstream out;
  out.imbue(std::locale::classic());
  out << name_of(step.kind);
  if (step.kind == StepKind::send) out << " to " << step.peer << ':';
  if (step.kind == StepKind::recv) out << " from " << step.peer << ':';
  for (const Partial& partial : part.operands(step)) out << ' ' << describe(part, partial);
  return out.str();
}

std::string describe(Items items) {
  if (items == 1) return "single numbers";
  return items.fields ? text(items, " fields") : text("vectors of ", items, " items");
}

void check_fields(Items items, Delivery delivery) {
  if (!items.fields) return;
  if (items > Items::most_fields) {
    throw Error(text(items, " fields: at most ", Items::most_fields));
  }
  if (delivery.collective == Collective::reduce_scatter) {
    throw Error(text("a reduce-scatter of ", items, " fields: only a reduce or an all-reduce ",
                     "takes several fields, a reduce-scatter takes vectors"));
  }
}

void check_items(Index elements, Index items) {
  if (items < 1) throw Error(text("an element has at least 1 item, not ", items));
  if (items > std::numeric_limits<Index>::max() / elements) {
    throw Error(text(elements, " elements of ", items, " items are more numbers than ",
                     std::numeric_limits<Index>::max()));
  }
}

Index Schedule::messages() const {
  Index count = 0;
  for (const auto& part : parts) count += part.messages();
  return count;
}

Index Schedule::largest_message() const {
  Index largest = 0;
  for (const auto& part : parts) {
    for (const auto& step : part.steps()) {
      if (step.kind == StepKind::send) largest = std::max(largest, part.values(step));
    }
  }
  return largest;
}

namespace {

/// The hash of a schedule, number by number.
class ScheduleHash {
 public:
  explicit ScheduleHash(const ScheduleHeader& header) {
    hash_.string(header.order);
    number(header.order_version);
    hash_.string(header.plan);
    number(header.ranks());
    for (const Index boundary : header.distribution.boundaries()) number(boundary);
    if (const auto& ranks = header.distribution.rank_order(); !ranks.empty()) {
      number(-1);  // marks a rank order; a root is never -1
      for (const Rank rank : ranks) number(rank);
    }
    number(header.delivery.root);
    number(static_cast<Index>(header.delivery.collective));
    number(header.items);
    if (header.items.fields) number(-2);  // marks fields; nothing else here is negative
  }

  void number(Index value) { hash_.number(static_cast<std::uint64_t>(value)); }

  [[nodiscard]] std::uint64_t value() const { return hash_.value(); }

 private:
  support::Fnv1a hash_;
};

}  // namespace

std::uint64_t digest(const ScheduleHeader& header) { return ScheduleHash(header).value(); }

std::uint64_t digest(const Schedule& schedule) {
  ScheduleHash hash(schedule);
  const auto number = [&](Index value) { hash.number(value); };
  for (const auto& part : schedule.parts) {
    number(static_cast<Index>(part.steps().size()));
    for (const auto& step : part.steps()) {
      number(static_cast<Index>(step.kind));
      number(step.peer);
      number(step.count);
      for (const auto& [range, run, segment] : part.operands(step)) {
        number(range.begin);
        number(range.end);
        number(run ? 1 : 0);
        number(segment.begin);
        number(segment.end);
      }
    }
  }
  return hash.value();
}

std::string digest_text(const Schedule& schedule) {
  std::ostringstream out;
  out.imbue(std::locale::classic());
  out << std::hex << std::setfill('0') << std::setw(16) << digest(schedule);
  return out.str();
}

}  // namespace bracket
