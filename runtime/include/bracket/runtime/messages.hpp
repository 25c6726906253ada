#pragma once

#include <mpi.h>

#include <vector>

#include "bracket/runtime/communicator.hpp"
#include "bracket/runtime/program.hpp"

namespace bracket {

/// The messages of a program, to and from an array of values. A run posts all receives, then starts
/// the sends one by one.
///
/// Persistent requests would say more to the MPI library, but starting one costs more than a send
/// of its own: with Open MPI 4.1 on one node an exchange of 8 bytes takes 1.6 times as long.
class Messages {
 public:
  Messages() = default;
  /// `values` is where the program's slots are, of `value_bytes` bytes each. Throws `Error` if a
  /// message has more bytes than MPI can count.
  Messages(const Communicator& communicator, const Program& program, void* values,
           std::size_t value_bytes);
  ~Messages();
  Messages(Messages&& other) noexcept = default;
  Messages& operator=(Messages&& other) noexcept;

  void post_receives();
  void start_send(std::size_t message);

  /// Whether a message is there.
  bool received(std::size_t message);
  void wait_for_receive(std::size_t message);

  /// Whether what was sent may be overwritten.
  bool all_sent();
  void wait_for_sends();

  /// After a failure in between: nothing is received into the values any more, and every further
  /// `post_receives` throws `Error`. MPI may go on reading the values.
  void abandon() noexcept;
  [[nodiscard]] bool abandoned() const { return abandoned_; }

  /// Throws `Error` if they are abandoned.
  void check_usable() const;

  /// Messages sent since it was made, counted where they start.
  [[nodiscard]] Index sent() const { return sent_; }

 private:
  struct Place {
    void* first;
    int bytes;
    int peer;
  };

  MPI_Comm communicator_ = MPI_COMM_NULL;
  std::vector<Place> send_places_;
  std::vector<Place> receive_places_;
  std::vector<MPI_Request> sends_;     // null where nothing is under way
  std::vector<MPI_Request> receives_;  // likewise
  bool abandoned_ = false;
  Index sent_ = 0;
};

}  // namespace bracket
