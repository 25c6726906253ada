// SPDX-License-Identifier: MIT

#pragma once

#include "bracket/runtime/mpi.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bracket/runtime/communicator.hpp"
#include "bracket/runtime/mailboxes.hpp"
#include "bracket/runtime/program.hpp"

namespace bracket::runtime {

/// The messages of a program, to and from an array of values. A run begins, posts the receives,
/// then starts the sends one by one. The receive of a short message is posted when the run needs
/// it: on one node with Open MPI 4.1, an exchange of 8 bytes then takes 0.9 times as long.
///
/// Persistent requests would tell the MPI library more, but starting one costs more than a plain
/// send: with Open MPI 4.1 on one node an exchange of 8 bytes takes 1.6 times as long.
///
/// Short messages between ranks of a node may go through mailboxes after `share_memory`, and not
/// through MPI. An exchange of 8 bytes then takes a quarter of the time.
///
/// A rank that fails sends every other rank a *notice* with its words. A rank that waits long looks
/// for a notice and throws `CollectiveError` with those words, wherever it waits. A rank that
/// receives no message looks when it begins a run. The others do so in one of sixteen runs, because
/// the rank that has failed may send them none.
class ProgramMessages {
 public:
  /// The receive of a message of more bytes is posted at once, because the message may wait for it.
  /// So are the receives of several messages of one rank, which must be posted in the sequence in
  /// which that rank sends.
  static constexpr int most_late_bytes = 512;

  ProgramMessages() = default;
  /// `values` is the address of the program's slots, of `value_bytes` bytes each. Throws `Error` if
  /// a message has more bytes than MPI can count.
  ProgramMessages(const Communicator& communicator, const Program& program, void* values,
                  std::size_t value_bytes);
  ~ProgramMessages();
  ProgramMessages(ProgramMessages&& other) noexcept { *this = std::move(other); }
  ProgramMessages& operator=(ProgramMessages&& other) noexcept;

  /// Gives short messages between ranks of a node mailboxes. Collective. Throws `CollectiveError`
  /// as `Mailboxes` does.
  void share_memory(Sharing sharing, const Communicator& communicator, const std::string& failure);

  /// Call it if `check_usable` does not throw.
  void begin_run() { ++run_; }

  /// Whether every rank looks for a notice at the beginning of this run.
  [[nodiscard]] bool notice_is_due() const { return run_ % runs_between_looks == 0; }

  /// Throws `CollectiveError` if another rank has failed in this run or before.
  void look_for_notice();

  void post_receives() {
    // Receives from one rank, in the order in which that rank sends.
    for (std::size_t message = 0; message < receives_.size(); ++message) {
      if (!receive_buffers_[message].late) post_receive(message);
    }
  }
  void start_send(std::size_t message) {
    Buffer& from = send_buffers_[message];
    const bool mailbox = from.mailbox.there();
    ++sent_;
    if (mailbox && from.mailbox.put(run_, from.first, static_cast<std::size_t>(from.bytes))) return;
    const int tag = mailbox ? overflow_tag_ : tag_;
    check_mpi(MPI_Isend(from.first, from.bytes, MPI_BYTE, from.peer, tag, communicator_,
                        &sends_[message]),
              "MPI_Isend");
    if (mailbox) from.mailbox.send_elsewhere(run_);
  }

  /// Whether a message has arrived. Once it has, do not ask for it again in the same run.
  bool received(std::size_t message);
  void wait_for_receive(std::size_t message) {
    if (receive_buffers_[message].mailbox.there()) {
      wait_until([&] { return has_come(message); }, [&] { look_for_notice(); },
                 tries_before_yield_);
      return;
    }
    post_if_late(message);
    wait_for(receives_[message]);
  }

  /// Whether the values that were sent may be overwritten.
  bool all_sent();
  void wait_for_sends() {
    for (auto& request : sends_) wait_for(request);
  }

  /// Sends all ranks a notice that this one has failed. Words that do not fit are cut off.
  void notify(const std::string& words) noexcept;

  /// Gives up a run after a failure. No message is received into the values any more, and every
  /// further `check_usable` throws `Error`. MPI may still read the values.
  void abandon() noexcept;
  [[nodiscard]] bool abandoned() const { return abandoned_; }

  /// Throws `Error` after `abandon` and if MPI has ended.
  void check_usable() const {
    check_mpi_runs();
    if (abandoned_) refuse_after_failure();
  }

  /// Number of messages whose sends have begun, in all runs.
  [[nodiscard]] Index sent() const { return sent_; }

 private:
  static constexpr std::int64_t runs_between_looks = 16;

  struct Buffer {
    void* first;
    int bytes;
    int peer;
    bool late = false;  // a receive that is posted when the run needs it, if at all
    Mailbox mailbox{};  // if the message does not go through MPI
  };

  void post_receive(std::size_t message) {
    const Buffer& to = receive_buffers_[message];
    const int tag = to.mailbox.there() ? overflow_tag_ : tag_;
    check_mpi(
        MPI_Irecv(to.first, to.bytes, MPI_BYTE, to.peer, tag, communicator_, &receives_[message]),
        "MPI_Irecv");
  }
  void post_if_late(std::size_t message) {
    if (receive_buffers_[message].late && receives_[message] == MPI_REQUEST_NULL) {
      post_receive(message);
    }
  }
  void wait_for(MPI_Request& request) {
    wait(
        request, [&] { look_for_notice(); }, tries_before_yield_);
  }
  /// Whether a message that has a mailbox has arrived, there or through MPI. Once it has, do not
  /// ask for it again in the same run.
  bool has_come(std::size_t message) {
    Buffer& to = receive_buffers_[message];
    if (receives_[message] == MPI_REQUEST_NULL) {
      if (to.mailbox.take(run_, to.first, static_cast<std::size_t>(to.bytes))) return true;
      if (!to.mailbox.goes_elsewhere(run_)) return false;
      post_receive(message);
    }
    if (!test(receives_[message])) return false;
    to.mailbox.skip(run_);
    return true;
  }
  [[noreturn]] static void refuse_after_failure();

  /// Another rank's failure. A rank may fail in its next run before others have completed theirs;
  /// `run` tells these that the failure does not concern them yet.
  struct Notice {
    std::int64_t run = 0;
    std::array<char, 504> words{};  // ends with a zero
  };

  MPI_Comm communicator_ = MPI_COMM_NULL;
  int tag_ = 0;           // of messages
  int overflow_tag_ = 0;  // of those that find no room in their mailbox
  int notice_tag_ = 0;
  std::unique_ptr<Notice> notice_;  // null on one rank alone
  MPI_Request notice_request_ = MPI_REQUEST_NULL;
  std::vector<Buffer> send_buffers_;
  std::vector<Buffer> receive_buffers_;
  std::vector<MPI_Request> sends_;     // null where nothing is under way
  std::vector<MPI_Request> receives_;  // null where nothing is under way
  Mailboxes mailboxes_;
  int tries_before_yield_ = many_tries;
  bool abandoned_ = false;
  Index sent_ = 0;
  std::int64_t run_ = 0;  // the latest, from 1 on
};

}  // namespace bracket::runtime
