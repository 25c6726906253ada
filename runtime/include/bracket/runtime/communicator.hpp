// SPDX-License-Identifier: MIT

#pragma once

#include "bracket/runtime/mpi.hpp"

#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <string>

#include "bracket/model/range.hpp"
#include "bracket/runtime/collective_error.hpp"
#include "bracket/support/error.hpp"

namespace bracket {

namespace runtime {
class Node;
}

/// A duplicate of a communicator, with errors returned and not fatal. All objects made on one
/// original share one duplicate, and each has three tags. So MPI makes few communicators, and no
/// object receives the messages of another.
class Communicator {
 public:
  /// Whether other objects share the duplicate. An object that is `alone` may have collective
  /// operations under way while others have theirs, in any order on any rank.
  enum class Use : std::uint8_t { shared, alone };

  /// Collective over `original`. Throws `Error` as `check_communicator` does.
  explicit Communicator(MPI_Comm original, Use use = Use::shared);

  /// A communicator of the same ranks, numbered in the order of their keys, for use `alone`.
  /// Collective.
  [[nodiscard]] Communicator reordered(int key) const;

  /// Keeps MPI's communicator until the process ends. Messages may still be under way in it, and a
  /// later communicator with the same number would receive them.
  void leave();

  [[nodiscard]] MPI_Comm handle() const { return handle_; }

  /// The ranks that can share memory with this one. The first call makes it, and all objects on one
  /// duplicate share it. Collective.
  [[nodiscard]] runtime::Node& node() const;
  [[nodiscard]] Rank rank() const;
  [[nodiscard]] Rank size() const;

  /// Number of objects made before this one on the duplicate. All ranks have the same number if
  /// they make objects in the same order.
  [[nodiscard]] int number() const { return number_; }

  /// Tags that no other object uses. `overflow_tag` is for messages that find no room in a mailbox.
  [[nodiscard]] int message_tag() const { return 3 * number_ + 1; }
  [[nodiscard]] int overflow_tag() const { return 3 * number_ + 2; }
  [[nodiscard]] int notice_tag() const { return 3 * number_ + 3; }

 private:
  class Duplicate;

  explicit Communicator(std::shared_ptr<Duplicate> duplicate);

  std::shared_ptr<Duplicate> duplicate_;
  MPI_Comm handle_ = MPI_COMM_NULL;
  int number_ = 0;
};

/// Throws `Error` if MPI is not running, for `MPI_COMM_NULL`, and for a freed communicator as far
/// as MPI detects it.
void check_communicator(MPI_Comm communicator);

/// Whether `MPI_Finalize` was called. After it, MPI's objects cannot be freed.
bool mpi_has_ended();

/// Throws `Error` if `MPI_Finalize` was called.
void check_mpi_runs();

/// Throws `Error` with the name of the call and MPI's message for its error code.
[[noreturn]] void throw_mpi_error(int code, const char* call);

/// Throws this `Error` unless `code` is `MPI_SUCCESS`.
inline void check_mpi(int code, const char* call) {
  if (code != MPI_SUCCESS) throw_mpi_error(code, call);
}

/// Whether `request` is complete, after which it is null. A null request is complete.
inline bool test(MPI_Request& request) {
  if (request == MPI_REQUEST_NULL) return true;
  int done = 0;
  check_mpi(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
  return done != 0;
}

/// Yields this core to other processes. Returns the time afterwards, in nanoseconds.
std::int64_t yield_core();

/// How often a rank that has a core of its own tries before it yields the core, if a try reads
/// memory.
inline constexpr int many_tries = 1000;

/// Waits until `done` returns true. After so many tries, yields the core before each further one:
/// with more ranks than cores the other rank may need it, and not every MPI library does so. Then
/// it also calls `look` every 10 µs. A look may take longer than the rest of the wait, so there are
/// fewer looks than yields. But MPI may send this rank's other messages only during a look.
template <class Done, class Look>
void wait_until(Done&& done, Look&& look, int tries_before_yield = many_tries) {
  constexpr std::int64_t between_looks = 10'000;  // nanoseconds
  for (std::int64_t next_look = 0; !done();) {
    if (tries_before_yield > 0) {
      --tries_before_yield;
      continue;
    }
    const std::int64_t now = yield_core();
    if (next_look != 0 && now >= next_look) look();
    if (next_look == 0 || now >= next_look) next_look = now + between_looks;
  }
}

/// Completes `request`, as `wait_until` waits.
void wait(MPI_Request& request);

/// Completes `request`, and calls `look` now and then, as `wait_until` does. A tenth of
/// the tries are enough, since a test by MPI takes as long as ten tries that read memory.
template <class Look>
void wait(MPI_Request& request, Look&& look, int tries_before_yield = many_tries) {
#ifdef BRACKET_SIMULATED_MPI  // asking does not let simulated time pass
  static_cast<void>(look);
  static_cast<void>(tries_before_yield);
  check_mpi(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
  return;
#endif
  wait_until([&] { return test(request); }, look, tries_before_yield / 10);
}

/// A barrier. Collective.
void barrier(const Communicator& communicator);

/// Fingerprint of a value that must be the same on all ranks, and the message if it differs.
struct Agreement {
  std::uint64_t fingerprint = 0;
  std::string disagreement;
};

/// Throws a `CollectiveError` on every rank
///
/// - if `failure` is not empty on any rank, with the message of the lowest such rank, and with its
///   number unless all ranks failed with the same words,
/// - otherwise if the communicator's number differs between ranks,
/// - otherwise if the fingerprint of an agreement differs, with the message of the first one.
///
/// All ranks must pass the same number of agreements. Collective; one reduction unless it throws.
void fail_together(const Communicator& communicator, const std::string& failure,
                   std::span<const Agreement> agreements = {});

/// The message of the exception that is being handled; never empty.
std::string words_of_current_exception();

/// The message of the exception that `action` throws; empty if it does not throw.
template <class Action>
std::string words_of(Action&& action) {
  try {
    action();
  } catch (...) {
    return words_of_current_exception();
  }
  return {};
}

/// Runs `action` on every rank. If it throws on any rank, every rank throws `CollectiveError`, so
/// that no rank waits for the others. Collective; `action` must not communicate.
template <class Action>
void together(const Communicator& communicator, Action&& action) {
  fail_together(communicator, words_of(action));
}

}  // namespace bracket
