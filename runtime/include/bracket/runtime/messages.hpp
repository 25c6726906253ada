#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bracket/runtime/communicator.hpp"
#include "bracket/runtime/program.hpp"

namespace bracket {

/// The messages of a program, to and from an array of values. A run begins, posts all
/// receives, then starts the sends one by one.
///
/// Persistent requests would say more to the MPI library, but starting one costs more than a send
/// of its own: with Open MPI 4.1 on one node an exchange of 8 bytes takes 1.6 times as long.
///
/// A rank that fails sends every other a *notice* with its words. One that waits long looks for it
/// and throws `CollectiveError` with those words, wherever it waits; a run begins with a look too.
class Messages {
 public:
  Messages() = default;
  /// `values` is where the program's slots are, of `value_bytes` bytes each. Throws `Error` if a
  /// message has more bytes than MPI can count.
  Messages(const Communicator& communicator, const Program& program, void* values,
           std::size_t value_bytes);
  ~Messages();
  Messages(Messages&& other) noexcept { *this = std::move(other); }
  Messages& operator=(Messages&& other) noexcept;

  /// Throws `Error` if they are not usable.
  void begin_run();

  /// Throws `CollectiveError` if another rank has failed in this run or before.
  void look_for_notice();

  void post_receives();
  void start_send(std::size_t message);

  /// Whether a message is there.
  bool received(std::size_t message);
  void wait_for_receive(std::size_t message);

  /// Whether what was sent may be overwritten.
  bool all_sent();
  void wait_for_sends();

  /// Tells all ranks that this one has failed, and why. Words that do not fit are cut off.
  void notify(const std::string& words) noexcept;

  /// After a failure in between: nothing is received into the values any more, and every further
  /// `begin_run` throws `Error`. MPI may go on reading the values.
  void abandon() noexcept;
  [[nodiscard]] bool abandoned() const { return abandoned_; }

  /// Throws `Error` if they are abandoned or if MPI has ended.
  void check_usable() const;

  /// Messages sent since it was made, counted where they start.
  [[nodiscard]] Index sent() const { return sent_; }

 private:
  struct Place {
    void* first;
    int bytes;
    int peer;
  };

  void wait_for(MPI_Request& request);

  /// Another rank's failure. A rank may be in its next run before others have completed theirs,
  /// which that does not concern.
  struct Notice {
    std::int64_t run = 0;
    std::array<char, 504> words{};  // with a zero behind them
  };

  MPI_Comm communicator_ = MPI_COMM_NULL;
  int tag_ = 0;  // of messages
  int notice_tag_ = 0;
  std::unique_ptr<Notice> notice_;
  MPI_Request notice_request_ = MPI_REQUEST_NULL;
  std::vector<Place> send_places_;
  std::vector<Place> receive_places_;
  std::vector<MPI_Request> sends_;     // null where nothing is under way
  std::vector<MPI_Request> receives_;  // likewise
  bool abandoned_ = false;
  Index sent_ = 0;
  std::int64_t run_ = 0;  // the latest, from 1 on
};

}  // namespace bracket
