#pragma once

#include <mpi.h>

#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <string>

#include "bracket/model/error.hpp"
#include "bracket/model/range.hpp"

namespace bracket {

/// A duplicate of a communicator, with errors returned, not fatal. Everything made on one original
/// shares one duplicate, each with two tags of its own: MPI is asked for few communicators, and a
/// message that is never received is never taken for another's.
class Communicator {
 public:
  /// Who else communicates in the duplicate: `alone` it may have collective operations under way
  /// while others have theirs, which need not begin in the same order on all ranks.
  enum class Use : std::uint8_t { shared, alone };

  /// Collective over `original`. Throws `Error` as `check_communicator` does.
  explicit Communicator(MPI_Comm original, Use use = Use::shared);

  /// The same ranks numbered in the order of their keys, of use `alone`. Collective.
  [[nodiscard]] Communicator reordered(int key) const;

  /// Keeps MPI's communicator to the end of the process: messages in it may still be under way, and
  /// MPI would give its number to a later one, which would receive them.
  void leave();

  [[nodiscard]] MPI_Comm handle() const { return handle_; }
  [[nodiscard]] Rank rank() const;
  [[nodiscard]] Rank size() const;

  /// Those before it in the same duplicate: the same on all ranks, if they did the same.
  [[nodiscard]] int number() const { return number_; }

  /// For messages of its own, different from those of all others.
  [[nodiscard]] int message_tag() const { return 2 * number_ + 1; }
  [[nodiscard]] int notice_tag() const { return 2 * number_ + 2; }

 private:
  class Duplicate;

  explicit Communicator(std::shared_ptr<Duplicate> duplicate);

  std::shared_ptr<Duplicate> duplicate_;
  MPI_Comm handle_ = MPI_COMM_NULL;
  int number_ = 0;
};

/// Throws `Error` unless it is a communicator: not one that was freed, as far as MPI can tell, nor
/// `MPI_COMM_NULL`, and MPI is running.
void check_communicator(MPI_Comm communicator);

/// Whether `MPI_Finalize` was called: nothing of MPI's may be freed any more.
bool mpi_has_ended();

/// Throws `Error` if it was.
void check_mpi_runs();

/// Throws `Error` with MPI's own words if `code` is no success.
void check_mpi(int code, const char* call);

/// Whether `request` is complete; null then, and null is.
bool test(MPI_Request& request);

/// Gives this core away to whoever waits for it.
void yield_core();

/// Completes `request`. A rank that waits long gives its core away: not every MPI library does, and
/// with more ranks than cores the one waited for may need it.
void wait(MPI_Request& request);

/// The same, looking around now and then.
template <class Look>
void wait(MPI_Request& request, Look&& look) {
#ifdef BRACKET_SIMULATED_MPI  // in which no time passes while one asks
  static_cast<void>(look);
  check_mpi(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
  return;
#endif
  for (int tries_before_yield = 1000; !test(request);) {
    if (tries_before_yield > 0) {
      --tries_before_yield;
    } else {
      look();
      yield_core();
    }
  }
}

/// Every rank gets here before any goes on. Collective.
void barrier(const Communicator& communicator);

/// An `Error` that every rank of a communicator throws at the same point.
class CollectiveError : public Error {
 public:
  using Error::Error;
};

/// Something that all ranks must have alike, and what is said if they do not.
struct Agreement {
  std::uint64_t fingerprint = 0;
  std::string disagreement;
};

/// Throws on every rank, if `failure` is not empty on any, a `CollectiveError` with the words of
/// the lowest such rank, and its number unless all ranks failed; otherwise one that says so if the
/// communicator's number is not the same on all; otherwise, of the agreements, as many on every
/// rank, one with the words of the first whose fingerprint is not the same on all. Collective, one
/// reduction if all is well.
void fail_together(const Communicator& communicator, const std::string& failure,
                   std::span<const Agreement> agreements = {});

/// What the exception being handled says; never empty.
std::string words_of_current_exception();

/// What is said by what `action` throws; empty if it throws nothing.
template <class Action>
std::string words_of(Action&& action) {
  try {
    action();
  } catch (...) {
    return words_of_current_exception();
  }
  return {};
}

/// Runs `action` on every rank. If it throws anywhere, every rank throws `CollectiveError`: none is
/// left waiting for the others. Collective; `action` itself may not communicate.
template <class Action>
void together(const Communicator& communicator, Action&& action) {
  fail_together(communicator, words_of(action));
}

}  // namespace bracket
