// SPDX-License-Identifier: MIT

#pragma once

#include "bracket/runtime/mpi.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "bracket/runtime/communicator.hpp"

namespace bracket::runtime {

/// The number of cores that the ranks of a communicator on one host may use: each may be bound to
/// cores of its own. Collective.
int count_cores(MPI_Comm host);

/// The ranks of a communicator that can share memory with this one, and memory that they share. All
/// members call the collective functions in the same sequence.
class Node {
 public:
  static constexpr std::size_t line = 64;  ///< bytes of a line of the caches

  /// Collective over the communicator.
  explicit Node(MPI_Comm all);

  /// Frees MPI's communicator, if there is one. Call it before `MPI_Finalize`.
  void free() {
    if (communicator_ != MPI_COMM_NULL) MPI_Comm_free(&communicator_);
  }

  /// This rank's place among the members.
  [[nodiscard]] std::size_t place() const { return place_; }

  /// The members' ranks in the communicator, ascending.
  [[nodiscard]] const std::vector<Rank>& ranks() const { return ranks_; }

  /// Whether the node has several ranks, and they share memory. The same on all members.
  [[nodiscard]] bool shares() const { return segment_.memory != nullptr; }

  /// How often `wait_until` tries before it yields the core: 0 if there are more members than cores
  /// that they may use. Ranks that are no members are not counted.
  [[nodiscard]] int tries_before_yield() const { return tries_before_yield_; }

  /// Why this rank shares no memory. Empty if it does, and if the reason is another member's.
  [[nodiscard]] const std::string& failure() const { return failure_; }

  /// What each member announces, by place. Collective over the node, which must share memory.
  template <class Announced>
  [[nodiscard]] std::vector<Announced> exchange(const Announced& own) {
    static_assert(std::is_trivially_copyable_v<Announced>);
    static_assert(sizeof(Announced) <= line - sizeof(std::int64_t));
    ++exchanges_;
    std::byte* const slot = slot_of(place_);
    std::memcpy(slot + sizeof exchanges_, &own, sizeof own);
    number(slot).store(exchanges_, std::memory_order_release);
    std::vector<Announced> all(ranks_.size());
    for (std::size_t place = 0; place < all.size(); ++place) {
      std::byte* const other = slot_of(place);
      wait_until([&] { return number(other).load(std::memory_order_acquire) == exchanges_; },
                 [&] { make_progress(); }, tries_before_yield_);
      std::memcpy(&all[place], other + sizeof exchanges_, sizeof own);
    }
    return all;
  }

  /// Waits for all members. What they have written into the shared memory before it is there.
  void barrier() { static_cast<void>(exchange(0)); }

  /// So many bytes of memory, a multiple of `line`, that no other object gets. At first they are 0,
  /// and they begin at a line. Collective over the node, which must share memory; the number is the
  /// same on all members. Throws `Error` on members whose operating system does not share memory.
  /// Then the others get none.
  std::shared_ptr<std::byte> memory(std::size_t bytes);

 private:
  using Number = std::atomic_ref<std::int64_t>;
  static_assert(Number::is_always_lock_free);

  /// Memory that is given away in parts and used only once, so that nobody writes into a part of
  /// another object.
  struct Segment {
    std::shared_ptr<std::byte> memory{};
    std::size_t bytes = 0;
    std::size_t used = 0;
  };

  /// Finds the members. Collective over the communicator.
  void find_members(MPI_Comm all);
  /// A segment of so many bytes, or none. Throws as `memory` does.
  Segment make_segment(std::size_t bytes) const;
  [[nodiscard]] std::vector<std::int64_t> exchange_by_mpi(std::int64_t own) const;
  void make_progress() const;

  static Number number(std::byte* at) { return Number(*reinterpret_cast<std::int64_t*>(at)); }
  /// A member's slot for this exchange. Two are enough: a rank begins the next exchange but one
  /// when all members have begun the next one, and so have read the slots of this one.
  [[nodiscard]] std::byte* slot_of(std::size_t place) const {
    return slots_.get() + (2 * place + static_cast<std::size_t>(exchanges_ % 2)) * line;
  }

  MPI_Comm communicator_ = MPI_COMM_NULL;
  std::size_t place_ = 0;
  std::vector<Rank> ranks_;
  int tries_before_yield_ = many_tries;
  std::string failure_;
  Segment segment_;
  std::shared_ptr<std::byte> slots_;
  std::int64_t exchanges_ = 0;
};

}  // namespace bracket::runtime
