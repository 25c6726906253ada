#pragma once

#include <mpi.h>

#include <cstdint>
#include <exception>
#include <span>
#include <string>
#include <utility>

#include "bracket/model/error.hpp"
#include "bracket/model/range.hpp"

namespace bracket {

/// A communicator of one's own: the duplicate of another, with errors returned, not fatal.
class Communicator {
 public:
  /// Collective over `original`. Throws `Error` as `check_communicator` does.
  explicit Communicator(MPI_Comm original);
  ~Communicator();
  Communicator(Communicator&& other) noexcept
      : handle_(std::exchange(other.handle_, MPI_COMM_NULL)) {}
  Communicator& operator=(Communicator&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }

  /// The same ranks numbered in the order of their keys. Collective.
  [[nodiscard]] Communicator reordered(int key) const;

  /// Keeps MPI's communicator to the end of the process: messages in it may still be under way, and
  /// MPI would give its number to a later one, which would receive them.
  void leave() { handle_ = MPI_COMM_NULL; }

  [[nodiscard]] MPI_Comm handle() const { return handle_; }
  [[nodiscard]] Rank rank() const;
  [[nodiscard]] Rank size() const;

 private:
  MPI_Comm handle_ = MPI_COMM_NULL;
};

/// Throws `Error` unless it is a communicator: not one that was freed, as far as MPI can tell, nor
/// `MPI_COMM_NULL`, and MPI is running.
void check_communicator(MPI_Comm communicator);

/// Whether `MPI_Finalize` was called: nothing of MPI's may be freed any more.
bool mpi_has_ended();

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
/// the lowest such rank, and its number unless all ranks failed; otherwise, of the agreements, as
/// many on every rank, one with the words of the first whose fingerprint is not the same on all.
/// Collective, one reduction if all is well.
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
