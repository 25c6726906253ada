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

/// What is to be reduced: the elements of an order, held as a distribution says, each a vector of
/// `items` items (1: a number), and what is asked for. Refers to the first two and to the last.
struct Problem {
  const Order& order;
  const Distribution& distribution;
  Delivery delivery;
  Index items = 1;
  /// Ranks among whom plans that carry frontiers exchange them, in element order; none: those that
  /// hold elements. All of these must be among them. Others bring frontiers of nothing, in messages
  /// that may then be of nothing: see `merge_fields`.
  std::span<const Rank> participants = {};
};

/// Who tells whom: makes each rank's part of a schedule from the distribution alone, without the
/// parts of the others. Knows the order only through `Order`.
class Plan {
 public:
  virtual ~Plan() = default;

  /// As it is written on the command line, with every parameter: `buffered:4:64`.
  [[nodiscard]] virtual std::string spec() const = 0;

  /// Whether the plan makes schedules. If it does not, the MPI library chooses who sends what to
  /// whom, the plan can only be executed, and `part` throws `Error`.
  [[nodiscard]] virtual bool scheduled() const { return true; }

  /// Throws `Error`, with the reason, if the plan makes no sense for this problem.
  virtual void require(const Problem& problem) const;

  /// What `rank` does, if `require` has no objection.
  [[nodiscard]] virtual RankPart part(const Problem& problem, Rank rank) const = 0;

  /// Number of messages that `rank` sends in that part. Overridden where it is known without the
  /// part.
  [[nodiscard]] virtual Index messages(const Problem& problem, Rank rank) const;
};

/// A row of the table of plans.
struct PlanEntry {
  CatalogueEntry entry;
  std::unique_ptr<Plan> (*make)(const Spec& spec);
  std::vector<std::vector<Index>> tried{};  ///< by a tuner: values of each parameter
};

/// Every plan by name.
std::span<const PlanEntry> plans();

/// The plan that `bracket`'s commands, and a tuner, take if none is given.
inline constexpr const char* default_plan = "buffered";

/// The plan written `spec`. Throws `Error` for an unknown name or bad parameters.
std::unique_ptr<Plan> make_plan(std::string_view spec);

/// Throws `Error` if the plan makes no schedules.
void check_scheduled(const Plan& plan);

/// Throws `Error` unless order and distribution agree on N, there is an item, the root is a rank
/// and the plan has no objection.
void check_fit(const Problem& problem, const Plan& plan);

/// The parts of all ranks. Throws `Error` as `check_scheduled` and `check_fit` do.
Schedule make_schedule(const Problem& problem, const Plan& plan);
Schedule make_schedule(const Order& order, const Distribution& distribution, const Plan& plan,
                       Delivery delivery = {}, Index items = 1);

/// Number of messages of that schedule, without making all of it. Throws `Error` as those do.
Index count_messages(const Problem& problem, const Plan& plan);

}  // namespace bracket
