// SPDX-License-Identifier: MIT

#pragma once

#include "bracket/runtime/mpi.hpp"

#include <cstdint>
#include <vector>

#include "bracket/runtime/communicator.hpp"
#include "bracket/runtime/mailboxes.hpp"

namespace bracket::runtime::calibration {

/// Experiments with messages between two ranks.
enum class Experiment : int { round_trips, exchanges, sends, receives, train, unreceived, end };

/// How the short messages of experiments are sent.
enum class Way : int { as_in_runs, through_mpi };

/// Order of the leader to the follower to take part in an experiment.
struct Task {
  Experiment experiment = Experiment::end;
  int count = 0;
  Index bytes = 0;
  bool cold = false;  // whether messages use memory that is in no cache, on both sides
  Way way = Way::as_in_runs;
};

/// Two ranks: the leader, which measures, and the follower.
class MessagePair {
 public:
  static constexpr int most_count = 16;

  /// The mailboxes are `most_count` in each direction, as `mailboxes_of_pair` makes them, or none.
  MessagePair(const Communicator& communicator, Rank other, bool leads, Index most_bytes,
              const Mailboxes& mailboxes)
      : communicator_(communicator),
        other_(other),
        leads_(leads),
        buffer_(static_cast<std::size_t>(most_bytes)),
        messages_(most_count),
        outgoing_(mailboxes.sends()),
        incoming_(mailboxes.receives()) {}

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
    const Task task{experiment, count, bytes, cold_, way_};
    send(&task, sizeof task);
    return experiment == Experiment::end ? 0 : take_part(task);
  }

  /// Whether the messages of the following experiments use memory that is in no cache.
  void set_cold(bool cold) { cold_ = cold; }

  /// How the messages of the following experiments are sent.
  void set_way(Way way) { way_ = way; }

  /// Whether there are mailboxes.
  [[nodiscard]] bool has_mailboxes() const {
    return !outgoing_.empty() && outgoing_.front().there();
  }

  /// Sets the seconds that the leader of `Experiment::receives` lets messages arrive.
  void set_arrival(double seconds) { arrival_ = seconds; }

 private:
  double take_part(const Task& task);
  /// Seconds per round trip of `count` round trips. As in a run, a rank writes what it sends, into
  /// memory that the other rank has read in the round before, and combines what it receives: both
  /// take longer than with data of its own. The time with its own data does not count.
  double round_trips(const Task& task);
  /// Seconds per exchange of `count` exchanges: both ranks send, wait for each other's message,
  /// combine the two, and write where they have sent from, as in a run. The receive of a short
  /// message starts after the send.
  double exchanges(const Task& task);
  /// Writes message number 1, unless its data are to be in no cache.
  void write_sent(Index bytes);
  /// Combines messages number 0 and 1 into a third place, unless their data are to be in no cache.
  void combine_received(Index bytes);
  /// Seconds of `write_sent` and `combine_received` without messages.
  double seconds_to_compute(Index bytes);
  /// Seconds that a send occupies the leader: start, and one test for completion.
  double sends(const Task& task);
  /// Seconds that a receive occupies the leader. As in a run, that of a short message starts after
  /// the message has arrived, and that of a longer one before.
  double receives(const Task& task);
  /// Seconds for `count` messages and the answer to the last.
  double train(const Task& task);
  /// Returns 1 if a send completes before its receive starts, within `count` times `patience`,
  /// otherwise 0.
  double unreceived(const Task& task);
  /// Seconds that `action` takes, without the time of the clock calls.
  template <class Action>
  double timed(Action&& action) const {
    const double start = MPI_Wtime();
    action();
    return MPI_Wtime() - start - clock_;
  }
  /// Reads elements, as the folds between the messages of a run do: they evict most of the MPI
  /// library's data from the first cache.
  void read_elements();
  static double seconds_of_clock();
  /// A message that has started. A receive through a mailbox has a number, from 1 on.
  struct Message {
    MPI_Request request = MPI_REQUEST_NULL;
    std::int64_t number = 0;
    char* into = nullptr;
    Index bytes = 0;
  };
  Message& message(int i) { return messages_[static_cast<std::size_t>(i)]; }
  [[nodiscard]] bool by_mailbox(Index bytes) const;
  /// Sends message number `i` of those under way at the same time from a place of its own.
  Message start_send(Index bytes, int i = 0);
  /// Receives message number `i` of those under way at the same time, each into a place of its own.
  Message start_receive(Index bytes, int i);
  Message start_send_by_mpi(const void* from, Index bytes, int tag);
  Message start_receive_by_mpi(void* into, Index bytes, int tag);
  bool test(Message& message);
  void wait(Message& message);
  /// Place of message number `i` of those under way at the same time. A cold message uses the least
  /// recently used part of the buffer.
  char* place(Index bytes, int i);
  void start_receives(const Task& task);
  void wait_for_all();
  /// Messages about the experiments. They always go through MPI.
  void send(const void* from, Index bytes);
  void receive(void* into, Index bytes);
  void signal() { send(nullptr, 0); }
  void await_signal() { receive(nullptr, 0); }

  const Communicator& communicator_;
  Rank other_;
  bool leads_;
  std::vector<char> buffer_;
  std::vector<Message> messages_;
  std::vector<Mailbox> outgoing_;
  std::vector<Mailbox> incoming_;
  std::int64_t put_ = 0;    // messages into mailboxes, one mailbox after the other
  std::int64_t taken_ = 0;  // receives from mailboxes that have started
  std::vector<double> elements_ = std::vector<double>(4096, 1.0);
  volatile double sum_ = 0;
  double written_ = 0;
  double clock_ = seconds_of_clock();
  double arrival_ = 0;
  bool cold_ = false;
  Way way_ = Way::as_in_runs;
  Index next_ = 0;  // place in the buffer for the next cold message
};

/// Mailboxes of two ranks, if short messages go through mailboxes and both ranks are on one node.
/// Collective.
Mailboxes mailboxes_of_pair(const Communicator& communicator, Rank one, Rank other);

}  // namespace bracket::runtime::calibration
