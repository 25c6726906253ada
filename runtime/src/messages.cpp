#include "bracket/runtime/messages.hpp"

#include <algorithm>
#include <iterator>
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
                   std::size_t value_bytes)
    : communicator_(communicator.handle()),
      sends_(program.sends().size(), MPI_REQUEST_NULL),
      receives_(program.receives().size(), MPI_REQUEST_NULL) {
  auto* const base = static_cast<char*>(values);
  const auto place = [&](const Program::Message& message) {
    return Place{base + message.first * value_bytes, bytes_of(message, value_bytes), message.peer};
  };
  std::transform(program.sends().begin(), program.sends().end(), std::back_inserter(send_places_),
                 place);
  std::transform(program.receives().begin(), program.receives().end(),
                 std::back_inserter(receive_places_), place);
}

Messages::~Messages() { abandon(); }

void Messages::check_usable() const {
  if (abandoned_) throw Error("an earlier run failed: its messages may still be under way");
}

Messages& Messages::operator=(Messages&& other) noexcept {
  std::swap(communicator_, other.communicator_);
  send_places_.swap(other.send_places_);
  receive_places_.swap(other.receive_places_);
  sends_.swap(other.sends_);
  receives_.swap(other.receives_);
  std::swap(abandoned_, other.abandoned_);
  std::swap(sent_, other.sent_);
  return *this;
}

void Messages::post_receives() {
  check_usable();
  // Those from one rank in the order in which that rank sends.
  for (std::size_t i = 0; i < receives_.size(); ++i) {
    const auto& [first, bytes, peer] = receive_places_[i];
    check_mpi(MPI_Irecv(first, bytes, MPI_BYTE, peer, tag, communicator_, &receives_[i]),
              "MPI_Irecv");
  }
}

void Messages::start_send(std::size_t message) {
  const auto& [first, bytes, peer] = send_places_[message];
  check_mpi(MPI_Isend(first, bytes, MPI_BYTE, peer, tag, communicator_, &sends_[message]),
            "MPI_Isend");
  ++sent_;
}

bool Messages::received(std::size_t message) { return test(receives_[message]); }

void Messages::wait_for_receive(std::size_t message) { wait(receives_[message]); }

bool Messages::all_sent() {
  return std::all_of(sends_.begin(), sends_.end(),
                     [](MPI_Request& request) { return test(request); });
}

void Messages::wait_for_sends() {
  for (auto& request : sends_) wait(request);
}

void Messages::abandon() noexcept {
  abandoned_ = true;
  if (mpi_has_ended()) return;
  for (auto& request : receives_) {
    if (request == MPI_REQUEST_NULL) continue;
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  for (auto& request : sends_) {
    if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
  }
}

}  // namespace bracket
