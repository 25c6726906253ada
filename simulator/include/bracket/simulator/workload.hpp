#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bracket/model/loggp.hpp"
#include "bracket/model/plan.hpp"
#include "bracket/model/schedule.hpp"
#include "bracket/simulator/disturbance.hpp"

namespace bracket {

/// Time in whole picoseconds, so that sums are exact and equal times are equal.
using Ticks = std::uint64_t;
inline constexpr double ticks_per_second = 1e12;

/// To the nearest. Throws `Error` that names `what`, "the latency", if the seconds are negative,
/// not finite or beyond 2^58 ticks, 3 days.
Ticks ticks_of(double seconds, const char* what);
inline double seconds_of(Ticks ticks) { return static_cast<double>(ticks) / ticks_per_second; }

/// What the ranks of a schedule do, as a network sees it: how long they compute and how many bytes
/// they send, not of what. 16 bytes for an operation, and what computes between two messages is
/// one.
class Workload {
 public:
  enum class Kind : std::uint8_t { compute, send, recv };

  struct Operation {
    std::uint64_t amount : 59;  ///< ticks or, of a message, bytes
    std::uint64_t kind_number : 2;
    std::uint64_t inside_node : 1;  ///< 0; for who replays it, as the next
    std::uint64_t state : 2;
    std::uint32_t peer;     ///< the other rank of a message
    std::uint32_t partner;  ///< the other end of a message, in `operations()`

    [[nodiscard]] Kind kind() const { return static_cast<Kind>(kind_number); }
  };

  /// A rank that is late computes so much longer before it does anything. `nodes`, if given, has
  /// the node of each rank, on which the time of computing depends (`Work`). Throws `Error` as
  /// `Machine::check` and `Work`, for a message without a partner or to no rank, and beyond
  /// 2^32 − 1 operations.
  Workload(const Schedule& schedule, const Machine& machine, const Disturbance& disturbance = {},
           std::span<const std::uint32_t> nodes = {});

  /// The same of the schedule that a plan makes, of which there is never more than one rank's part.
  /// Throws `Error` as `make_schedule`, too.
  Workload(const Problem& problem, const Plan& plan, const Machine& machine,
           const Disturbance& disturbance = {}, std::span<const std::uint32_t> nodes = {});

  /// Whether the data of messages are in no cache (`Machine::out_of_cache`).
  [[nodiscard]] bool leaves_caches() const { return leaves_caches_; }

  [[nodiscard]] Rank ranks() const { return static_cast<Rank>(first_.size() - 1); }

  /// Of all ranks, one rank's behind the other's.
  [[nodiscard]] const std::vector<Operation>& operations() const { return operations_; }

  /// Position of a rank's first operation, and behind its last that of the next rank.
  [[nodiscard]] std::uint32_t first(Rank rank) const {
    return first_[static_cast<std::size_t>(rank)];
  }
  [[nodiscard]] std::span<const Operation> operations(Rank rank) const {
    return std::span(operations_).subspan(first(rank), first(rank + 1) - first(rank));
  }

 private:
  explicit Workload(const Machine& machine);
  void add(const RankPart& part, Work& work, const Machine& machine, const Disturbance& disturbance,
           Rank ranks);
  void add(Kind kind, Rank peer, std::uint64_t amount);
  void match();

  std::vector<Operation> operations_;
  std::vector<std::uint32_t> first_{0};
  bool leaves_caches_ = false;
};

}  // namespace bracket
