#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "bracket/model/loggp.hpp"
#include "bracket/model/loggp_fit.hpp"
#include "bracket/runtime/communicator.hpp"
#include "bracket/runtime/kernel.hpp"

namespace bracket {

/// Seconds per addition of float64 by one kernel, on all ranks at once.
struct KernelRate {
  std::string_view name;
  double in_cache = 0;      ///< elements that fit into the first cache
  double out_of_cache = 0;  ///< more than fit into any
};

/// How `calibrate` measures.
struct CalibrationMethod {
  const Kernel* kernel = nullptr;  ///< of the folds; null: the one that `select_kernel` takes
  bool quick = false;              ///< fewer sizes and samples, for a first look
  /// Called on every rank before each part, if there is one.
  std::function<void(std::string_view part)> before = {};
};

/// What was measured of a machine, the same on every rank.
struct Calibration {
  Rank partner = 0;                       ///< with which rank 0 exchanged `messages`
  std::vector<MessageTimes> messages;     ///< by size
  std::vector<MessageTimes> inside_node;  ///< with another of its node, if it has one and
                                          ///< `messages` are between nodes
  double eager_bytes = 0;  ///< most that is sent before it is received; may be infinite
  MeasuredWork work;
  std::vector<KernelRate> kernels;  ///< that the processors of all ranks support
  int rounds = 0;           ///< in which folds and joins were measured; each figure is the lowest
  double rounds_apart = 0;  ///< share by which many of the folds took longer in one than in another

  /// Whether nothing slowed the machine down for a while: else other figures may be off as much.
  [[nodiscard]] bool quiet() const { return rounds_apart <= 0.2; }

  /// The machine of these figures, whose seconds per addition are those out of cache.
  [[nodiscard]] Machine machine() const;
};

/// Measures messages between rank 0 and one other, on another node if there is one, and then inside
/// its node too, by the calls that a run makes, and folds and joins on all ranks at once, which
/// share the memory as they do in a run. Figures are low quantiles of their samples; folds and
/// joins are measured first and once more after messages and kernels, and then, up to four times in
/// all, until two rounds agree within a tenth. The start of a run is what runs of those two, a
/// reduce and an all-reduce in the mean, take more from a barrier on than LogGP says by the other
/// figures. Ranks that are not needed sleep.
///
/// Round trips, overheads and gaps are taken as by Culler, Liu, Martin and Yoshikawa (1996) and by
/// Kielmann, Bal and Verstoep (2000): a receive's overhead of messages that have long arrived, a
/// gap from trains of messages. The eager limit is the largest message whose send completes
/// although nobody receives it. Collective. Throws `CollectiveError` on one rank alone, without a
/// kernel, or if there is no memory.
Calibration calibrate(const Communicator& communicator, const CalibrationMethod& method = {});

}  // namespace bracket
