#include "bracket/runtime/mpi.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "bracket/runtime/measure.hpp"
#include "bracket/support/order_statistics.hpp"
#include "measure/calibration_parts.hpp"

namespace bracket::runtime::calibration {

namespace {

/// Writes to all whole numbers in so many bytes, as a fold of vectors writes its result. Not
/// inline, so that the compiler keeps every repetition.
[[gnu::noinline]] void write(char* first, Index bytes, double value) {
  constexpr auto size = static_cast<Index>(sizeof(double));
  const auto past = static_cast<Index>(reinterpret_cast<std::uintptr_t>(first) % sizeof(double));
  const Index skipped = past == 0 ? 0 : size - past;
  if (bytes < skipped + size) return;
  std::fill_n(reinterpret_cast<double*>(first + skipped), (bytes - skipped) / size, value);
}

enum class Experiment : int { round_trips, exchanges, sends, receives, train, unreceived, end };

/// Order of the leader to the follower to take part in an experiment.
struct Task {
  Experiment experiment = Experiment::end;
  int count = 0;
  Index bytes = 0;
  bool cold = false;  // whether messages use memory that is in no cache, on both sides
};

/// Two ranks: the leader, which measures, and the follower.
class Pair {
 public:
  Pair(const Communicator& communicator, Rank other, bool leads, Index most_bytes)
      : communicator_(communicator),
        other_(other),
        leads_(leads),
        buffer_(static_cast<std::size_t>(most_bytes)),
        requests_(most_count, MPI_REQUEST_NULL) {}

  static constexpr int most_count = 16;
  static constexpr double patience = 1e-3;  ///< seconds after which an eager message has left

  /// The follower's part: takes part in the leader's experiments until the end.
  void follow() {
    while (true) {
      Task task;
      receive(&task, sizeof task);
      if (task.experiment == Experiment::end) return;
      take_part(task);
    }
  }

  /// The leader's part: runs an experiment and returns its time in seconds.
  double lead(Experiment experiment, Index bytes, int count = 1) {
    const Task task{experiment, count, bytes, cold_};
    MPI_Request request = start_send(&task, sizeof task, communicator_.notice_tag());
    wait(request);
    return experiment == Experiment::end ? 0 : take_part(task);
  }

  /// Whether the messages of the following experiments use memory that is in no cache.
  void set_cold(bool cold) { cold_ = cold; }

  /// Sets the seconds that the leader of `Experiment::receives` lets messages arrive.
  void set_arrival(double seconds) { arrival_ = seconds; }

 private:
  double take_part(const Task& task) {
    cold_ = task.cold;
    switch (task.experiment) {
      case Experiment::round_trips:
        return round_trips(task);
      case Experiment::exchanges:
        return exchanges(task);
      case Experiment::sends:
        return sends(task);
      case Experiment::receives:
        return receives(task);
      case Experiment::train:
        return train(task);
      default:
        return unreceived(task);
    }
  }

  /// Seconds per round trip of `count` round trips. As in a run, a rank writes what it sends, into
  /// memory that the other rank has read in the round before: it takes longer to write there. The
  /// time to write elsewhere does not count.
  double round_trips(const Task& task) {
    double seconds = 0;
    for (int round = -1; round < task.count; ++round) {
      MPI_Request incoming = start_receive(task.bytes, 0);
      read_elements();
      if (!leads_) wait(incoming);
      seconds += timed([&] {
        write_sent(task.bytes);
        MPI_Request outgoing = start_send(task.bytes, 1);
        wait(incoming);
        wait(outgoing);
      });
      if (round < 0) seconds = 0;
    }
    return std::max(0.0, seconds / task.count - 2 * seconds_to_write(task.bytes));
  }

  /// Seconds per exchange of `count` exchanges: both ranks send, wait for each other's message, and
  /// write where they have sent from, as in a run.
  double exchanges(const Task& task) {
    double seconds = 0;
    for (int round = -1; round < task.count; ++round) {
      MPI_Request incoming = start_receive(task.bytes, 0);
      read_elements();
      seconds += timed([&] {
        MPI_Request outgoing = start_send(task.bytes, 1);
        wait(incoming);
        wait(outgoing);
        write_sent(task.bytes);
      });
      if (round < 0) seconds = 0;
    }
    return std::max(0.0, seconds / task.count - seconds_to_write(task.bytes));
  }

  /// Writes message number 1, unless its data are to be in no cache.
  void write_sent(Index bytes) {
    if (!cold_) write(place(bytes, 1), bytes, written_ += 1);
  }

  /// Seconds of `write_sent` if the other rank has not read the memory.
  double seconds_to_write(Index bytes) {
    if (cold_) return 0;
    const Index times = std::clamp<Index>(65536 / bytes, 1, 1024);
    write_sent(bytes);
    const double seconds = timed([&] {
      for (Index i = 0; i < times; ++i) write_sent(bytes);
    });
    return std::max(0.0, seconds) / static_cast<double>(times);
  }

  /// Seconds that a send occupies the leader: start, and one test for completion.
  double sends(const Task& task) {
    if (!leads_) {
      start_receives(task);
      signal();
      wait_for_all();
      return 0;
    }
    await_signal();
    double seconds = 0;
    for (int i = 0; i < task.count; ++i) {
      read_elements();
      seconds += timed([&] {
        request(i) = start_send(task.bytes);
        test(request(i));
      });
    }
    wait_for_all();
    return seconds / task.count;
  }

  /// Seconds that a receive occupies the leader: started before its message arrives, completed
  /// after.
  double receives(const Task& task) {
    if (!leads_) {
      await_signal();
      for (int i = 0; i < task.count; ++i) request(i) = start_send(task.bytes);
      wait_for_all();
      return 0;
    }
    double seconds = timed([&] { start_receives(task); });
    signal();
    // No call of MPI, because it would do some of the work.
    for (const double sent = MPI_Wtime(); MPI_Wtime() - sent < arrival_;) {
    }
    for (int i = 0; i < task.count; ++i) {
      read_elements();
      seconds += timed([&] { wait(request(i)); });
    }
    return seconds / task.count;
  }

  /// Seconds for `count` messages and the answer to the last.
  double train(const Task& task) {
    if (!leads_) {
      start_receives(task);
      signal();
      wait_for_all();
      signal();
      return 0;
    }
    await_signal();
    const double start = MPI_Wtime();
    for (int i = 0; i < task.count; ++i) request(i) = start_send(task.bytes);
    wait_for_all();
    await_signal();
    return MPI_Wtime() - start;
  }

  /// Returns 1 if a send completes before its receive starts, within `count` times `patience`,
  /// otherwise 0.
  double unreceived(const Task& task) {
    if (!leads_) {
      await_signal();
      MPI_Request incoming = start_receive(task.bytes, 0);
      wait(incoming);
      return 0;
    }
    MPI_Request outgoing = start_send(task.bytes);
    bool complete = false;
    const double end = MPI_Wtime() + task.count * patience;
    // One more test after the deadline: this rank may have lost its core before it.
    for (bool late = false; !complete && !late;) {
      late = MPI_Wtime() >= end;
      complete = test(outgoing);
    }
    signal();
    wait(outgoing);
    return complete ? 1 : 0;
  }

  /// Seconds that `action` takes, without the time of the clock calls.
  template <class Action>
  double timed(Action&& action) const {
    const double start = MPI_Wtime();
    action();
    return MPI_Wtime() - start - clock_;
  }

  /// Reads elements, as the folds between the messages of a run do: they evict most of the MPI
  /// library's data from the first cache.
  void read_elements() {
    double sum = 0;
    for (const double element : elements_) sum += element;
    sum_ = sum;
  }

  static double seconds_of_clock() {
    std::vector<double> samples;
    for (int i = 0; i < 100; ++i) {
      const double start = MPI_Wtime();
      samples.push_back(MPI_Wtime() - start);
    }
    return summarize(samples).median;
  }

  MPI_Request& request(int i) { return requests_[static_cast<std::size_t>(i)]; }

  MPI_Request start_send(const void* from, std::size_t bytes, int tag) {
    MPI_Request request = MPI_REQUEST_NULL;
    check_mpi(MPI_Isend(from, static_cast<int>(bytes), MPI_BYTE, other_, tag,
                        communicator_.handle(), &request),
              "MPI_Isend");
    return request;
  }
  /// Sends message number `i` of those under way at the same time from a place of its own.
  MPI_Request start_send(Index bytes, int i = 0) {
    return start_send(place(bytes, i), static_cast<std::size_t>(bytes),
                      communicator_.message_tag());
  }
  MPI_Request start_receive(void* into, Index bytes, int tag) {
    MPI_Request request = MPI_REQUEST_NULL;
    check_mpi(MPI_Irecv(into, static_cast<int>(bytes), MPI_BYTE, other_, tag,
                        communicator_.handle(), &request),
              "MPI_Irecv");
    return request;
  }
  /// Receives message number `i` of those under way at the same time, each into a place of its own.
  MPI_Request start_receive(Index bytes, int i) {
    return start_receive(place(bytes, i), bytes, communicator_.message_tag());
  }
  /// Place of message number `i` of those under way at the same time. A cold message uses the least
  /// recently used part of the buffer.
  char* place(Index bytes, int i) {
    if (!cold_) return buffer_.data() + bytes * i;
    const auto room = static_cast<Index>(buffer_.size());
    if (next_ + bytes > room) next_ = 0;
    char* const found = buffer_.data() + next_;
    // At least the distance of lines that are fetched together.
    constexpr Index apart = 4096;
    next_ += (bytes + apart - 1) / apart * apart;
    return found;
  }
  void start_receives(const Task& task) {
    for (int i = 0; i < task.count; ++i) request(i) = start_receive(task.bytes, i);
  }
  void wait_for_all() {
    for (MPI_Request& request : requests_) wait(request);
  }
  void receive(void* into, Index bytes) {
    MPI_Request request = start_receive(into, bytes, communicator_.notice_tag());
    wait(request);
  }
  void signal() {
    MPI_Request request = start_send(nullptr, 0, communicator_.notice_tag());
    wait(request);
  }
  void await_signal() { receive(nullptr, 0); }

  const Communicator& communicator_;
  Rank other_;
  bool leads_;
  std::vector<char> buffer_;
  std::vector<MPI_Request> requests_;
  std::vector<double> elements_ = std::vector<double>(4096, 1.0);
  volatile double sum_ = 0;
  double written_ = 0;
  double clock_ = seconds_of_clock();
  double arrival_ = 0;
  bool cold_ = false;
  Index next_ = 0;  // place in the buffer for the next cold message
};

class Leader {
 public:
  /// Limit for large messages.
  static constexpr int most_under_way = 4;
  /// Messages beyond this size take milliseconds, so few samples and sizes are enough.
  static constexpr Index large = Index{1} << 22;

  Leader(Pair& pair, bool quick, Index most_bytes)
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
    pair_.set_cold(false);
    found.eager_bytes = eager_limit();
    measure_around(found.eager_bytes, found.times);
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
    const int train = bytes <= 65536 ? Pair::most_count : most_under_way;
    const double whole = repeat([&] { return pair_.lead(Experiment::train, bytes, train); });
    const double one = repeat([&] { return pair_.lead(Experiment::train, bytes, 1); });
    times.gap = at_least_a_tick((whole - one) / (train - 1), train - 1);
    return times;
  }

  /// Adds the sizes on both sides of the eager limit: a line across it would be wrong on both
  /// sides.
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

  Pair& pair_;
  bool quick_;
  Index most_bytes_;
  std::size_t least_samples_ = 10;
};

}  // namespace

MeasuredMessages measure_messages(const Communicator& communicator, Rank partner, bool quick) {
  const Index most_bytes = Index{1} << (quick ? 19 : 26);
  MeasuredMessages found;
  const Rank rank = communicator.rank();
  if (rank == 0 || rank == partner) {
    Pair pair(communicator, rank == 0 ? partner : 0, rank == 0,
              most_bytes * Leader::most_under_way);
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
