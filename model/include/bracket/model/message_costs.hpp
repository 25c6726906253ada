// SPDX-License-Identifier: MIT

#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "bracket/model/range.hpp"

namespace bracket {

/// Measured times of messages of so many bytes between two ranks. Seconds.
struct MessageTimes {
  Index bytes = 0;
  double send_overhead = 0;  ///< time for which a send occupies its rank
  double receive_overhead =
      0;                  ///< time for which a receive of an arrived message occupies its rank
  double round_trip = 0;  ///< time of a message there and one back
  double gap = 0;         ///< time from one message of a train to the next
  double exchange = 0;    ///< time in which both ranks send each other such a message at once; 0 if
                          ///< it was not measured

  /// Time by which the two messages of an exchange take longer than one alone.
  [[nodiscard]] double exchange_delay() const { return std::max(0.0, exchange - round_trip / 2); }

  friend bool operator==(const MessageTimes&, const MessageTimes&) = default;
};

/// Times of the parts of a message's way, without other messages. Seconds.
struct Passage {
  double before = 0;    ///< from the start of the send until its first byte leaves
  double latency = 0;   ///< until the first byte comes
  double on_links = 0;  ///< until the last one does
  double after = 0;     ///< until the receive ends
};

/// Costs of a message between two ranks: the figures of LogGP with LogGOPS's O, or a table of
/// measured times. Seconds and bytes. All models take the time of a message from here, so that they
/// agree.
///
/// By the figures, a send and a receive of k bytes occupy their ranks for o + (k − 1)·O each; two
/// sends of a rank are g + (k − 1)·G apart; from the start of a send to the end of a receive that
/// waits for it, o + L + (k − 1)·max(O, G) + o pass. By the table, these are the overheads, the gap
/// and half of the round trip. Times between two measured sizes are interpolated linearly. A
/// message smaller than the first size takes as long as that size; beyond the last size, the time
/// per byte is constant.
struct MessageCosts {
  double latency = 0;
  double overhead = 0;
  double gap = 0;
  double gap_per_byte = 0;
  double overhead_per_byte = 0;
  std::vector<MessageTimes> measured{};  ///< by bytes; if empty, the figures hold
  std::vector<MessageTimes> cold{};      ///< by bytes, for data that are in no cache; if empty,
                                         ///< `measured` holds for these too
  std::vector<MessageTimes> library{};   ///< by bytes, for the collectives of the MPI library, if
                                         ///< its short messages take another way than a run's; if
                                         ///< empty, `measured` holds for these too
  double handling = 0;  ///< added to each receive; see `MeasuredWork::seconds_per_receive`

  /// Seconds for which a send keeps its rank.
  [[nodiscard]] double sending(double bytes) const;
  /// Seconds for which a receive keeps its rank once the first byte is there.
  [[nodiscard]] double receiving(double bytes) const;
  /// Seconds from the start of a send to the end of a receive that waits for it.
  [[nodiscard]] double way(double bytes) const;
  /// Seconds by which each of two messages that cross, one each way, takes longer. By the figures,
  /// and by a table without exchanges, none.
  [[nodiscard]] double exchange_delay(double bytes) const;
  /// Seconds from a send of a rank, or a receive, to the next.
  [[nodiscard]] double spacing(double bytes) const;
  /// The parts of the way. By the table, 2·o and L are taken from the figures, or scaled down if
  /// the whole way is shorter, and the rest is on the links, or in the latency where G is 0. The
  /// table's smallest message says which share of 2·o each end has.
  [[nodiscard]] Passage passage(double bytes) const;

  /// A copy of these costs, for messages whose data are in no cache.
  [[nodiscard]] MessageCosts out_of_cache() const;

  /// A copy of these costs, for the collectives of the MPI library. The times of longer messages
  /// than those in `library` are the same. Those in `library` also hold for data in no cache.
  [[nodiscard]] MessageCosts by_library() const;

  /// Removes the measured times, so that the figures hold.
  void drop_tables() {
    measured.clear();
    cold.clear();
    library.clear();
  }

  /// Lower bounds on the times of every message of `bytes` or more, warm or cold.
  struct Least {
    double way = 0;
    double spacing = 0;
    double overhead = 0;  ///< at either end
  };
  [[nodiscard]] Least least(double bytes) const;

  /// Throws `Error`, which begins with `where`, if a figure is negative or not finite, a measured
  /// time is not positive, or sizes do not grow.
  void check(const std::string& where) const;

  friend bool operator==(const MessageCosts&, const MessageCosts&) = default;
};

}  // namespace bracket
