// SPDX-License-Identifier: MIT

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bracket/model/distribution.hpp"
#include "bracket/model/items.hpp"
#include "bracket/model/order.hpp"
#include "bracket/model/range.hpp"

namespace bracket {

/// Kinds of steps.
enum class StepKind : std::uint8_t {
  fold,  ///< reduce the elements of a range, the rank's own or received ones, by the order
  join,  ///< apply the operator to two partials, left operand first; a run's elements one by one
  send,  ///< one message to `peer`: the values of the partials, in order
  recv   ///< one message from `peer`
};

/// "fold", "join", "send" or "recv".
std::string_view name_of(StepKind kind);

/// One step of one rank. Its operands are `count` partials of the part that owns it.
struct Step {
  StepKind kind = StepKind::fold;
  Rank peer = -1;           ///< the other rank of a message; −1 for fold and join
  std::uint32_t first = 0;  ///< first operand in `RankPart::operands()`
  std::uint32_t count = 0;  ///< 1 for fold, 2 for join, the partials of a message

  [[nodiscard]] bool is_message() const { return kind == StepKind::send || kind == StepKind::recv; }

  friend bool operator==(const Step&, const Step&) = default;
};

/// The steps of one rank, in order.
class RankPart {
 public:
  RankPart() = default;
  /// A part over elements of `items` ≥ 1 numbers.
  explicit RankPart(Items items) : items_(items) {}

  /// Begins another part, in the memory of this one.
  void reset(Items items) {
    items_ = items;
    steps_.clear();
    operands_.clear();
  }

  void fold(Range range) { fold(Partial(range)); }
  void fold(const Partial& value);
  void join(Partial left, Partial right);
  void send(Rank to, std::span<const Partial> partials);
  void recv(Rank from, std::span<const Partial> partials);
  /// An operand with an empty segment has all items. Throws `Error` unless a fold has one operand
  /// and a join has two, for more than 2^32 − 1 operands in all steps together, and for more than
  /// 2^63 − 1 numbers in one step.
  void add(StepKind kind, Rank peer, std::span<const Partial> operands);

  [[nodiscard]] const std::vector<Step>& steps() const { return steps_; }
  [[nodiscard]] const std::vector<Partial>& operands() const { return operands_; }
  [[nodiscard]] std::span<const Partial> operands(const Step& step) const {
    return std::span(operands_).subspan(step.first, step.count);
  }
  /// The partial that results from a fold or a join.
  [[nodiscard]] Partial result(const Step& step) const {
    const Partial& left = operands_[step.first];
    const Partial& right = operands_[step.first + step.count - 1];
    return Partial(Range{left.range.begin, right.range.end}).over(left.segment);
  }
  [[nodiscard]] Items items() const { return items_; }

  /// Numbers that a message carries.
  [[nodiscard]] Index values(const Step& step) const;

  /// Messages that this rank sends.
  [[nodiscard]] Index messages() const;

  friend bool operator==(const RankPart&, const RankPart&) = default;

 private:
  Items items_;
  std::vector<Step> steps_;
  std::vector<Partial> operands_;
};

/// Prints a partial of the part, with `@` and its segment if it has only some items: `[4,8)@[0,5)`.
std::string describe(const RankPart& part, const Partial& partial);

/// Prints `send to 3: [4,8) [8,9)`, `join [0,4) [4,8)` and the like.
std::string describe(const RankPart& part, const Step& step);

/// Ranks that end with the result, in MPI's terms.
enum class Collective : std::uint8_t {
  reduce,         ///< one rank, the root, ends with the result
  all_reduce,     ///< every rank ends with it
  reduce_scatter  ///< every rank ends with a block of its items
};

/// "reduce", "all-reduce" or "reduce-scatter".
std::string_view name_of(Collective collective);

/// Ranks that the result `[0, N)` is delivered to.
struct Delivery {
  Rank root = 0;  ///< of a reduce; otherwise a rank at which a plan may collect and spread values
  Collective collective = Collective::reduce;

  static constexpr Delivery to(Rank root) { return {root, Collective::reduce}; }
  static constexpr Delivery to_all() { return {0, Collective::all_reduce}; }
  static constexpr Delivery scattered() { return {0, Collective::reduce_scatter}; }

  /// The segment of a result of `items` items that `rank` of `ranks` ends with. In a
  /// reduce-scatter, these are blocks of nearly equal size in rank order. May be empty.
  [[nodiscard]] Range wanted(Rank rank, Rank ranks, Index items) const;

  friend bool operator==(const Delivery&, const Delivery&) = default;
};

/// Throws `Error` unless elements have at least one item, and an `Index` can count the numbers of
/// all elements together.
void check_items(Index elements, Index items);

/// Throws `Error` for more fields than a reduction has, and for a reduce-scatter of fields.
void check_fields(Items items, Delivery delivery);

/// The request that a schedule fulfils. It determines the steps of every rank if a plan makes them.
struct ScheduleHeader {
  std::string order;  ///< as written, `tree`
  int order_version = 0;
  std::string plan;  ///< the plan that made it, as written; empty for a schedule made by hand
  Distribution distribution;
  Delivery delivery;
  Items items{};  ///< numbers in an element, a vector that is reduced item by item, or fields

  [[nodiscard]] Index elements() const { return distribution.elements(); }
  [[nodiscard]] Rank ranks() const { return distribution.ranks(); }

  friend bool operator==(const ScheduleHeader&, const ScheduleHeader&) = default;
};

/// A reduction schedule: which rank folds which elements, which rank sends which partial to which
/// other, and in which order the operator is applied. It refers to no other object.
struct Schedule : ScheduleHeader {
  std::vector<RankPart> parts;  ///< one for each rank

  /// Messages sent by all ranks.
  [[nodiscard]] Index messages() const;

  /// Most numbers in one message; 0 without messages.
  [[nodiscard]] Index largest_message() const;

  friend bool operator==(const Schedule&, const Schedule&) = default;
};

/// Fingerprint by which ranks check that they agree on a schedule before each makes its own part:
/// 64-bit FNV-1a over the header. It is the digest of a schedule without parts.
std::uint64_t digest(const ScheduleHeader& header);

/// 64-bit FNV-1a over the whole schedule. Equal schedules have equal digests on every machine.
std::uint64_t digest(const Schedule& schedule);

/// The digest of the whole schedule as 16 hexadecimal digits.
std::string digest_text(const Schedule& schedule);

}  // namespace bracket

template <>
struct std::hash<bracket::Schedule> {
  std::size_t operator()(const bracket::Schedule& schedule) const {
    return static_cast<std::size_t>(bracket::digest(schedule));
  }
};
