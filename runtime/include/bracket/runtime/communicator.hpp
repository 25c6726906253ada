#pragma once

#include <mpi.h>

#include <cstdint>
#include <exception>
#include <string>
#include <utility>

#include "bracket/model/error.hpp"
#include "bracket/model/range.hpp"

namespace bracket {

/// A communicator of one's own: the duplicate of another, with errors returned, not fatal.
class Communicator {
 public:
  /// Collective over `original`.
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

/// Whether `MPI_Finalize` was called: nothing of MPI's may be freed any more.
bool mpi_has_ended();

/// Throws `Error` with MPI's own words if `code` is no success.
void check_mpi(int code, const char* call);

/// Whether `request` is complete; null then, and null is.
bool test(MPI_Request& request);

/// Completes `request`. A rank that waits long gives its core away: not every MPI library does, and
/// with more ranks than cores the one waited for may need it.
void wait(MPI_Request& request);

/// Every rank gets here before any goes on. Collective.
void barrier(const Communicator& communicator);

/// An `Error` that every rank of a communicator throws at the same point.
class CollectiveError : public Error {
 public:
  using Error::Error;
};

/// Throws on every rank, if `failure` is not empty on any, a `CollectiveError` with the words of
/// the lowest such rank, and its number unless all ranks failed; otherwise, if `fingerprint` is not
/// the same on all, one with the words `disagreement`. Collective, one reduction if all is well.
void fail_together(const Communicator& communicator, const std::string& failure,
                   std::uint64_t fingerprint = 0, const std::string& disagreement = {});

/// What the exception being handled says; never empty.
std::string words_of_current_exception();

/// Runs `action` on every rank. If it throws anywhere, every rank throws `CollectiveError`: none is
/// left waiting for the others. Collective; `action` itself may not communicate.
template <class Action>
void together(const Communicator& communicator, Action&& action) {
  std::string failure;
  try {
    action();
  } catch (...) {
    failure = words_of_current_exception();
  }
  fail_together(communicator, failure);
}

}  // namespace bracket
