// SPDX-License-Identifier: MIT

#include "bracket/runtime/communicator.hpp"
#include "bracket/runtime/node.hpp"
#include "bracket/support/fnv1a.hpp"
#include "bracket/support/text.hpp"

#include <sched.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <new>
#include <utility>
#include <vector>

namespace bracket {

void throw_mpi_error(int code, const char* call) {
  char words[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, words, &length);
  throw Error(text(call, ": ", std::string(words, static_cast<std::size_t>(length))));
}

std::int64_t yield_core() {
  sched_yield();
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

void wait(MPI_Request& request) {
  wait(request, [] {});
}

namespace {

/// Makes MPI return errors that belong to no valid communicator while this object exists. MPI
/// raises them on MPI_COMM_WORLD or, from version 4 on, on MPI_COMM_SELF.
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
  check_mpi_runs();
  if (communicator == MPI_COMM_NULL) {
    throw Error("the communicator is MPI_COMM_NULL: it was freed, or this rank is not in it");
  }
  const ErrorsReturned returned;
  int connects_two_groups = 0;
  if (MPI_Comm_test_inter(communicator, &connects_two_groups) != MPI_SUCCESS) {
    throw Error("the communicator is not valid: it may have been freed");
  }
  if (connects_two_groups != 0) throw Error("the communicator is an intercommunicator");
}

namespace {

/// What is known of the end of MPI. To ask MPI takes longer than a step of a run.
enum class EndOfMpi : std::uint8_t { unknown, watched, reached };
std::atomic<EndOfMpi> end_of_mpi = EndOfMpi::unknown;

}  // namespace

/// A duplicate of a communicator. Freed with its last owner, unless messages may be under way in
/// it.
class Communicator::Duplicate {
 public:
  /// The duplicate that all users of `original` currently share. It is an attribute of `original`
  /// and lives as long as the original or the last user. Collective.
  static std::shared_ptr<Duplicate> of(MPI_Comm original);

  /// Takes ownership of `handle`.
  explicit Duplicate(MPI_Comm handle) : handle_(handle) {
    const int code = MPI_Comm_set_errhandler(handle_, MPI_ERRORS_RETURN);
    if (code != MPI_SUCCESS) MPI_Comm_free(&handle_);
    check_mpi(code, "MPI_Comm_set_errhandler");
  }
  ~Duplicate() {
    const bool ended = end_of_mpi == EndOfMpi::reached || mpi_has_ended();
    if (ended) return;
    if (node_) node_->free();
    if (!left_ && !has_message()) MPI_Comm_free(&handle_);
  }
  Duplicate(const Duplicate&) = delete;
  Duplicate& operator=(const Duplicate&) = delete;

  static MPI_Comm duplicated(MPI_Comm original) {
    MPI_Comm handle = MPI_COMM_NULL;
#ifdef BRACKET_SIMULATED_MPI  // has no MPI_Comm_idup
    check_mpi(MPI_Comm_dup(original, &handle), "MPI_Comm_dup");
#else
    MPI_Request request = MPI_REQUEST_NULL;
    check_mpi(MPI_Comm_idup(original, &handle, &request), "MPI_Comm_idup");
    wait(request);
#endif
    return handle;
  }

  [[nodiscard]] MPI_Comm handle() const { return handle_; }
  [[nodiscard]] runtime::Node& node() {
    if (!node_) node_ = std::make_unique<runtime::Node>(handle_);
    return *node_;
  }
  [[nodiscard]] int next_number() { return users_++; }
  void leave() { left_ = true; }

 private:
  /// Limit from MPI's guarantee of tags up to 32767.
  static constexpr int most_users = 10922;

  /// Whether a message has no receiver because ranks did not run equally often.
  [[nodiscard]] bool has_message() const {
    int there = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, handle_, &there, MPI_STATUS_IGNORE);
    return there != 0;
  }

  static int make_key(MPI_Comm_delete_attr_function* on_delete) {
    int key = MPI_KEYVAL_INVALID;
    check_mpi(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_delete, &key, nullptr),
              "MPI_Comm_create_keyval");
    return key;
  }

  /// Key of the attribute that owns a share in the duplicate.
  static int key() {
    static const int made = [] {
      // MPI_Finalize begins by deleting the attributes of MPI_COMM_SELF.
      const int end = make_key([](MPI_Comm, int, void*, void*) -> int {
        end_of_mpi = EndOfMpi::reached;
        return MPI_SUCCESS;
      });
      check_mpi(MPI_Comm_set_attr(MPI_COMM_SELF, end, nullptr), "MPI_Comm_set_attr");
      end_of_mpi = EndOfMpi::watched;
      return make_key([](MPI_Comm, int, void* share, void*) -> int {
        delete static_cast<std::shared_ptr<Duplicate>*>(share);
        return MPI_SUCCESS;
      });
    }();
    return made;
  }

  MPI_Comm handle_;
  std::unique_ptr<runtime::Node> node_;  // null until someone asks
  int users_ = 0;
  std::atomic<bool> left_ = false;
};

std::shared_ptr<Communicator::Duplicate> Communicator::Duplicate::of(MPI_Comm original) {
#ifdef BRACKET_SIMULATED_MPI  // its ranks share a communicator's attributes
  return std::make_shared<Duplicate>(duplicated(original));
#endif
  void* found = nullptr;
  int is_there = 0;
  check_mpi(MPI_Comm_get_attr(original, key(), &found, &is_there), "MPI_Comm_get_attr");
  if (is_there != 0) {
    const auto& share = *static_cast<std::shared_ptr<Duplicate>*>(found);
    if (share->users_ < most_users) return share;
  }
  auto share = std::make_unique<std::shared_ptr<Duplicate>>(
      std::make_shared<Duplicate>(duplicated(original)));
  check_mpi(MPI_Comm_set_attr(original, key(), share.get()), "MPI_Comm_set_attr");
  return *share.release();
}

Communicator::Communicator(std::shared_ptr<Duplicate> duplicate)
    : duplicate_(std::move(duplicate)),
      handle_(duplicate_->handle()),
      number_(duplicate_->next_number()) {}

Communicator::Communicator(MPI_Comm original, Use use)
    : Communicator((check_communicator(original), use == Use::shared)
                       ? Duplicate::of(original)
                       : std::make_shared<Duplicate>(Duplicate::duplicated(original))) {}

Communicator Communicator::reordered(int key) const {
  MPI_Comm split = MPI_COMM_NULL;
  check_mpi(MPI_Comm_split(handle_, 0, key, &split), "MPI_Comm_split");
  return Communicator(std::make_shared<Duplicate>(split));
}

runtime::Node& Communicator::node() const { return duplicate_->node(); }

void Communicator::leave() { duplicate_->leave(); }

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

void check_mpi_runs() {
  const EndOfMpi known = end_of_mpi.load(std::memory_order_relaxed);
  if (known == EndOfMpi::watched) return;
  if (known == EndOfMpi::reached || mpi_has_ended()) throw Error("MPI was finalised");
}

std::string words_of_current_exception() {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return "there is not enough memory";
  } catch (const std::exception& thrown) {
    const std::string words = thrown.what();
    return words.empty() ? "an exception without a message" : words;
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
  // Minima over all ranks: lowest rank that failed, lowest that did not, and the number, the
  // fingerprint of the words and each other fingerprint, all as they are and complemented.
  const auto number = static_cast<std::uint64_t>(communicator.number());
  support::Fnv1a words_of_failure;
  words_of_failure.string(failure);
  std::vector<std::uint64_t> least{
      failed ? rank : none,     failed ? none : rank,     number, ~number,
      words_of_failure.value(), ~words_of_failure.value()};
  for (const Agreement& agreement : agreements) {
    least.push_back(agreement.fingerprint);
    least.push_back(~agreement.fingerprint);
  }
#ifdef BRACKET_SIMULATED_MPI  // its MPI_Iallreduce sends p² messages
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, least.data(), static_cast<int>(least.size()), MPI_UINT64_T,
                          MPI_MIN, communicator.handle()),
            "MPI_Allreduce");
#else
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Iallreduce(MPI_IN_PLACE, least.data(), static_cast<int>(least.size()), MPI_UINT64_T,
                           MPI_MIN, communicator.handle(), &request),
            "MPI_Iallreduce");
  wait(request);
#endif
  if (least[0] == none) {
    if (least[2] != ~least[3]) {
      throw CollectiveError(
          text("some ranks have made more objects on this communicator than others: from ",
               least[2], " to ", ~least[3]));
    }
    for (std::size_t i = 0; i < agreements.size(); ++i) {
      if (least[2 * i + 6] != ~least[2 * i + 7]) throw CollectiveError(agreements[i].disagreement);
    }
    return;
  }
  const auto speaker = static_cast<int>(least[0]);
  const bool all_alike = least[1] == none && least[4] == ~least[5];
  auto length = static_cast<int>(failure.size());
  check_mpi(MPI_Bcast(&length, 1, MPI_INT, speaker, communicator.handle()), "MPI_Bcast");
  std::vector<char> words(failure.begin(), failure.end());
  words.resize(static_cast<std::size_t>(length));
  check_mpi(MPI_Bcast(words.data(), length, MPI_CHAR, speaker, communicator.handle()), "MPI_Bcast");
  const std::string what(words.begin(), words.end());
  throw CollectiveError(all_alike ? what : text("rank ", speaker, ": ", what));
}

}  // namespace bracket
