#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "bracket/model/tune.hpp"
#include "sweep/sweep_jobs.hpp"
#include "tune/tune_options.hpp"

namespace bracket::tools {

/// Weighs candidates of a tuning in several processes: SimGrid can run one simulation at a time in
/// a process, and a process can be ended whatever it is doing, when the tuning's time is over.
class TuneJobs : public Weigher {
 public:
  /// To be called while this process has one thread. Throws `Error` if there cannot be so many.
  TuneJobs(const TuneOptions& options, int count);

  [[nodiscard]] Index at_once() const override { return count_; }
  void begin(Index number, Weighable what) override;
  std::optional<Weighed> wait(double seconds) override;

 private:
  Index count_;
  SweepJobs jobs_;
  std::unordered_map<Index, std::string> begun_;  // what is being weighed, in words
  std::vector<Weighed> weighed_;                  // and not asked for yet
};

}  // namespace bracket::tools
