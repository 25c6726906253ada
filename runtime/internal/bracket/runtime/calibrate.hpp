// SPDX-License-Identifier: MIT

#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "bracket/model/loggp.hpp"
#include "bracket/model/loggp_fit.hpp"
#include "bracket/runtime/communicator.hpp"
#include "bracket/runtime/kernel.hpp"

namespace bracket::runtime {

/// Seconds per addition of float64 by one kernel, on all ranks at once.
struct KernelRate {
  std::string_view name;
  double in_cache = 0;      ///< elements that fit into the first cache
  double out_of_cache = 0;  ///< more than fit into any
};

/// Sum of `count` elements.
using ElementSum = double (*)(const double* elements, Index count);

/// Sum of `count` products.
using ProductSum = double (*)(const double* elements, const double* factors, Index count);

/// How `calibrate` measures.
struct CalibrationMethod {
  const Kernel* kernel = nullptr;       ///< of the folds; null: the one that `select_kernel` takes
  bool quick = false;                   ///< fewer sizes and samples, for a first look
  std::vector<Operation> operations{};  ///< to measure besides the sum of float64
  /// The sums of a baseline by a kernel. Required if there is a baseline among the operations.
  std::function<ElementSum(Baseline, const Kernel&)> baseline = {};
  std::function<ProductSum(Baseline, const Kernel&)> baseline_of_products = {};
  /// Called on every rank before each part, if there is one.
  std::function<void(std::string_view part)> before = {};
};

/// Measured figures of a machine, the same on every rank.
struct Calibration {
  Rank partner = 0;                              ///< rank that exchanged `messages` with rank 0
  std::vector<MessageTimes> messages;            ///< by size
  std::vector<MessageTimes> cold_messages{};     ///< by size, of data that are in no cache
  std::vector<MessageTimes> library_messages{};  ///< by size, of short messages through MPI; empty
                                                 ///< if `messages` are all that
  std::vector<MessageTimes> inside_node;  ///< by size, between two ranks of one node; empty if
                                          ///< `messages` are that
  std::vector<MessageTimes> cold_inside_node{};
  std::vector<MessageTimes> library_inside_node{};
  double eager_bytes = 0;  ///< largest message that is sent before it is received; may be infinite
  double cache_bytes = 0;  ///< of a node's last cache; infinite if the system does not say
  MeasuredWork work;
  std::vector<Machine::MeasuredOperation> operations{};
  std::vector<KernelRate> kernels;  ///< that the processors of all ranks support
  int rounds = 0;           ///< number of measurements of each fold, of which the median counts
  double rounds_apart = 0;  ///< share by which many folds took longer in one round than in another
  double all_reduce_seconds = 0;  ///< of the library's all-reduce of one float64 after others, when
                                  ///< messages were measured
  double messages_apart = 0;  ///< share by which a small all-reduce took longer at one moment than
                              ///< at another; the times of messages and starts are from
                              ///< moments that agree

  /// Whether the rounds of folds agree. If not, other times may be wrong by the same share.
  [[nodiscard]] bool quiet() const { return rounds_apart <= 0.2; }

  /// The machine of these figures, whose seconds per addition are those out of cache.
  [[nodiscard]] Machine machine() const;
};

/// Measures messages, folds, copies, joins and the start of a run on the ranks of a communicator.
///
/// - Messages: between rank 0 and a rank of another node, if there is one, and then inside its
///   node. Two ranks send by turns and at once. They use the calls that a run makes, from the same
///   memory over and over, and then from memory that is in no cache. If short messages of a run go
///   through mailboxes, those through MPI are measured as well.
/// - Folds: by 1, 2, 4, … and all ranks of a node at once. Folds, copies and joins are measured in
///   several rounds, each from other memory, before, between and after the rest. The median of the
///   rounds counts.
/// - Threads: the time to wake those of rank 0, one for each core that it may use.
/// - Small folds and joins: several at once, as in a run, unless a rank folds all its elements
///   together.
/// - Other operations: folds, copies and joins as above, with fewer samples, in three rounds.
/// - Receives: the difference between small runs with several messages and with one message.
/// - Start: the measured time of small runs minus LogGP's prediction, the median of several numbers
///   of elements, and how much longer it takes with elements that fill the first cache. The starts
///   in a program are those of all-reduces, by a reducer and by the library, which come after an
///   exchange of messages and a loop, less the time of these.
///
/// Ranks that are not needed sleep. Round trips, overheads and gaps follow Culler, Liu, Martin and
/// Yoshikawa (1996) and Kielmann, Bal and Verstoep (2000): the overhead of a receive is measured
/// when its message has already arrived, a gap is measured by trains of messages. The eager limit
/// is the largest message whose send completes although nobody receives it. Collective. Throws
/// `CollectiveError` on one rank alone, without a kernel, or without enough memory.
Calibration calibrate(const Communicator& communicator, const CalibrationMethod& method = {});

}  // namespace bracket::runtime
