// SPDX-License-Identifier: MIT

#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "bracket/model/message_costs.hpp"
#include "bracket/model/operation.hpp"
#include "bracket/model/schedule.hpp"
#include "bracket/model/work.hpp"

namespace bracket {

/// A machine in the LogGP model (Alexandrov, Ionescu, Schauser, Scheiman 1995), with the costs of
/// computing. Seconds and bytes.
///
/// The defaults are the thesis's machine. Its measured t_send = 281 ns is the whole way of one
/// value, o + L + o; the parts are assumed to be a quarter, a half and a quarter. t_add was
/// measured; 10 GB/s are assumed.
struct Machine {
  double latency = 140.5e-9;              ///< L, seconds
  double overhead = 70.25e-9;             ///< o, seconds, at the sender and at the receiver
  double gap = 70.25e-9;                  ///< g, seconds between two sends, or two receives, of
                                          ///< one rank
  double gap_per_byte = 0.1e-9;           ///< G, seconds per byte
  double seconds_per_addition = 4.15e-9;  ///< one application of the operator
  Index value_bytes = 8;                  ///< bytes of one partial

  // Two more figures of LogGOPS (Hoefler, Schneider and Lumsdaine 2010).
  double overhead_per_byte = 0;  ///< O, seconds per byte at the sender and at the receiver
  double eager_bytes = std::numeric_limits<double>::infinity();  ///< S, the most that a sender
                                                                 ///< sends before it is received

  /// Measured times of messages between nodes, by bytes. They replace the figures above, except S.
  std::vector<MessageTimes> messages{};

  /// Measured times of messages between nodes whose data are in no cache.
  std::vector<MessageTimes> cold_messages{};

  /// Measured times of messages between nodes in the collectives of the MPI library; see
  /// `MessageCosts::library`.
  std::vector<MessageTimes> library_messages{};

  /// Capacity of a node's last cache.
  double cache_bytes = std::numeric_limits<double>::infinity();

  /// Costs of messages between ranks of one node. Without it, they cost as much as between nodes.
  std::optional<MessageCosts> inside_node{};

  /// Measured times of computing. They replace `seconds_per_addition`.
  std::optional<MeasuredWork> work{};

  /// Measured times of other operations than the sum of float64.
  struct MeasuredOperation {
    Operation operation;
    OperationTimes times;

    friend bool operator==(const MeasuredOperation&, const MeasuredOperation&) = default;
  };
  std::vector<MeasuredOperation> operations{};

  Index element_bytes = 8;  ///< bytes of one element; see `computing`
  Index threads = 1;        ///< of each rank, which share its folds; see `on_threads`

  /// Throws `Error` if a figure is negative or, except S and the cache, not finite, and as
  /// `MessageCosts::check` and `MeasuredWork::check` do.
  void check() const;

  /// Seconds before the first step of a rank that holds so many numbers, in a run of so many ranks;
  /// see `MeasuredWork::start_of`.
  [[nodiscard]] double start(Rank ranks, Collective collective, double numbers) const;

  /// Seconds after the last step of a rank that gets so many items of the result; see
  /// `MeasuredWork::end_of`.
  [[nodiscard]] double end(Index delivered) const;

  /// Costs of a message from one node to another.
  [[nodiscard]] MessageCosts between_nodes() const;

  void set_between_nodes(MessageCosts costs);

  /// Costs of a message inside a node, with the machine's O.
  [[nodiscard]] MessageCosts within_node() const;

  /// Removes the measured times of messages between nodes, so that the figures hold.
  void drop_tables() {
    messages.clear();
    cold_messages.clear();
    library_messages.clear();
  }

  /// Forgets all measured times of computing: each addition takes `seconds_per_addition`.
  void forget_work() {
    work.reset();
    operations.clear();
  }

  /// A copy of this machine, on which the data of every message are in no cache.
  [[nodiscard]] Machine out_of_cache() const;

  /// A copy of this machine, for the collectives of the MPI library.
  [[nodiscard]] Machine by_library() const;

  /// A copy of this machine for values of so many bytes. The times per byte of folds, copies and
  /// joins do not change.
  [[nodiscard]] Machine for_values(Index bytes) const;

  /// A copy of this machine that computes `operation`: with the sizes of its elements and partials,
  /// and its measured times. For a baseline, messages cost as much as in the collectives of the MPI
  /// library. Without measured work, each floating-point operation (`Operation::flops`) takes
  /// `seconds_per_addition`. Throws `Error` as `Operation::check` does,
  /// and if the machine has measured work, but no times for the operation.
  [[nodiscard]] Machine computing(const Operation& operation) const;

  /// A copy of this machine whose ranks have so many threads, each on a core of its own. They share
  /// every fold of `bytes_for_threads` or more, as the runtime's threads do: each folds its part of
  /// the elements at the speed of as many ranks as the node then has threads. A node has as many
  /// ranks as leave each thread a core, by the last table of `folds_together`. Without measured
  /// work, threads divide the time of a fold. Call it after `computing`.
  [[nodiscard]] Machine on_threads(Index count) const;

  /// Number of threads that share a fold of so many numbers, on a machine without measured work.
  [[nodiscard]] double sharing(double numbers) const {
    const bool share = numbers * static_cast<double>(element_bytes) >= bytes_for_threads;
    return share ? static_cast<double>(threads) : 1;
  }

  /// Whether the machine has the costs of an operation, which must be valid (`Operation::check`).
  [[nodiscard]] bool computes(const Operation& operation) const;

  /// Seconds for each element in a fold of so many elements, while one rank of the node folds.
  [[nodiscard]] double seconds_per_element(Index elements) const;

  /// Bytes of a message of `values` values. May exceed the range of integers.
  [[nodiscard]] double message_bytes(Index values) const {
    return static_cast<double>(values) * static_cast<double>(value_bytes);
  }
};

/// A step on the critical path.
struct CriticalStep {
  Rank rank = 0;
  std::size_t step = 0;  ///< position in the rank's part
  double start = 0;      ///< seconds
  double end = 0;        ///< seconds

  friend bool operator==(const CriticalStep&, const CriticalStep&) = default;
};

/// The cost of a schedule by LogGP.
struct PaperCost {
  double makespan = 0;         ///< seconds until the last rank is done
  std::vector<double> finish;  ///< seconds, for each rank
  /// Seconds by which the folds of each rank may grow in total without a longer makespan; infinite
  /// without folds.
  std::vector<double> slack;
  std::vector<CriticalStep> critical_path;  ///< first step to last
};

/// When a step runs, by LogGP.
struct StepTime {
  double start = 0;   ///< seconds
  double end = 0;     ///< seconds
  double before = 0;  ///< seconds that the rank computes for this step since the step before it
};

/// Longest path through the schedule's dependency graph. The steps of one rank follow each other;
/// the first begins when the machine's `start` is over, and `end` is part of the last. All messages
/// cost what `MessageCosts` says for messages between nodes. A send keeps its rank for `sending`, a
/// receive for `receiving`. A receive begins when it can end `way` after the send began, and
/// `exchange_delay` later if it crosses another: each of the two ranks sends to the other, and
/// receives from it in its next step. Successive sends of one rank begin at least the `spacing` of
/// the earlier send apart, successive receives that of the later receive. `nodes`, if given, has
/// the node of each rank: ranks of one node share its memory while they fold
/// (`Work`). `steps`, if given, gets the times of all steps, rank by rank. Throws `Error` if a
/// message has no partner or the graph has a cycle.
PaperCost paper_cost(const Schedule& schedule, const Machine& machine,
                     std::span<const std::uint32_t> nodes = {},
                     std::vector<StepTime>* steps = nullptr);

class SchedulePaths;

/// The makespan of one schedule by `paper_cost`, for many machines. Everything that does not depend
/// on the machine is computed once, so a call takes a fraction of the time of `paper_cost`.
class PaperMakespan {
 public:
  /// Throws `Error` in the cases of `paper_cost`.
  explicit PaperMakespan(Schedule schedule);

  /// Seconds until the last rank is done. Throws `Error` as `Machine::check` does.
  [[nodiscard]] double operator()(const Machine& machine) const;

  [[nodiscard]] const Schedule& schedule() const { return *schedule_; }

 private:
  std::shared_ptr<const Schedule> schedule_;
  std::shared_ptr<const SchedulePaths> paths_;
};

}  // namespace bracket
