// SPDX-License-Identifier: MIT

#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bracket/model/distribution.hpp"
#include "bracket/model/order.hpp"
#include "bracket/model/schedule.hpp"

namespace bracket {

/// A reduction to be planned: the order of its elements, the distribution that holds them, and
/// where the result is wanted. Each element is a vector of `items` numbers, or has a number in each
/// of so many fields. Refers to the order, the distribution and the participants.
struct Problem {
  const Order& order;
  const Distribution& distribution;
  Delivery delivery;
  Items items{};
  /// Distinct ranks that exchange frontiers, in element order. If empty, these are the ranks that
  /// hold elements; otherwise every rank that holds elements must be among them. A participant
  /// without elements brings an empty frontier, and its messages may be empty: see `merge_fields`.
  std::span<const Rank> participants = {};
};

/// A plan decides which rank sends to which. It makes each rank's part of a schedule from the
/// distribution alone, without the parts of the others. It knows the order only through `Order`.
class Plan {
 public:
  virtual ~Plan() = default;

  /// Written form with every parameter, as on the command line: `buffered:4:64`.
  [[nodiscard]] virtual std::string spec() const = 0;

  /// Whether the plan makes schedules. If it does not, the MPI library chooses who sends what to
  /// whom, the plan can only be executed, and `part` throws `Error`.
  [[nodiscard]] virtual bool scheduled() const { return true; }

  /// Throws `Error`, with the reason, if the plan makes no sense for this problem, and as
  /// `check_fields` does.
  void require(const Problem& problem) const;

  /// The steps of `rank`, if `require` does not throw. Several fields share the messages of one
  /// (`merge_fields`).
  [[nodiscard]] RankPart part(const Problem& problem, Rank rank) const;

  /// Number of messages that `rank` sends in that part.
  [[nodiscard]] Index messages(const Problem& problem, Rank rank) const;

 private:
  // The public functions for vectors. Of several fields, they get a problem of one field.
  virtual void require_for(const Problem& problem) const;
  [[nodiscard]] virtual RankPart make_part(const Problem& problem, Rank rank) const = 0;

  /// Overridden by plans that know the number without the part.
  [[nodiscard]] virtual Index count_messages(const Problem& problem, Rank rank) const;
};

/// A row of the table of plans.
struct PlanEntry {
  CatalogueEntry entry;
  std::unique_ptr<Plan> (*make)(const Spec& spec);
  std::vector<std::vector<Index>> tried{};  ///< by a tuner: values of each parameter
};

/// Every plan by name.
std::span<const PlanEntry> plans();

/// Default plan of `bracket`'s commands and of a tuner.
inline constexpr const char* default_plan = "buffered";

/// The plan that `spec` describes. Throws `Error` for an unknown name or bad parameters.
std::unique_ptr<Plan> make_plan(std::string_view spec);

/// Throws `Error` if the plan makes no schedules.
void check_scheduled(const Plan& plan);

/// Throws `Error` unless order and distribution agree on N, there is an item, the root is a rank,
/// and `Plan::require` does not throw.
void check_fit(const Problem& problem, const Plan& plan);

/// Header of the schedule of `problem` by `plan`.
ScheduleHeader header_of(const Problem& problem, const Plan& plan);

/// Makes the parts of all ranks. Throws `Error` as `check_scheduled` and `check_fit` do.
Schedule make_schedule(const Problem& problem, const Plan& plan);
Schedule make_schedule(const Order& order, const Distribution& distribution, const Plan& plan,
                       Delivery delivery = {}, Items items = 1);

/// Number of messages of that schedule, without making all of it. Throws `Error` as
/// `make_schedule` does.
Index count_messages(const Problem& problem, const Plan& plan);

}  // namespace bracket
