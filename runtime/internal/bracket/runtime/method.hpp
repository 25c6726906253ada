// SPDX-License-Identifier: MIT

#pragma once

#include <cstdint>
#include <functional>

namespace bracket::runtime {

/// How `time_side_by_side` measures; the same on every rank.
struct Method {
  int warm_up = 3;         ///< rounds before those that are recorded
  int repetitions = 30;    ///< rounds that are recorded
  std::uint64_t seed = 1;  ///< of the random sequence of candidates in each round
  /// A candidate whose call takes less is called several times in a sample, at most 1 000 times.
  double least_sample_seconds = 50e-6;
  /// Time of the untimed calls of the candidate before each sample: at least one call, at most
  /// 1 000. The sample then finds the caches and the processor's frequency as the candidate itself
  /// leaves them, not as the previous candidate does. A last cache keeps data of the previous
  /// candidate for several calls: a gather of 8 MB took up to 1.7 times as long after two calls as
  /// after eight. 0: no such calls.
  double lead_in_seconds = 10e-3;
  /// Whether to empty the caches before each call, in place of the lead-in and of several calls in
  /// a sample. Takes twice the last cache's memory on each rank, at least 64 MiB.
  bool cold = false;
  /// Whether a sample has one barrier, before its first call. Otherwise each call has one, and its
  /// time includes waiting for the last rank to leave it. In a row, each rank must wait for all
  /// others in each call.
  bool in_a_row = false;
  std::function<void(int round)> before_round = {};  ///< untimed; from 0, negative in the warm-up
};

}  // namespace bracket::runtime
