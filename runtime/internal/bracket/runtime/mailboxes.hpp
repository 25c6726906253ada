// SPDX-License-Identifier: MIT

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bracket/runtime/communicator.hpp"
#include "bracket/runtime/node.hpp"

namespace bracket::runtime {

/// Shared memory for one message of each run, from one rank to another on the same node. Runs are
/// numbered from 1 on. The sender may be up to `slots` runs ahead. If it is further ahead, it sends
/// the message another way. Each of the two ranks has an object of its own.
///
///     taken | other way | slot 0: run, bytes | slot 1: run, bytes | ...
///
/// `taken` is the latest run whose message the receiver has. `other way` is the latest run whose
/// message was sent another way. The number of a slot is that of the run modulo `slots`. The sender
/// writes `run` into a slot when the message is complete.
class Mailbox {
 public:
  static constexpr std::int64_t slots = 4;
  static constexpr std::size_t line = Node::line;  ///< bytes; slots share no line

  /// No mailbox.
  Mailbox() = default;
  /// For messages of at most so many bytes. `memory` has `room(most)` bytes, at first 0, and begins
  /// at a line.
  Mailbox(std::byte* memory, std::size_t most)
      : memory_(memory), slot_bytes_(bytes_of_slot(most)) {}

  static constexpr std::size_t room(std::size_t most) {
    return 2 * line + static_cast<std::size_t>(slots) * bytes_of_slot(most);
  }

  [[nodiscard]] bool there() const { return memory_ != nullptr; }

  /// The sender puts the message of a run into its slot. Returns false if the receiver has not
  /// taken an earlier one from there; then send it another way, and call `send_elsewhere`.
  bool put(std::int64_t run, const void* from, std::size_t bytes) {
    if (run - taken_ > slots) {
      // Read seldom, because the receiver's core writes this cache line.
      taken_ = taken().load(std::memory_order_acquire);
      if (run - taken_ > slots) return false;
    }
    std::byte* const slot = slot_of(run);
    std::memcpy(slot + sizeof run, from, bytes);
    number(slot).store(run, std::memory_order_release);
    return true;
  }
  void send_elsewhere(std::int64_t run) { elsewhere().store(run, std::memory_order_release); }

  /// The receiver copies the message of a run, if it is in its slot.
  bool take(std::int64_t run, void* to, std::size_t bytes) {
    const std::byte* const slot = slot_of(run);
    if (number(slot).load(std::memory_order_acquire) != run) return false;
    std::memcpy(to, slot + sizeof run, bytes);
    taken().store(run, std::memory_order_release);
    return true;
  }
  /// Whether the sender has sent the message of a run another way. Ask only while the message is
  /// not taken.
  [[nodiscard]] bool goes_elsewhere(std::int64_t run) const {
    // The sender has decided about a run before it decides about the next one.
    return elsewhere().load(std::memory_order_acquire) >= run &&
           number(slot_of(run)).load(std::memory_order_acquire) != run;
  }
  /// The receiver has the message of a run that went another way.
  void skip(std::int64_t run) { taken().store(run, std::memory_order_release); }

 private:
  using Number = std::atomic_ref<std::int64_t>;
  static_assert(Number::is_always_lock_free);

  static constexpr std::size_t bytes_of_slot(std::size_t most) {
    return (sizeof(std::int64_t) + most + line - 1) / line * line;
  }
  static Number number(const std::byte* at) {
    return Number(*reinterpret_cast<std::int64_t*>(const_cast<std::byte*>(at)));
  }
  [[nodiscard]] Number taken() const { return number(memory_); }
  [[nodiscard]] Number elsewhere() const { return number(memory_ + line); }
  [[nodiscard]] std::byte* slot_of(std::int64_t run) const {
    return memory_ + 2 * line + static_cast<std::size_t>(run % slots) * slot_bytes_;
  }

  std::byte* memory_ = nullptr;
  std::size_t slot_bytes_ = 0;
  std::int64_t taken_ = 0;  // as the sender knows
};

/// Whether short messages between ranks of a node go through mailboxes.
enum class Sharing : std::uint8_t {
  never,        ///< no, all go through MPI
  if_possible,  ///< yes, on each node whose ranks share memory
  always        ///< yes; if that is not possible, it is an error
};

/// What the environment variable BRACKET_MESSAGES says: `mpi` for never, `shared` for always.
/// Without it, if possible. Throws `Error` for another value.
Sharing sharing();

/// What it says on all ranks. Collective. Throws `CollectiveError` if that is not the same, or
/// wrong.
Sharing agreed_sharing(const Communicator& communicator);

/// For `fail_together`: all ranks must send short messages in the same way.
Agreement on_sharing(Sharing sharing);

/// Mailboxes of a rank's short messages to and from other ranks of its node. Owns their memory.
class Mailboxes {
 public:
  /// Longer messages have none.
  static constexpr int most_bytes = 512;

  struct Message {
    int peer = 0;
    int bytes = 0;
  };

  /// No mailboxes.
  Mailboxes() = default;

  /// For the messages of every run. A rank lists its messages to another rank in the sequence in
  /// which that rank lists their receives. `failure`, if not empty, is an earlier error of this
  /// rank. On a node whose ranks do not share memory, messages have no mailboxes. Collective.
  /// Throws `CollectiveError` if there is an earlier error, if messages do not match and, if memory
  /// must always be shared, for a node whose ranks do not share it.
  Mailboxes(Sharing sharing, const Communicator& communicator, std::span<const Message> sends,
            std::span<const Message> receives, std::string failure = {});

  /// The mailbox of each message. That of a message through MPI is not `there`.
  [[nodiscard]] const std::vector<Mailbox>& sends() const { return sends_; }
  [[nodiscard]] const std::vector<Mailbox>& receives() const { return receives_; }

 private:
  std::shared_ptr<std::byte> memory_;
  std::vector<Mailbox> sends_;
  std::vector<Mailbox> receives_;
};

}  // namespace bracket::runtime
