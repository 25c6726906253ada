// SPDX-License-Identifier: MIT

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

/// Rounds seconds to the nearest tick. Throws `Error`, which names `what`, such as "the latency",
/// if the seconds are negative, not finite or beyond 2^58 ticks (3 days).
Ticks ticks_of(double seconds, const char* what);
inline double seconds_of(Ticks ticks) { return static_cast<double>(ticks) / ticks_per_second; }

/// Operations of the ranks of a schedule, as a network sees them: the times of computing and the
/// bytes of messages. An operation takes 16 bytes; all computing between two messages is one
/// operation.
class Workload {
 public:
  enum class Kind : std::uint8_t { compute, send, recv };

  struct Operation {
    std::uint64_t amount : 59;  ///< ticks, or bytes of a message
    std::uint64_t kind_number : 2;
    std::uint64_t inside_node : 1;  ///< 0; a replay sets it
    std::uint64_t state : 2;        ///< 0; a replay sets it
    std::uint32_t peer;             ///< the other rank of a message
    std::uint32_t partner;          ///< the other end of a message, in `operations()`

    [[nodiscard]] Kind kind() const { return static_cast<Kind>(kind_number); }
  };

  /// The skew of a rank is computing time before its first step. `nodes`, if given, has the node of
  /// each rank, on which the time of computing depends (`Work`). Throws `Error` as `Machine::check`
  /// and `Work` do, for a message without a partner or to a rank that does not exist, and beyond
  /// 2^32 − 1 operations.
  Workload(const Schedule& schedule, const Machine& machine, const Disturbance& disturbance = {},
           std::span<const std::uint32_t> nodes = {});

  /// The workload of the schedule that a plan makes. Only one rank's part of it exists at a time on
  /// each of up to `threads` threads. The workload does not depend on their number. Throws `Error`
  /// as the constructor above and as `make_schedule` do.
  Workload(const Problem& problem, const Plan& plan, const Machine& machine,
           const Disturbance& disturbance = {}, std::span<const std::uint32_t> nodes = {},
           int threads = 1);

  /// Whether the data of messages are in no cache (`Machine::out_of_cache`).
  [[nodiscard]] bool leaves_caches() const { return leaves_caches_; }

  [[nodiscard]] Rank ranks() const { return static_cast<Rank>(first_.size() - 1); }

  /// Operations of all ranks, one rank after the other.
  [[nodiscard]] const std::vector<Operation>& operations() const { return operations_; }

  /// Position of a rank's first operation. They end where those of the next rank begin.
  [[nodiscard]] std::uint32_t first(Rank rank) const {
    return first_[static_cast<std::size_t>(rank)];
  }

  /// Whether the message of operation `send` crosses another: each of the two ranks sends to the
  /// other, and receives from it in its next operation.
  static bool crosses(const std::vector<Operation>& operations, std::uint32_t send) {
    const Operation& message = operations[send];
    if (send + 1 == operations.size()) return false;
    const Operation& next = operations[send + 1];
    return next.kind() == Kind::recv && next.peer == message.peer &&
           next.partner + 1 == message.partner &&
           operations[next.partner].peer == operations[message.partner].peer;
  }

  [[nodiscard]] std::span<const Operation> operations(Rank rank) const {
    return std::span(operations_).subspan(first(rank), first(rank + 1) - first(rank));
  }

 private:
  struct Block;
  class Maker;

  template <class Of, class PartOf>
  void make(const Of& of, PartOf&& part_of, const Machine& machine, const Disturbance& disturbance,
            std::span<const std::uint32_t> nodes, int threads);
  void append(const Block& block, std::size_t ranks);
  void match();

  std::vector<Operation> operations_;
  std::vector<std::uint32_t> first_{0};
  bool leaves_caches_ = false;
};

}  // namespace bracket
