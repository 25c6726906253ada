// SPDX-License-Identifier: MIT

#include "bracket/model/fields.hpp"

#include <algorithm>

#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

namespace bracket {

std::vector<Rank> participants_of(std::span<const Distribution> fields) {
  std::vector<Rank> ranks;
  if (fields.empty()) return ranks;
  const Distribution& first = fields.front();
  for (const Distribution& field : fields) {
    if (field.ranks() != first.ranks() || field.rank_order() != first.rank_order()) {
      throw Error("the fields are distributed over different ranks or in different rank orders");
    }
    std::vector<Rank> all;
    std::set_union(ranks.begin(), ranks.end(), field.occupied().begin(), field.occupied().end(),
                   std::back_inserter(all), [&](Rank left, Rank right) {
                     return first.position_of(left) < first.position_of(right);
                   });
    ranks = std::move(all);
  }
  return ranks;
}

namespace {

/// Iterates over the steps of one field, from message to message.
class Cursor {
 public:
  Cursor(const RankPart& part, Index field) : part_(part), segment_{field, field + 1} {}

  /// Appends the steps before the next message to `merged`.
  void append_until_message(RankPart& merged) {
    for (; next_ < part_.steps().size() && !part_.steps()[next_].is_message(); ++next_) {
      const Step& step = part_.steps()[next_];
      std::vector<Partial> operands;
      append_operands(step, operands);
      merged.add(step.kind, step.peer, operands);
    }
  }

  /// The next message, or null at the end.
  [[nodiscard]] const Step* message() const {
    return next_ < part_.steps().size() ? &part_.steps()[next_] : nullptr;
  }

  void take_message(std::vector<Partial>& operands) {
    append_operands(part_.steps()[next_], operands);
    ++next_;
  }

 private:
  void append_operands(const Step& step, std::vector<Partial>& operands) const {
    for (const Partial& partial : part_.operands(step)) {
      operands.push_back(partial.over(segment_));
    }
  }

  const RankPart& part_;
  Range segment_;
  std::size_t next_ = 0;
};

}  // namespace

RankPart merge_fields(std::span<const RankPart> fields) {
  if (fields.empty()) throw Error("no field");
  std::vector<Cursor> cursors;
  for (const RankPart& field : fields) {
    if (field.items() != 1) throw Error(text("a field of ", field.items(), " items, not of one"));
    cursors.emplace_back(field, static_cast<Index>(cursors.size()));
  }
  RankPart merged(Items::of_fields(static_cast<Index>(fields.size())));
  while (true) {
    for (Cursor& cursor : cursors) cursor.append_until_message(merged);
    const Step* const message = cursors.front().message();
    std::vector<Partial> operands;
    for (Cursor& cursor : cursors) {
      const Step* const other = cursor.message();
      const bool same = message == nullptr ? other == nullptr
                                           : other != nullptr && other->kind == message->kind &&
                                                 other->peer == message->peer;
      if (!same) throw Error("the fields need different messages");
      if (message != nullptr) cursor.take_message(operands);
    }
    if (message == nullptr) return merged;
    merged.add(message->kind, message->peer, operands);
  }
}

}  // namespace bracket
