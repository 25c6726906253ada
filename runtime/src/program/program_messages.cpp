// SPDX-License-Identifier: MIT

#include "bracket/runtime/program_messages.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <new>
#include <unordered_map>

#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

namespace bracket::runtime {

namespace {

int bytes_of(const Program::Message& message, std::size_t value_bytes) {
  constexpr Index most = std::numeric_limits<int>::max();
  if (message.count > most / static_cast<Index>(value_bytes)) {
    throw Error(text("a message of ", message.count, " values of ", value_bytes,
                     " bytes is longer than MPI's ", most, " bytes"));
  }
  return static_cast<int>(message.count * static_cast<Index>(value_bytes));
}

}  // namespace

ProgramMessages::ProgramMessages(const Communicator& communicator, const Program& program,
                                 void* values, std::size_t value_bytes)
    : communicator_(communicator.handle()),
      tag_(communicator.message_tag()),
      overflow_tag_(communicator.overflow_tag()),
      notice_tag_(communicator.notice_tag()),
      sends_(program.sends().size(), MPI_REQUEST_NULL),
      receives_(program.receives().size(), MPI_REQUEST_NULL) {
  auto* const base = static_cast<char*>(values);
  const auto buffer = [&](const Program::Message& message) {
    return Buffer{base + message.first * value_bytes, bytes_of(message, value_bytes), message.peer};
  };
  std::transform(program.sends().begin(), program.sends().end(), std::back_inserter(send_buffers_),
                 buffer);
  std::transform(program.receives().begin(), program.receives().end(),
                 std::back_inserter(receive_buffers_), buffer);
  std::unordered_map<int, int> messages_of;
  for (const Buffer& received : receive_buffers_) ++messages_of[received.peer];
  for (Buffer& received : receive_buffers_) {
    received.late = received.bytes <= most_late_bytes && messages_of[received.peer] == 1;
  }
  if (communicator.size() == 1) return;
  notice_ = std::make_unique<Notice>();
  check_mpi(MPI_Irecv(notice_.get(), sizeof(Notice), MPI_BYTE, MPI_ANY_SOURCE, notice_tag_,
                      communicator_, &notice_request_),
            "MPI_Irecv");
}

ProgramMessages::~ProgramMessages() { abandon(); }

void ProgramMessages::share_memory(Sharing sharing, const Communicator& communicator,
                                   const std::string& failure) {
#ifdef BRACKET_SIMULATED_MPI  // time in shared memory is not simulated
  sharing = Sharing::never;
#endif
  const auto messages_of = [](const std::vector<Buffer>& buffers) {
    std::vector<Mailboxes::Message> messages;
    for (const Buffer& buffer : buffers) messages.push_back({buffer.peer, buffer.bytes});
    return messages;
  };
  mailboxes_ = Mailboxes(sharing, communicator, messages_of(send_buffers_),
                         messages_of(receive_buffers_), failure);
  if (sharing != Sharing::never && communicator.size() > 1) {
    tries_before_yield_ = communicator.node().tries_before_yield();
  }
  for (std::size_t i = 0; i < send_buffers_.size(); ++i) {
    send_buffers_[i].mailbox = mailboxes_.sends()[i];
  }
  for (std::size_t i = 0; i < receive_buffers_.size(); ++i) {
    receive_buffers_[i].mailbox = mailboxes_.receives()[i];
    if (receive_buffers_[i].mailbox.there()) receive_buffers_[i].late = true;
  }
}

void ProgramMessages::refuse_after_failure() {
  throw Error("an earlier run failed, and its messages may still be under way: make a new one");
}

ProgramMessages& ProgramMessages::operator=(ProgramMessages&& other) noexcept {
  std::swap(communicator_, other.communicator_);
  std::swap(tag_, other.tag_);
  std::swap(overflow_tag_, other.overflow_tag_);
  std::swap(notice_tag_, other.notice_tag_);
  std::swap(notice_, other.notice_);
  std::swap(notice_request_, other.notice_request_);
  send_buffers_.swap(other.send_buffers_);
  receive_buffers_.swap(other.receive_buffers_);
  sends_.swap(other.sends_);
  receives_.swap(other.receives_);
  std::swap(mailboxes_, other.mailboxes_);
  std::swap(tries_before_yield_, other.tries_before_yield_);
  std::swap(abandoned_, other.abandoned_);
  std::swap(sent_, other.sent_);
  std::swap(run_, other.run_);
  return *this;
}

bool ProgramMessages::received(std::size_t message) {
  if (receive_buffers_[message].mailbox.there()) {
    if (has_come(message)) return true;
  } else {
    post_if_late(message);
    if (test(receives_[message])) return true;
  }
  look_for_notice();
  return false;
}

bool ProgramMessages::all_sent() {
  const bool done =
      std::all_of(sends_.begin(), sends_.end(), [](MPI_Request& request) { return test(request); });
  if (!done) look_for_notice();
  return done;
}

void ProgramMessages::look_for_notice() {
  if (notice_ == nullptr) return;
  const bool is_there = notice_request_ == MPI_REQUEST_NULL;
  if (test(notice_request_) && notice_->run <= run_) throw CollectiveError(notice_->words.data());
  if (!is_there) return;
  // The notice is for a later run, and the test has not called MPI, which must make progress.
  int found = 0;
  MPI_Iprobe(MPI_ANY_SOURCE, notice_tag_, communicator_, &found, MPI_STATUS_IGNORE);
}

void ProgramMessages::notify(const std::string& words) noexcept {
  if (mpi_has_ended()) return;
  // Never freed: MPI may read it until the process ends.
  auto* const notice = new (std::nothrow) Notice{};
  if (notice == nullptr) return;
  notice->run = run_;
  words.copy(notice->words.data(), notice->words.size() - 1);
  int ranks = 0;
  int self = 0;
  MPI_Comm_size(communicator_, &ranks);
  MPI_Comm_rank(communicator_, &self);
  for (int rank = 0; rank < ranks; ++rank) {
    if (rank == self) continue;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Isend(notice, sizeof(Notice), MPI_BYTE, rank, notice_tag_, communicator_, &request);
    if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
  }
}

void ProgramMessages::abandon() noexcept {
  abandoned_ = true;
  if (mpi_has_ended()) return;
  const auto cancel = [](MPI_Request& request) {
    if (request == MPI_REQUEST_NULL) return;
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  };
  for (auto& request : receives_) cancel(request);
  cancel(notice_request_);
  for (auto& request : sends_) {
    if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
  }
}

}  // namespace bracket::runtime
