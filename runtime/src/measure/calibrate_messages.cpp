// SPDX-License-Identifier: MIT

#include <algorithm>
#include <cmath>
#include <limits>

#include "bracket/runtime/measure.hpp"
#include "bracket/support/order_statistics.hpp"
#include "measure/calibration_parts.hpp"
#include "measure/message_pair.hpp"

namespace bracket::runtime::calibration {

namespace {

class Leader {
 public:
  /// Limit for large messages.
  static constexpr int most_under_way = 4;
  /// Messages beyond this size take milliseconds, so few samples and sizes are enough.
  static constexpr Index large = Index{1} << 22;

  Leader(MessagePair& pair, bool quick, Index most_bytes)
      : pair_(pair), quick_(quick), most_bytes_(most_bytes) {}

  MeasuredMessages measure() {
    MeasuredMessages found;
    for (Index bytes = 8; bytes <= most_bytes_; bytes *= quick_ || bytes >= large ? 4 : 2) {
      found.times.push_back(measure(bytes));
      if (const Index between = bytes / 2 * 3; !quick_ && between < large && bytes >= 1024) {
        found.times.push_back(measure(between));
      }
    }
    pair_.set_cold(true);
    for (Index bytes = 8; bytes <= most_bytes_; bytes *= bytes < 4096 ? 8 : 4) {
      found.cold.push_back(measure(bytes));
    }
    if (pair_.has_mailboxes()) measure_around(Mailboxes::most_bytes, found.cold);
    pair_.set_cold(false);
    found.eager_bytes = eager_limit();
    measure_around(found.eager_bytes, found.times);
    if (pair_.has_mailboxes()) {
      measure_around(Mailboxes::most_bytes, found.times);
      pair_.set_way(Way::through_mpi);
      for (Index bytes = 8; bytes <= Mailboxes::most_bytes; bytes *= quick_ ? 4 : 2) {
        found.library.push_back(measure(bytes));
      }
    }
    pair_.lead(Experiment::end, 0);
    return found;
  }

 private:
  template <class Sample>
  double repeat(Sample&& sample) const {
    const std::size_t most = quick_ ? 20 : 60;
    const double until = MPI_Wtime() + (quick_ ? 4e-3 : 30e-3);
    std::vector<double> samples;
    while (samples.size() < least_samples_ || (samples.size() < most && MPI_Wtime() < until)) {
      samples.push_back(sample());
    }
    // Both ranks must be on a core at the same time. If other processes want cores, few samples are
    // undisturbed.
    return support::quantile(std::move(samples), 0.25);
  }

  MessageTimes measure(Index bytes) {
    least_samples_ = bytes > large ? 4 : 10;
    MessageTimes times{.bytes = bytes};
    constexpr double least_sample = 50e-6;
    const auto at_least_a_tick = [](double seconds, int count) {
      return std::max(seconds, MPI_Wtick() / count);
    };
    const double trip = at_least_a_tick(pair_.lead(Experiment::round_trips, bytes), 1);
    const int trips = static_cast<int>(std::clamp(least_sample / trip, 1.0, 200.0));
    times.round_trip = at_least_a_tick(
        repeat([&] { return pair_.lead(Experiment::round_trips, bytes, trips); }), trips);
    times.exchange = at_least_a_tick(
        repeat([&] { return pair_.lead(Experiment::exchanges, bytes, trips); }), trips);
    // Batches that fit into an MPI library's buffers for messages under way.
    const int batch = static_cast<int>(std::clamp<Index>(16384 / bytes, 1, 8));
    times.send_overhead =
        at_least_a_tick(repeat([&] { return pair_.lead(Experiment::sends, bytes, batch); }), batch);
    pair_.set_arrival(std::max(20e-6, 2 * times.round_trip * batch));
    times.receive_overhead = at_least_a_tick(
        repeat([&] { return pair_.lead(Experiment::receives, bytes, batch); }), batch);
    const int train = bytes <= 65536 ? MessagePair::most_count : most_under_way;
    const double whole = repeat([&] { return pair_.lead(Experiment::train, bytes, train); });
    const double one = repeat([&] { return pair_.lead(Experiment::train, bytes, 1); });
    times.gap = at_least_a_tick((whole - one) / (train - 1), train - 1);
    return times;
  }

  /// Adds the sizes on both sides of a limit: a line across it would be wrong on both sides.
  void measure_around(double limit, std::vector<MessageTimes>& times) {
    if (!std::isfinite(limit) || limit < 8) return;
    const auto least = static_cast<Index>(limit);
    for (const Index bytes : {least, least + 1}) {
      const auto place = std::lower_bound(
          times.begin(), times.end(), bytes,
          [](const MessageTimes& known, Index wanted) { return known.bytes < wanted; });
      if (place != times.end() && place->bytes == bytes) continue;
      times.insert(place, measure(bytes));
    }
  }

  /// One completion is proof. A failure may mean that the other rank, whose library completes the
  /// send, had no core; therefore it repeats with more patience.
  [[nodiscard]] bool completes(Index bytes) const {
    constexpr int most = 32;
    for (int patiences = 1; patiences <= most; patiences *= 2) {
      if (pair_.lead(Experiment::unreceived, bytes, patiences) > 0) return true;
    }
    return false;
  }

  [[nodiscard]] double eager_limit() const {
    const Index all = std::min(most_bytes_, large);
    if (completes(all)) return std::numeric_limits<double>::infinity();
    Index least = 0;
    for (Index most = all; most - least > 1;) {
      const Index middle = least + (most - least) / 2;
      (completes(middle) ? least : most) = middle;
    }
    return static_cast<double>(least);
  }

  MessagePair& pair_;
  bool quick_;
  Index most_bytes_;
  std::size_t least_samples_ = 10;
};

}  // namespace

MeasuredMessages measure_messages(const Communicator& communicator, Rank partner, bool quick) {
  const Index most_bytes = Index{1} << (quick ? 19 : 26);
  MeasuredMessages found;
  const Rank rank = communicator.rank();
  const Mailboxes mailboxes = mailboxes_of_pair(communicator, 0, partner);
  if (rank == 0 || rank == partner) {
    MessagePair pair(communicator, rank == 0 ? partner : 0, rank == 0,
                     most_bytes * Leader::most_under_way, mailboxes);
    if (rank == 0) {
      found = Leader(pair, quick, most_bytes).measure();
    } else {
      pair.follow();
    }
  }
  rest(communicator);
  return found;
}

}  // namespace bracket::runtime::calibration
