// SPDX-License-Identifier: MIT

#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "bracket/model/tune.hpp"
#include "sweep/sweep_jobs.hpp"
#include "tune/tune_options.hpp"

namespace bracket::tools {

/// Weighs candidates of a tuning in several processes. SimGrid can run only one simulation at a
/// time in a process, and a process can be ended at any moment when the tuning's time is over.
class TuneJobs : public Weigher {
 public:
  /// Starts `count` processes. This process must have only one thread. Throws `Error` if they
  /// cannot be started.
  TuneJobs(const TuneOptions& options, int count);

  [[nodiscard]] Index at_once() const override { return count_; }
  void begin(Index number, Weighable what) override;
  std::optional<Weighed> wait(double seconds) override;

 private:
  Index count_;
  SweepJobs jobs_;
  std::unordered_map<Index, std::string> begun_;  // candidates in work, in words
  std::vector<Weighed> weighed_;                  // results that `wait` has not returned yet
};

}  // namespace bracket::tools
