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

namespace bracket::runtime {

/// Room in memory that two ranks of a node share, for one message of each run, counted from 1 on.
/// The sender may be some runs ahead of the receiver. Each of the two ranks has an object of its
/// own.
///
///     taken | slot 0: run, bytes | slot 1: run, bytes | ...
///
/// `taken` is the latest run whose message the receiver has copied. Slot k has the message of a run
/// with number k modulo the number of slots, once `run` is that number.
class Mailbox {
 public:
  static constexpr std::int64_t slots = 4;
  static constexpr std::size_t line = 64;  ///< bytes; slots share no cache line

  /// No mailbox.
  Mailbox() = default;
  /// For messages of at most so many bytes. `memory` has `room(most)` bytes, at first 0, and begins
  /// at a line.
  Mailbox(std::byte* memory, std::size_t most)
      : memory_(memory), slot_bytes_(bytes_of_slot(most)) {}

  static constexpr std::size_t room(std::size_t most) {
    return line + static_cast<std::size_t>(slots) * bytes_of_slot(most);
  }

  [[nodiscard]] bool there() const { return memory_ != nullptr; }

  /// Puts the message of a run there, unless it is there. Returns false if the receiver has not
  /// taken an earlier one that is in its slot.
  bool put(std::int64_t run, const void* from, std::size_t bytes) {
    if (put_ == run) return true;
    if (run - taken_ > slots) {
      // Asked seldom, because the other core has this line.
      taken_ = number(memory_).load(std::memory_order_acquire);
      if (run - taken_ > slots) return false;
    }
    std::byte* const slot = slot_of(run);
    std::memcpy(slot + sizeof run, from, bytes);
    number(slot).store(run, std::memory_order_release);
    put_ = run;
    return true;
  }

  /// Copies the message of a run, if it is there.
  bool take(std::int64_t run, void* to, std::size_t bytes) {
    const std::byte* const slot = slot_of(run);
    if (number(slot).load(std::memory_order_acquire) != run) return false;
    std::memcpy(to, slot + sizeof run, bytes);
    number(memory_).store(run, std::memory_order_release);
    return true;
  }

 private:
  using Number = std::atomic_ref<std::int64_t>;
  static_assert(Number::is_always_lock_free);

  static constexpr std::size_t bytes_of_slot(std::size_t most) {
    return (sizeof(std::int64_t) + most + line - 1) / line * line;
  }
  static Number number(const std::byte* at) {
    return Number(*reinterpret_cast<std::int64_t*>(const_cast<std::byte*>(at)));
  }
  [[nodiscard]] std::byte* slot_of(std::int64_t run) const {
    return memory_ + line + static_cast<std::size_t>(run % slots) * slot_bytes_;
  }

  std::byte* memory_ = nullptr;
  std::size_t slot_bytes_ = 0;
  std::int64_t put_ = 0;    // the latest run
  std::int64_t taken_ = 0;  // as the sender knows
};

/// Waits until `done` returns true. Calls `look`, which lets MPI make progress, now and then if the
/// other rank takes long, and yields the core to it.
template <class Done, class Look>
void wait_for_mailbox(Done&& done, Look&& look) {
  for (int tries_alone = 1000; !done();) {
    if (tries_alone > 0) {
      --tries_alone;
    } else {
      look();
      yield_core();
    }
  }
}

/// Mailboxes of a rank's short messages to and from other ranks of its node.
class Mailboxes {
 public:
  /// Longer messages have none.
  static constexpr int most_bytes = 512;

  struct Message {
    int peer = 0;
    int bytes = 0;
  };

  /// The mailboxes must not be used without the object, which owns their memory.
  Mailboxes() = default;

  /// Collective. The messages are those of each run; from one rank to another, those that the first
  /// sends are in the sequence of those that the second receives. Throws `CollectiveError` if the
  /// operating system does not share memory.
  Mailboxes(const Communicator& communicator, std::span<const Message> sends,
            std::span<const Message> receives);

  /// Of each message; no mailbox for a message through MPI.
  [[nodiscard]] const std::vector<Mailbox>& sends() const { return sends_; }
  [[nodiscard]] const std::vector<Mailbox>& receives() const { return receives_; }

 private:
  std::shared_ptr<std::byte> memory_;
  std::vector<Mailbox> sends_;
  std::vector<Mailbox> receives_;
};

/// How short messages between ranks of a node are sent: through MPI or, if the environment variable
/// BRACKET_MESSAGES is `shared`, through mailboxes. Throws `Error` for another value.
bool messages_by_mailboxes();

}  // namespace bracket::runtime
