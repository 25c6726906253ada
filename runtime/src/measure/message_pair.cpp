// SPDX-License-Identifier: MIT

#include "measure/message_pair.hpp"

#include <algorithm>
#include <cstdint>
#include <span>

#include "bracket/runtime/measure.hpp"
#include "bracket/runtime/program_messages.hpp"

namespace bracket::runtime::calibration {

namespace {

/// Whole numbers in so many bytes.
std::span<double> numbers_in(char* first, Index bytes) {
  constexpr auto size = static_cast<Index>(sizeof(double));
  const auto past = static_cast<Index>(reinterpret_cast<std::uintptr_t>(first) % sizeof(double));
  const Index skipped = past == 0 ? 0 : size - past;
  if (bytes < skipped + size) return {};
  return {reinterpret_cast<double*>(first + skipped),
          static_cast<std::size_t>((bytes - skipped) / size)};
}

/// Writes all numbers, as a fold of vectors writes its result. Not inline, so that the compiler
/// keeps every repetition.
[[gnu::noinline]] void write(std::span<double> numbers, double value) {
  std::fill(numbers.begin(), numbers.end(), value);
}

/// Adds numbers as a combination of vectors does.
[[gnu::noinline]] void combine(std::span<const double> left, std::span<const double> right,
                               std::span<double> sums) {
  const std::size_t count = std::min({left.size(), right.size(), sums.size()});
  double* const __restrict target = sums.data();
  for (std::size_t i = 0; i < count; ++i) target[i] = left[i] + right[i];
}

}  // namespace

double MessagePair::take_part(const Task& task) {
  cold_ = task.cold;
  way_ = task.way;
  switch (task.experiment) {
    case Experiment::round_trips:
      return round_trips(task);
    case Experiment::exchanges:
      return exchanges(task);
    case Experiment::sends:
      return sends(task);
    case Experiment::receives:
      return receives(task);
    case Experiment::train:
      return train(task);
    default:
      return unreceived(task);
  }
}

double MessagePair::round_trips(const Task& task) {
  double seconds = 0;
  for (int round = -1; round < task.count; ++round) {
    Message incoming = start_receive(task.bytes, 0);
    read_elements();
    if (!leads_) wait(incoming);
    seconds += timed([&] {
      write_sent(task.bytes);
      Message outgoing = start_send(task.bytes, 1);
      wait(incoming);
      combine_received(task.bytes);
      wait(outgoing);
    });
    if (round < 0) seconds = 0;
  }
  // One rank after the other, as in a round trip: two at once share the last cache and the memory.
  if (!leads_) await_signal();
  const double computing = seconds_to_compute(task.bytes);
  if (leads_) signal();
  return std::max(0.0, seconds / task.count - 2 * computing);
}

double MessagePair::exchanges(const Task& task) {
  const bool late = task.bytes <= ProgramMessages::most_late_bytes;
  double seconds = 0;
  for (int round = -1; round < task.count; ++round) {
    Message incoming;
    if (!late) incoming = start_receive(task.bytes, 0);
    read_elements();
    seconds += timed([&] {
      // First, because a write that ends a sample would end after it: memory that the other rank
      // has read has to be fetched back before the cache takes it.
      write_sent(task.bytes);
      Message outgoing = start_send(task.bytes, 1);
      if (late) incoming = start_receive(task.bytes, 0);
      wait(incoming);
      combine_received(task.bytes);
      wait(outgoing);
    });
    if (round < 0) seconds = 0;
  }
  return std::max(0.0, seconds / task.count - seconds_to_compute(task.bytes));
}

void MessagePair::write_sent(Index bytes) {
  if (!cold_) write(numbers_in(place(bytes, 1), bytes), written_ += 1);
}

void MessagePair::combine_received(Index bytes) {
  if (cold_) return;
  combine(numbers_in(place(bytes, 1), bytes), numbers_in(place(bytes, 0), bytes),
          numbers_in(place(bytes, 2), bytes));
}

double MessagePair::seconds_to_compute(Index bytes) {
  if (cold_) return 0;
  const Index times = std::clamp<Index>(65536 / bytes, 1, 1024);
  const auto compute = [&] {
    write_sent(bytes);
    combine_received(bytes);
  };
  compute();
  const double seconds = timed([&] {
    for (Index i = 0; i < times; ++i) compute();
  });
  return std::max(0.0, seconds) / static_cast<double>(times);
}

double MessagePair::sends(const Task& task) {
  if (!leads_) {
    start_receives(task);
    signal();
    wait_for_all();
    return 0;
  }
  await_signal();
  double seconds = 0;
  for (int i = 0; i < task.count; ++i) {
    read_elements();
    seconds += timed([&] {
      message(i) = start_send(task.bytes);
      test(message(i));
    });
  }
  wait_for_all();
  return seconds / task.count;
}

double MessagePair::receives(const Task& task) {
  if (!leads_) {
    await_signal();
    for (int i = 0; i < task.count; ++i) message(i) = start_send(task.bytes);
    wait_for_all();
    return 0;
  }
  const bool late = task.bytes <= ProgramMessages::most_late_bytes;
  double seconds = 0;
  if (!late) seconds += timed([&] { start_receives(task); });
  signal();
  // No call of MPI, because it would do some of the work.
  for (const double sent = MPI_Wtime(); MPI_Wtime() - sent < arrival_;) {
  }
  for (int i = 0; i < task.count; ++i) {
    read_elements();
    seconds += timed([&] {
      if (late) message(i) = start_receive(task.bytes, i);
      wait(message(i));
    });
  }
  return seconds / task.count;
}

double MessagePair::train(const Task& task) {
  if (!leads_) {
    start_receives(task);
    signal();
    wait_for_all();
    signal();
    return 0;
  }
  await_signal();
  const double start = MPI_Wtime();
  for (int i = 0; i < task.count; ++i) message(i) = start_send(task.bytes);
  wait_for_all();
  await_signal();
  return MPI_Wtime() - start;
}

double MessagePair::unreceived(const Task& task) {
  const int tag = communicator_.message_tag();
  if (!leads_) {
    await_signal();
    Message incoming = start_receive_by_mpi(place(task.bytes, 0), task.bytes, tag);
    wait(incoming);
    return 0;
  }
  Message outgoing = start_send_by_mpi(place(task.bytes, 0), task.bytes, tag);
  bool complete = false;
  const double end = MPI_Wtime() + task.count * patience;
  // One more test after the deadline: this rank may have lost its core before it.
  for (bool late = false; !complete && !late;) {
    late = MPI_Wtime() >= end;
    complete = test(outgoing);
  }
  signal();
  wait(outgoing);
  return complete ? 1 : 0;
}

void MessagePair::read_elements() {
  double sum = 0;
  for (const double element : elements_) sum += element;
  sum_ = sum;
}

double MessagePair::seconds_of_clock() {
  std::vector<double> samples;
  for (int i = 0; i < 100; ++i) {
    const double start = MPI_Wtime();
    samples.push_back(MPI_Wtime() - start);
  }
  return summarize(samples).median;
}

bool MessagePair::by_mailbox(Index bytes) const {
  return bytes <= Mailboxes::most_bytes && way_ == Way::as_in_runs && has_mailboxes();
}

MessagePair::Message MessagePair::start_send(Index bytes, int i) {
  char* const from = place(bytes, i);
  if (!by_mailbox(bytes)) return start_send_by_mpi(from, bytes, communicator_.message_tag());
  const std::int64_t number = put_++;
  Mailbox& mailbox = outgoing_[static_cast<std::size_t>(number % most_count)];
  const std::int64_t run = number / most_count + 1;
  while (!mailbox.put(run, from, static_cast<std::size_t>(bytes))) yield_core();
  return {};
}

MessagePair::Message MessagePair::start_receive(Index bytes, int i) {
  char* const into = place(bytes, i);
  if (!by_mailbox(bytes)) return start_receive_by_mpi(into, bytes, communicator_.message_tag());
  return {.number = ++taken_, .into = into, .bytes = bytes};
}

MessagePair::Message MessagePair::start_send_by_mpi(const void* from, Index bytes, int tag) {
  Message started;
  check_mpi(MPI_Isend(from, static_cast<int>(bytes), MPI_BYTE, other_, tag, communicator_.handle(),
                      &started.request),
            "MPI_Isend");
  return started;
}

MessagePair::Message MessagePair::start_receive_by_mpi(void* into, Index bytes, int tag) {
  Message started;
  check_mpi(MPI_Irecv(into, static_cast<int>(bytes), MPI_BYTE, other_, tag, communicator_.handle(),
                      &started.request),
            "MPI_Irecv");
  return started;
}

bool MessagePair::test(Message& message) {
  if (message.number == 0) return bracket::test(message.request);
  const std::int64_t number = message.number - 1;
  Mailbox& mailbox = incoming_[static_cast<std::size_t>(number % most_count)];
  if (!mailbox.take(number / most_count + 1, message.into,
                    static_cast<std::size_t>(message.bytes))) {
    return false;
  }
  message.number = 0;
  return true;
}

void MessagePair::wait(Message& message) {
  if (message.number == 0) return bracket::wait(message.request);
  wait_until([&] { return test(message); }, [] {});
}

char* MessagePair::place(Index bytes, int i) {
  if (!cold_) return buffer_.data() + bytes * i;
  const auto room = static_cast<Index>(buffer_.size());
  if (next_ + bytes > room) next_ = 0;
  char* const found = buffer_.data() + next_;
  // At least the distance of lines that are fetched together.
  constexpr Index apart = 4096;
  next_ += (bytes + apart - 1) / apart * apart;
  return found;
}

void MessagePair::start_receives(const Task& task) {
  for (int i = 0; i < task.count; ++i) message(i) = start_receive(task.bytes, i);
}

void MessagePair::wait_for_all() {
  for (Message& message : messages_) wait(message);
}

void MessagePair::send(const void* from, Index bytes) {
  Message message = start_send_by_mpi(from, bytes, communicator_.notice_tag());
  wait(message);
}

void MessagePair::receive(void* into, Index bytes) {
  Message message = start_receive_by_mpi(into, bytes, communicator_.notice_tag());
  wait(message);
}

Mailboxes mailboxes_of_pair(const Communicator& communicator, Rank one, Rank other) {
  const Sharing wanted = agreed_sharing(communicator);
  std::vector<Mailboxes::Message> messages;
  const Rank self = communicator.rank();
  if (self == one || self == other) {
    messages.assign(MessagePair::most_count, {self == one ? other : one, Mailboxes::most_bytes});
  }
  return Mailboxes(wanted, communicator, messages, messages);
}

}  // namespace bracket::runtime::calibration
