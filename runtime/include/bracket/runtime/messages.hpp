#pragma once

#include <mpi.h>

#include <vector>

#include "bracket/runtime/communicator.hpp"
#include "bracket/runtime/program.hpp"

namespace bracket {

/// The messages of a program as persistent requests over an array of values.
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

  void start_receives();
  void wait_for_receive(std::size_t message);
  void start_send(std::size_t message);
  void wait_for_sends();

  /// After a failure in between: nothing is received into the values any more, and every further
  /// call throws `Error`.
  void abandon() noexcept;

  /// Messages sent since it was made, counted where they start.
  [[nodiscard]] Index sent() const { return sent_; }

 private:
  void free() noexcept;
  void check_usable() const;

  std::vector<MPI_Request> sends_;
  std::vector<MPI_Request> receives_;
  std::vector<bool> active_;  // of the receives
  bool abandoned_ = false;
  Index sent_ = 0;
};

}  // namespace bracket
