#include "bracket/runtime/messages.hpp"

#include <limits>

#include "bracket/model/error.hpp"

namespace bracket {

namespace {

// Messages of one pair of ranks are received in the order in which they are sent, which MPI keeps
// for one tag.
constexpr int tag = 1;

int bytes_of(const Program::Message& message, std::size_t value_bytes) {
  constexpr Index most = std::numeric_limits<int>::max();
  if (message.count > most / static_cast<Index>(value_bytes)) {
    throw Error(text("a message of ", message.count, " values of ", value_bytes,
                     " bytes is longer than MPI's ", most, " bytes"));
  }
  return static_cast<int>(message.count * static_cast<Index>(value_bytes));
}

}  // namespace

Messages::Messages(const Communicator& communicator, const Program& program, void* values,
                   std::size_t value_bytes) {
  try {
    const MPI_Comm comm = communicator.handle();
    auto* const base = static_cast<char*>(values);
    for (const auto& message : program.sends()) {
      sends_.push_back(MPI_REQUEST_NULL);
      check_mpi(MPI_Send_init(base + message.first * value_bytes, bytes_of(message, value_bytes),
                              MPI_BYTE, message.peer, tag, comm, &sends_.back()),
                "MPI_Send_init");
    }
    for (const auto& message : program.receives()) {
      receives_.push_back(MPI_REQUEST_NULL);
      active_.push_back(false);
      check_mpi(MPI_Recv_init(base + message.first * value_bytes, bytes_of(message, value_bytes),
                              MPI_BYTE, message.peer, tag, comm, &receives_.back()),
                "MPI_Recv_init");
    }
  } catch (...) {
    free();
    throw;
  }
}

Messages::~Messages() { free(); }

Messages& Messages::operator=(Messages&& other) noexcept {
  sends_.swap(other.sends_);
  receives_.swap(other.receives_);
  active_.swap(other.active_);
  std::swap(abandoned_, other.abandoned_);
  std::swap(sent_, other.sent_);
  return *this;
}

void Messages::free() noexcept {
  if (mpi_has_ended()) return;
  for (auto* requests : {&sends_, &receives_}) {
    for (auto& request : *requests) {
      if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
    }
  }
}

void Messages::start_receives() {
  // One by one: MPI_Startall may start them in any order, and those from one rank must be posted
  // in the order in which that rank sends.
  check_usable();
  for (std::size_t i = 0; i < receives_.size(); ++i) {
    check_mpi(MPI_Start(&receives_[i]), "MPI_Start");
    active_[i] = true;
  }
}

void Messages::wait_for_receive(std::size_t message) {
  wait(receives_[message]);
  active_[message] = false;
}

void Messages::start_send(std::size_t message) {
  check_mpi(MPI_Start(&sends_[message]), "MPI_Start");
  ++sent_;
}

void Messages::wait_for_sends() {
  for (auto& request : sends_) wait(request);
}

void Messages::abandon() noexcept {
  abandoned_ = true;
  for (std::size_t i = 0; i < receives_.size(); ++i) {
    if (!active_[i]) continue;
    MPI_Cancel(&receives_[i]);
    MPI_Wait(&receives_[i], MPI_STATUS_IGNORE);
    active_[i] = false;
  }
}

void Messages::check_usable() const {
  if (abandoned_) throw Error("an earlier run failed: its messages may still be under way");
}

}  // namespace bracket
