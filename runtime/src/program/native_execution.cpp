// SPDX-License-Identifier: MIT

#include "bracket/runtime/native_execution.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "bracket/model/explicit_folds.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

namespace bracket::runtime {

/// Messages: a range and the values of its frontier, or the words of a failure. They may begin at
/// any address, since MPI's buffers promise no alignment.
namespace frontier_message {

namespace {

constexpr std::size_t room_for_words = 240;
// In place of the beginning of a range.
constexpr Index failure_mark = -1;  // the operation failed
constexpr Index end_mark = -2;      // a rank ended all runs

/// Bytes before the values.
constexpr std::size_t header = sizeof(Range);

/// Bytes of a message with room for `values` values, and for the words of a failure. Throws `Error`
/// if MPI cannot count as many.
std::size_t bytes(Index values, std::size_t value_bytes) {
  constexpr Index most = std::numeric_limits<int>::max();
  if (values > (most - static_cast<Index>(header)) / static_cast<Index>(value_bytes)) {
    throw Error(text("a frontier of up to ", values, " values of ", value_bytes,
                     " bytes is longer than MPI's ", most, " bytes"));
  }
  return header + std::max(static_cast<std::size_t>(values) * value_bytes, room_for_words);
}

/// The range. In a failure it has no meaning, but is not empty.
Range range(const std::byte* message) {
  Range range;
  std::memcpy(&range, message, sizeof range);
  return range;
}

void set_range(std::byte* message, Range range) { std::memcpy(message, &range, sizeof range); }

/// Makes `message` a failure with this mark. Words that do not fit are cut off.
void fail(std::byte* message, Index mark, const std::string& words) {
  const std::size_t length = std::min(words.size(), room_for_words);
  set_range(message, {mark, static_cast<Index>(length)});
  std::memcpy(message + header, words.data(), length);
}

bool failed(const std::byte* message) { return range(message).begin < 0; }

/// The words of a failure.
std::string words_of(const std::byte* message) {
  std::string words(static_cast<std::size_t>(range(message).end), '\0');
  std::memcpy(words.data(), message + header, words.size());
  return words;
}

}  // namespace

}  // namespace frontier_message

NativeReduction::NativeReduction(std::size_t message_bytes, Join join) : NativeReduction() {
  context_ = {message_bytes, std::move(join)};
  check_mpi(MPI_Type_contiguous(static_cast<int>(message_bytes), MPI_BYTE, &type_),
            "MPI_Type_contiguous");
  check_mpi(MPI_Type_commit(&type_), "MPI_Type_commit");
  check_mpi(MPI_Type_set_attr(type_, context_key(), &context_), "MPI_Type_set_attr");
  check_mpi(MPI_Op_create(apply, 0, &op_), "MPI_Op_create");
}

NativeReduction::~NativeReduction() {
  if (mpi_has_ended()) return;
  if (op_ != MPI_OP_NULL) MPI_Op_free(&op_);
  if (type_ != MPI_DATATYPE_NULL) MPI_Type_free(&type_);
}

MPI_Request NativeReduction::start(const Communicator& communicator, std::byte* message) const {
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Iallreduce(MPI_IN_PLACE, message, 1, type_, op_, communicator.handle(), &request),
            "MPI_Iallreduce");
  return request;
}

int NativeReduction::context_key() {
  // One key for the process. A library that duplicates the type copies the attribute as well.
  static const int key = [] {
    int created = MPI_KEYVAL_INVALID;
    check_mpi(MPI_Type_create_keyval(MPI_TYPE_DUP_FN, MPI_TYPE_NULL_DELETE_FN, &created, nullptr),
              "MPI_Type_create_keyval");
    return created;
  }();
  return key;
}

void NativeReduction::apply(void* left, void* right, int* count, MPI_Datatype* type) noexcept {
  auto* const from = static_cast<const std::byte*>(left);
  auto* const to = static_cast<std::byte*>(right);
  void* found = nullptr;
  int is_there = 0;
  if (MPI_Type_get_attr(*type, context_key(), &found, &is_there) != MPI_SUCCESS || is_there == 0) {
    frontier_message::fail(to, frontier_message::failure_mark,
                           "MPI_Iallreduce calls the operator with another datatype");
    return;
  }
  const auto& context = *static_cast<const Context*>(found);
  for (std::size_t i = 0; i < static_cast<std::size_t>(*count); ++i) {
    context.join(from + i * context.message_bytes, to + i * context.message_bytes);
  }
}

NativeExecution::~NativeExecution() {
  if (request_ != MPI_REQUEST_NULL && !mpi_has_ended()) MPI_Wait(&request_, MPI_STATUS_IGNORE);
}

void NativeExecution::set_up(Computation& computation, const Order& order, Range held) {
  computation_ = &computation;
  value_bytes_ = computation.value_bytes();
  order_ = order;
  held_ = held;
  own_ = order_->frontier(held_);
  const Index most = order_->most_frontier_values();
  message_.resize(frontier_message::bytes(most, value_bytes_));
  slots_ = computation.make_slots(static_cast<std::size_t>(2 * most));
  constexpr std::size_t two_frontiers = 256;  // each a run and 2 * 63 brackets at most
  for (auto* const list : {&partials_, &added_}) list->reserve(two_frontiers);
  joins_.reserve(two_frontiers);
  reduction_.emplace(message_.size(),
                     [this](const std::byte* left, std::byte* right) { join(left, right); });
}

void NativeExecution::settle(const Distribution& distribution) {
  if (distribution.rank_order().empty()) return;
  communicator_ =
      communicator_.reordered(static_cast<int>(distribution.position_of(communicator_.rank())));
}

void NativeExecution::check_idle() const {
  check_mpi_runs();
  if (request_ != MPI_REQUEST_NULL) throw Error(run_under_way);
  if (ended_) throw Error("no run is possible after a failure");
}

void NativeExecution::start() {
  prepare();
  request_ = reduction_->start(communicator_, message_.data());
}

bool NativeExecution::test() {
  check_mpi_runs();
  if (request_ == MPI_REQUEST_NULL) return true;
  if (!bracket::test(request_)) return false;
  finish();
  return true;
}

void NativeExecution::wait() {
  check_mpi_runs();
  if (request_ == MPI_REQUEST_NULL) return;
  bracket::wait(request_);
  finish();
}

std::string NativeExecution::give_up(const std::string& words) { return refuse(words); }

/// Takes part in the run that the others begin, with the words in place of a result.
std::string NativeExecution::refuse(const std::string& words) {
  std::string told = text("rank ", communicator_.rank(), ": ", words);
  frontier_message::fail(message_.data(), frontier_message::end_mark, told);
  ended_ = true;
  // The others have called `start`: MPI does not match it with a blocking call.
  MPI_Request request = reduction_->start(communicator_, message_.data());
  bracket::wait(request);
  return told;
}

/// Writes this rank's message. A failure is written into it, since the others wait for a message.
void NativeExecution::prepare() {
  try {
    fold_own();
  } catch (...) {
    frontier_message::fail(message_.data(), frontier_message::failure_mark,
                           words_of_current_exception());
  }
}

/// Takes the result from the joined message of all ranks.
void NativeExecution::finish() {
  const std::byte* const message = message_.data();
  const Range whole = frontier_message::range(message);
  if (frontier_message::failed(message)) {
    const std::string words = frontier_message::words_of(message);
    if (whole.begin == frontier_message::failure_mark) throw Error(words);
    ended_ = true;
    throw CollectiveError(words);
  }
  if (whole != Range{0, order_->elements()}) {
    throw Error(text("MPI_Iallreduce gives the elements ", whole, " in place of all"));
  }
  std::memcpy(slot(0), message + frontier_message::header, value_bytes_);
}

void NativeExecution::fold_own() {
  std::size_t next = 0;
  const ExplicitTree* const tree = order_->explicit_tree();
  for (const Partial& partial : own_) {
    if (tree != nullptr) {
      for_each_step(
          *tree, partial.range,
          [&](Index x) { computation_->fold_own(x - held_.begin, 1, 0, 1, slot(next++)); },
          [&](Range, Range) {
            --next;
            computation_->join(slot(next - 1), slot(next), 0, 1, slot(next - 1));
          });
      continue;
    }
    const Index first = partial.range.begin - held_.begin;
    const Index count = partial.range.size();
    if (partial.run) {
      computation_->copy_own(first, count, 0, 1, slot(next));
    } else {
      computation_->fold_own(first, count, 0, 1, slot(next));
    }
    next += static_cast<std::size_t>(partial.count());
  }
  frontier_message::set_range(message_.data(), held_);
  std::memcpy(message_.data() + frontier_message::header, slot(0), next * value_bytes_);
}

void NativeExecution::join(const std::byte* left, std::byte* right) {
  const Range l = frontier_message::range(left);
  const Range r = frontier_message::range(right);
  if (r.begin == frontier_message::end_mark) return;
  const bool right_failed = frontier_message::failed(right);
  if (l.begin == frontier_message::end_mark || (frontier_message::failed(left) && !right_failed) ||
      r.empty()) {
    std::memcpy(right, left, message_.size());
    return;
  }
  if (right_failed || l.empty()) return;
  try {
    join_frontiers(left, l, right, r);
  } catch (...) {
    frontier_message::fail(right, frontier_message::failure_mark, words_of_current_exception());
  }
}

void NativeExecution::join_frontiers(const std::byte* left, Range l, std::byte* right, Range r) {
  if (l.end != r.begin) {
    throw Error(text("MPI_Iallreduce combines the elements ", l, " with ", r,
                     ": it does not keep the ranks in order"));
  }
  order_->frontier(l, partials_);
  order_->frontier(r, added_);
  std::size_t top = 0;  // of a stack of values, which begins with those of the left frontier
  for (const Partial& partial : partials_) top += static_cast<std::size_t>(partial.count());
  std::memcpy(slot(0), left + frontier_message::header, top * value_bytes_);
  const std::byte* next = right + frontier_message::header;
  const auto push = [&](const Partial& partial) {
    const auto count = static_cast<std::size_t>(partial.count());
    std::memcpy(slot(top), next, count * value_bytes_);
    next += count * value_bytes_;
    top += count;
  };
  joins_.clear();
  append_to_frontier(*order_, partials_, added_, joins_);
  auto partial = added_.begin();
  for (const JoinPair& pair : joins_) {
    // Each join runs as soon as its operands are pushed, so the right operand is on top.
    while (partial != added_.end() && partial->range.end <= pair.right.range.end) push(*partial++);
    const auto operands = static_cast<std::size_t>(pair.right.count());
    top -= operands;
    for (std::size_t i = 0; i < operands; ++i) {
      computation_->join(slot(top - 1), slot(top + i), 0, 1, slot(top - 1));
    }
  }
  while (partial != added_.end()) push(*partial++);
  frontier_message::set_range(right, {l.begin, r.end});
  std::memcpy(right + frontier_message::header, slot(0), top * value_bytes_);
}

}  // namespace bracket::runtime
