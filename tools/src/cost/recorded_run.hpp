// SPDX-License-Identifier: MIT

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bracket/model/element.hpp"
#include "bracket/model/schedule.hpp"
#include "bracket/record/trace.hpp"

namespace bracket::tools {

/// Common properties of reductions that have equal schedules.
struct ReductionSize {
  Rank ranks = 1;
  Delivery delivery{};
  Index items = 1;  ///< numbers on each rank
  Op op = Op::sum;
  Type type = Type::float64;

  /// Whether these are sums of single float64: a loop of the program may precede them.
  [[nodiscard]] bool single_sum() const {
    return items == 1 && op == Op::sum && type == Type::float64;
  }

  auto operator<=>(const ReductionSize& other) const {
    const auto key = [](const ReductionSize& size) {
      return std::tuple(size.ranks, size.delivery.collective, size.delivery.root, size.items,
                        size.op, size.type);
    };
    return key(*this) <=> key(other);
  }
  bool operator==(const ReductionSize& other) const { return (*this <=> other) == 0; }
};

/// A recorded reduction that a reproducible one would replace. Members are in the sequence of its
/// communicator; times are in seconds.
struct RecordedCall {
  std::size_t size = 0;    ///< index of `RecordedRun::sizes`
  std::size_t number = 0;  ///< among the `single_sum` calls of its communicator, from 0
  std::size_t site = 0;    ///< index of `RecordedRun::sites`
  std::vector<Rank> members;
  /// Of each member, since its call before, or since its start, without the recorder's time.
  std::vector<double> gaps;
  /// Slowdown of each member's loop: 2 if it takes twice its usual time. Empty if there is no loop.
  std::vector<float> slowdowns{};
};

/// Calls of one place in the program.
struct RecordedSite {
  std::string site;
  std::string operation;  ///< `MPI_Allreduce of MPI_DOUBLE by MPI_SUM`
  std::int64_t calls = 0;
  std::int64_t bytes = 0;  ///< of the inputs of all calls and ranks
  double seconds = 0;      ///< mean over the ranks of the run, as are the next two
  double waiting = 0;      ///< until the last rank of each call had come
  double transfer = 0;     ///< the rest
};

/// A run as a sequence of reductions with gaps between them.
struct RecordedRun {
  double seconds = 0;               ///< from the first start of a rank to the last end
  double recorder = 0;              ///< mean over the ranks of the recorder's time left out of gaps
  double reductions = 0;            ///< mean over the ranks of the time in `calls`
  std::vector<double> starts;       ///< of each rank, after the first start
  std::vector<double> tails;        ///< of each rank, from its last call to its end
  std::vector<std::string> hosts;   ///< of each rank
  std::vector<RecordedCall> calls;  ///< in a sequence that every rank could have followed
  std::vector<ReductionSize> sizes;
  std::vector<RecordedSite> sites;  ///< those with the most seconds first
  std::vector<std::string> notes;   ///< sentences about what is left as it was

  [[nodiscard]] Rank ranks() const { return static_cast<Rank>(starts.size()); }
};

/// Returns the run that was recorded. Its calls are blocking all-reduces and reduces, by sum or
/// product, of floats: the bits of others do not depend on the bracketing, or Bracket has no plan
/// for them. Throws `Error` if the times of a rank are impossible.
RecordedRun recorded_run(const record::Trace& trace);

/// How gaps change on more ranks.
enum class Scaling { strong, weak };

/// Returns the run on more ranks. Rank k has the gaps of rank k mod p of the recorded p ranks; with
/// strong scaling, they are shorter by p / `ranks`. A communicator of all ranks grows; of each
/// smaller one, every block of p ranks has its own. Throws `Error` for fewer ranks, and if a
/// smaller communicator does not fit, because `ranks` is no multiple of p.
RecordedRun on_more_ranks(const RecordedRun& run, Rank ranks, Scaling scaling);

}  // namespace bracket::tools
