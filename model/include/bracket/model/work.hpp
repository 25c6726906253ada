// SPDX-License-Identifier: MIT

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bracket/model/schedule.hpp"

namespace bracket {

struct Machine;

/// Bytes of elements from which on the threads of a rank share a fold: fewer elements take less
/// time than to wake the threads.
inline constexpr Index bytes_for_threads = 128 * 1024;

/// Measured times of an operation. Folds of few elements and of many, in a cache and in memory,
/// differ in their time for each element. Seconds.
struct OperationTimes {
  /// Time of one fold, copy or join over so many elements.
  struct Fold {
    Index elements = 1;
    double seconds = 0;

    friend bool operator==(const Fold&, const Fold&) = default;
  };

  /// Times of folds while so many ranks of a node fold at once and share its memory and caches.
  struct FoldsTogether {
    Index ranks = 2;
    std::vector<Fold> folds;           ///< by elements
    std::vector<Fold> vector_folds{};  ///< by numbers; if empty, as for one rank

    friend bool operator==(const FoldsTogether&, const FoldsTogether&) = default;
  };

  double seconds_per_join = 0;                  ///< to combine two values
  std::vector<Fold> folds{};                    ///< by elements, while one rank of a node folds
  std::vector<FoldsTogether> folds_together{};  ///< by ranks; if empty, each node has one rank
  std::vector<Fold> copies{};                   ///< by elements; if empty, copies take no time
  std::vector<Fold> joins{};  ///< by items, to combine two vectors; if empty, each item takes
                              ///< `seconds_per_join`
  std::vector<Fold> vector_folds{};   ///< by numbers, folds of elements of several items, while one
                                      ///< rank of a node folds; if empty, they take as long as of
                                      ///< single numbers
  std::vector<Fold> partial_folds{};  ///< by values, folds of partials that a rank received; if
                                      ///< empty, they take as long as folds of elements
  /// By elements: folds of elements that one rank's caches hold and whose number is a power of two.
  /// Many kernels fold them faster than fewer elements. If empty, `folds` has their times.
  std::vector<Fold> complete_folds{};
  double seconds_per_result = 0;  ///< at least, for each item of a result vector
  double more_start = 0;          ///< added to the start of a run of `MeasuredWork`
  /// Start of a reducer's all-reduce in a program, without a barrier before it. It replaces the
  /// other start and `more_start`.
  std::optional<double> start_in_program{};

  /// Throws `Error` if a figure is negative or not finite, if there is no fold, if elements do not
  /// grow along a table or seconds fall, or if ranks do not grow from at least two.
  void check() const;

  /// Seconds of a fold of so many numbers, those of elements of `items` items, while so many ranks
  /// of the node fold. Interpolates linearly between numbers and between ranks. A fold of fewer
  /// numbers than the first takes as long as the first; beyond the last, the time for each number
  /// is constant; for more ranks than the last table has, that table holds. Never less than for one
  /// rank, or for elements of one item. With more ranks, numbers in
  /// `complete_folds` take longer by as much as those in `folds`.
  [[nodiscard]] double fold(double numbers, Index ranks = 1, Index items = 1) const;

  /// Seconds of a fold of so many values that a rank received, by the table of those or as in
  /// `fold`.
  [[nodiscard]] double fold_partials(double values, Index ranks, Index items) const;

  /// Seconds to copy so many elements, interpolated as in `fold`.
  [[nodiscard]] double copy(double elements) const;

  /// Seconds to combine so many values of vectors of `items` items. A part of a vector takes its
  /// share of the time for the whole: the whole has to fit into a cache.
  [[nodiscard]] double join(double values, Index items) const;

  /// Number of ranks on a node: as many as folded at once in the last table.
  [[nodiscard]] Index ranks_of_node() const {
    return folds_together.empty() ? 1 : folds_together.back().ranks;
  }

  friend bool operator==(const OperationTimes&, const OperationTimes&) = default;

 private:
  /// Seconds by the tables of one kind: `alone` for one rank, and a member of `folds_together`.
  [[nodiscard]] double fold_by(const std::vector<Fold>& alone,
                               std::vector<Fold> FoldsTogether::*together, double numbers,
                               Index ranks) const;
};

/// Measured times of computing: those of the sum of float64 in tree order, and of a run's start.
struct MeasuredWork : OperationTimes {
  /// A rank whose own numbers fill the first cache leaves nothing else there: what it needs to
  /// exchange messages then comes from a slower cache.
  struct FirstCache {
    Index elements = 1;     ///< numbers that fill it
    double more_start = 0;  ///< seconds by which the start of a run on several ranks is longer

    friend bool operator==(const FirstCache&, const FirstCache&) = default;
  };

  /// Time to wake so many threads of a rank and to wait for their end.
  struct Wake {
    Index threads = 2;
    double seconds = 0;

    friend bool operator==(const Wake&, const Wake&) = default;
  };

  double start = 0;                      ///< of each rank, before its first step in a run
  std::optional<double> start_alone{};   ///< replaces `start` in a run on one rank
  std::optional<double> start_reduce{};  ///< replaces `start` in a reduce on several ranks
  std::optional<FirstCache> first_cache{};
  std::vector<Wake> wakes{};  ///< by threads; if empty, to wake threads takes no time
  double start_library = 0;   ///< replaces `start_in_program` in a reduction by the MPI library
  /// A receive in a run keeps its rank longer than a receive alone, by so much: the run starts it
  /// beforehand and hands its values on.
  double seconds_per_receive = 0;

  /// The times in a program, which has no barrier before a run: all-reduces on several ranks have
  /// the start `start_in_program`, and the start of reduces changes by as much. Without
  /// `start_in_program` nothing changes.
  [[nodiscard]] MeasuredWork in_program() const;

  /// Throws `Error` as `OperationTimes::check` does, also for the start, and if the threads of
  /// `wakes` do not grow from at least two.
  void check() const;

  /// Seconds to wake so many threads of a rank and to wait for their end. Interpolates linearly;
  /// fewer or more threads than measured take as long as the nearest.
  [[nodiscard]] double wake(Index threads) const;

  /// Seconds before the first step of a rank that holds so many numbers, in a run on so many ranks.
  /// Between a quarter of the first cache and all of it, the longer start grows linearly.
  [[nodiscard]] double start_of(Index ranks, Collective collective, double numbers) const;

  /// Seconds after the last step of a rank that gets so many items of the result: their copy, of at
  /// least `seconds_per_result` for each. The start of a run includes the time of one item.
  [[nodiscard]] double end_of(Index delivered) const;

  friend bool operator==(const MeasuredWork&, const MeasuredWork&) = default;
};

/// Numbers that a step folds, combines and copies, on any machine.
struct StepLoad {
  StepKind kind = StepKind::send;
  bool own = true;       ///< whether the rank holds all elements that a fold reads
  double folded = 0;     ///< numbers that a fold reads
  double additions = 0;  ///< of a fold
  double combined = 0;   ///< values of the second operand of a join
  double copied = 0;     ///< numbers of the rank's own elements that are copied before the step
};

/// Returns the load of a step on a rank that holds the elements `own`.
StepLoad load_of(const RankPart& part, const Step& step, Range own);

/// Numbers of all steps of one rank.
struct RankLoad {
  Index items = 1;     ///< of an element, next to each other in memory
  double touched = 0;  ///< numbers that the rank's folds and copies touch
  double held = 0;     ///< numbers of the elements that the rank holds
  double values = 0;   ///< numbers that the rank receives and copies
};

/// Returns the load of a rank that holds the elements `own`.
RankLoad load_of(const RankPart& part, Range own);

/// Seconds that steps with given loads keep one rank busy. Refers to the machine.
class RankSpeed {
 public:
  /// A fold of the rank's own elements takes `slowdown` times as long as on one rank alone. A fold
  /// of other elements takes as long as while `later` ranks of the node fold at once.
  RankSpeed(const Machine& machine, const RankLoad& load, double slowdown = 1, Index later = 1);

  /// Seconds of a fold or a join, or of the copy before a message. Without measured work, a fold
  /// takes one addition less than it has elements, a join of two values takes one addition, and a
  /// join with a run of elements takes one for each; each addition is done for every item of the
  /// segment.
  ///
  /// With measured work, a fold of n elements of k items is a fold of n·k numbers. The rank's own
  /// elements are copied before they are sent one by one, and before they are folded together with
  /// received ones. All numbers that the rank folds and copies share the cache. So the time for
  /// each number is at least that of one fold, or one copy, that touches as many numbers as all
  /// folds and copies of the rank together. A fold of a single vector is a copy.
  [[nodiscard]] double operator()(const StepLoad& load) const;

 private:
  [[nodiscard]] double fold(const StepLoad& load) const;
  [[nodiscard]] double copy(double numbers) const;

  const Machine& machine_;
  Index items_;
  double slowdown_;
  Index later_;
  double seconds_per_folded_ = 0;  // least
  double seconds_per_copied_ = 0;  // least
};

/// Seconds that the steps of one rank keep it busy. Refers to the machine and the part.
class RankWork {
 public:
  /// `own` are the elements that the rank holds. `RankSpeed` describes the other parameters.
  RankWork(const Machine& machine, const RankPart& part, Range own, double slowdown = 1,
           Index later = 1);
  RankWork(const RankPart& part, Range own, const RankSpeed& speed)
      : part_(part), own_(own), speed_(speed) {}

  /// Seconds of a step of the part, by `RankSpeed`.
  [[nodiscard]] double operator()(const Step& step) const {
    return speed_(load_of(part_, step, own_));
  }

 private:
  const RankPart& part_;
  Range own_;
  RankSpeed speed_;
};

/// Times of computing on all ranks of one problem, and whether their data fit into the caches.
/// Refers to the machine and the distribution.
class Work {
 public:
  /// `nodes`, if given, has the node of each rank. Otherwise consecutive ranks fill one node after
  /// the other (`MeasuredWork::ranks_of_node`).
  ///
  /// With measured work, all ranks of a node begin to fold their own elements at one moment. At
  /// each moment a rank folds as fast as while all ranks that have not ended yet fold at once.
  /// Received elements are folded by one rank of the node in a reduce, and by all at once in other
  /// collectives. Throws `Error` if `nodes` has another length than there are ranks.
  Work(const Machine& machine, const Distribution& distribution, Items items, Delivery delivery,
       std::span<const std::uint32_t> nodes = {});

  /// Times of one rank's steps. Call one of the two once for each rank. Several threads may call
  /// them at once.
  RankWork of(Rank rank, const RankPart& part);
  RankSpeed of(Rank rank, const RankLoad& load);

  /// Whether the ranks of a node together hold, receive and copy more bytes than its last cache
  /// has. Counts the ranks for which `of` was called.
  [[nodiscard]] bool leaves_caches() const;

 private:
  [[nodiscard]] std::uint32_t node_of(Rank rank) const;
  void share_node(std::span<const Rank> ranks, Items items);
  [[nodiscard]] double slowdown_of(Rank rank) const {
    return slowdown_.empty() ? 1 : slowdown_[static_cast<std::size_t>(rank)];
  }
  [[nodiscard]] Index later_of(Rank rank) const;
  void hold(Rank rank, const RankLoad& load);

  const Machine& machine_;
  const Distribution& distribution_;
  std::span<const std::uint32_t> nodes_;
  Delivery delivery_;
  std::vector<double> slowdown_;      // by rank; 1 if empty
  std::vector<Index> ranks_of_node_;  // by node
  std::vector<double> bytes_;         // held, received and copied, by node
};

}  // namespace bracket
