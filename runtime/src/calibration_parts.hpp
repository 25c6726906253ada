#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "bracket/runtime/calibrate.hpp"

/// The parts of `calibrate`. Collective over the communicator; what they return is rank 0's.
namespace bracket::calibration {

struct MeasuredMessages {
  std::vector<MessageTimes> times;
  double eager_bytes = 0;
};

/// Between rank 0 and `partner`; the others sleep.
MeasuredMessages measure_messages(const Communicator& communicator, Rank partner, bool quick);

/// Of this rank's memory, for `measure_work` and `measure_kernels`. Throws `Error` if there is
/// none.
std::vector<double> make_elements(Rank ranks_on_host);

/// All but the start.
MeasuredWork measure_work(const Communicator& communicator, const Kernel& kernel,
                          const std::vector<double>& elements, bool quick);

/// The same work measured in rounds, on a machine that others may slow down for a while.
class WorkRounds {
 public:
  static constexpr std::size_t most = 4;
  static constexpr double agreement = 0.1;

  /// All but the start; of the same folds in each round.
  void add(MeasuredWork round) { rounds_.push_back(std::move(round)); }

  [[nodiscard]] int count() const { return static_cast<int>(rounds_.size()); }

  /// Whether the last two agree, or no more should be waited for.
  [[nodiscard]] bool settled() const;

  /// The lowest of each figure.
  [[nodiscard]] MeasuredWork fastest() const;

  /// How much longer folds took in their slowest round than in their fastest: of a quarter of their
  /// sizes, as many as leave a cache, this share or more.
  [[nodiscard]] double apart() const;

 private:
  std::vector<MeasuredWork> rounds_;
};

/// What runs of rank 0 and `partner` take more than LogGP says; the others sleep.
double measure_start(const Communicator& communicator, Rank partner, const Kernel& kernel,
                     const Machine& machine, bool quick);

std::vector<KernelRate> measure_kernels(const Communicator& communicator,
                                        const std::vector<double>& elements, bool quick);

/// The sample below which lies that share of all: what else the machine does only adds to a time.
inline double low(std::vector<double> samples, double share) {
  const auto at = static_cast<std::ptrdiff_t>(share * static_cast<double>(samples.size()));
  std::nth_element(samples.begin(), samples.begin() + at, samples.end());
  return samples[static_cast<std::size_t>(at)];
}

/// Every rank gets here before any goes on, asleep while it waits: it keeps no core from the
/// others.
void rest(const Communicator& communicator);

}  // namespace bracket::calibration
