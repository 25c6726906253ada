#include "bracket/runtime/communicator.hpp"

#include <sched.h>

#include <array>
#include <new>
#include <vector>

namespace bracket {

void check_mpi(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  char words[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, words, &length);
  throw Error(text(call, ": ", std::string(words, static_cast<std::size_t>(length))));
}

bool test(MPI_Request& request) {
  if (request == MPI_REQUEST_NULL) return true;
  int done = 0;
  check_mpi(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
  return done != 0;
}

void yield_core() { sched_yield(); }

void wait(MPI_Request& request) {
  wait(request, [] {});
}

namespace {

/// MPI's errors that belong to no valid communicator are those of MPI_COMM_WORLD, or, from version
/// 4 on, of MPI_COMM_SELF. They are returned while this exists.
class ErrorsReturned {
 public:
  ErrorsReturned() {
    for (std::size_t i = 0; i < communicators_.size(); ++i) {
      MPI_Comm_get_errhandler(communicators_[i], &before_[i]);
      MPI_Comm_set_errhandler(communicators_[i], MPI_ERRORS_RETURN);
    }
  }
  ~ErrorsReturned() {
    for (std::size_t i = 0; i < communicators_.size(); ++i) {
      MPI_Comm_set_errhandler(communicators_[i], before_[i]);
      MPI_Errhandler_free(&before_[i]);
    }
  }
  ErrorsReturned(const ErrorsReturned&) = delete;
  ErrorsReturned& operator=(const ErrorsReturned&) = delete;

 private:
  std::array<MPI_Comm, 2> communicators_{MPI_COMM_WORLD, MPI_COMM_SELF};
  std::array<MPI_Errhandler, 2> before_{};
};

}  // namespace

void check_communicator(MPI_Comm communicator) {
  int begun = 0;
  MPI_Initialized(&begun);
  if (begun == 0) throw Error("MPI was not initialised");
  if (mpi_has_ended()) throw Error("MPI was finalised");
  if (communicator == MPI_COMM_NULL) {
    throw Error("the communicator is MPI_COMM_NULL: it was freed, or this rank is not in it");
  }
  const ErrorsReturned returned;
  int connects_two_groups = 0;
  if (MPI_Comm_test_inter(communicator, &connects_two_groups) != MPI_SUCCESS) {
    throw Error("the communicator is none: it was freed, perhaps");
  }
  if (connects_two_groups != 0) throw Error("the communicator is an intercommunicator");
}

Communicator::Communicator(MPI_Comm original) {
  check_communicator(original);
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Comm_idup(original, &handle_, &request), "MPI_Comm_idup");
  wait(request);
  const int code = MPI_Comm_set_errhandler(handle_, MPI_ERRORS_RETURN);
  if (code != MPI_SUCCESS) MPI_Comm_free(&handle_);
  check_mpi(code, "MPI_Comm_set_errhandler");
}

Communicator::~Communicator() {
  if (handle_ != MPI_COMM_NULL && !mpi_has_ended()) MPI_Comm_free(&handle_);
}

Communicator Communicator::reordered(int key) const {
  MPI_Comm split = MPI_COMM_NULL;
  check_mpi(MPI_Comm_split(handle_, 0, key, &split), "MPI_Comm_split");
  Communicator result(split);
  MPI_Comm_free(&split);
  return result;
}

Rank Communicator::rank() const {
  int rank = 0;
  check_mpi(MPI_Comm_rank(handle_, &rank), "MPI_Comm_rank");
  return rank;
}

Rank Communicator::size() const {
  int size = 0;
  check_mpi(MPI_Comm_size(handle_, &size), "MPI_Comm_size");
  return size;
}

bool mpi_has_ended() {
  int ended = 0;
  MPI_Finalized(&ended);
  return ended != 0;
}

std::string words_of_current_exception() {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return "there is not enough memory";
  } catch (const std::exception& thrown) {
    const std::string words = thrown.what();
    return words.empty() ? "an exception without words" : words;
  } catch (...) {
    return "an exception of an unknown type";
  }
}

void barrier(const Communicator& communicator) {
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Ibarrier(communicator.handle(), &request), "MPI_Ibarrier");
  wait(request);
}

void fail_together(const Communicator& communicator, const std::string& failure,
                   std::span<const Agreement> agreements) {
  const auto rank = static_cast<std::uint64_t>(communicator.rank());
  const auto none = static_cast<std::uint64_t>(communicator.size());
  const bool failed = !failure.empty();
  // Minima over all ranks: lowest that failed, lowest that did not, and each fingerprint from
  // either side.
  std::vector<std::uint64_t> least{failed ? rank : none, failed ? none : rank};
  for (const Agreement& agreement : agreements) {
    least.push_back(agreement.fingerprint);
    least.push_back(~agreement.fingerprint);
  }
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Iallreduce(MPI_IN_PLACE, least.data(), static_cast<int>(least.size()), MPI_UINT64_T,
                           MPI_MIN, communicator.handle(), &request),
            "MPI_Iallreduce");
  wait(request);
  if (least[0] == none) {
    for (std::size_t i = 0; i < agreements.size(); ++i) {
      if (least[2 * i + 2] != ~least[2 * i + 3]) throw CollectiveError(agreements[i].disagreement);
    }
    return;
  }
  const auto speaker = static_cast<int>(least[0]);
  const bool all_failed = least[1] == none;
  auto length = static_cast<int>(failure.size());
  check_mpi(MPI_Bcast(&length, 1, MPI_INT, speaker, communicator.handle()), "MPI_Bcast");
  std::vector<char> words(failure.begin(), failure.end());
  words.resize(static_cast<std::size_t>(length));
  check_mpi(MPI_Bcast(words.data(), length, MPI_CHAR, speaker, communicator.handle()), "MPI_Bcast");
  const std::string what(words.begin(), words.end());
  throw CollectiveError(all_failed ? what : text("rank ", speaker, ": ", what));
}

}  // namespace bracket
