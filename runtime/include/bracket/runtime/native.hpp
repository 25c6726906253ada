#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bracket/model/plan.hpp"
#include "bracket/runtime/communicator.hpp"
#include "bracket/runtime/delivered.hpp"
#include "bracket/runtime/executor.hpp"
#include "bracket/runtime/folder.hpp"
#include "bracket/runtime/operation.hpp"

namespace bracket {

/// Messages of `NativeExecutor`: a range and the values of its frontier, or the words of a failure.
/// They may begin at any address, since MPI's buffers promise no alignment.
namespace frontier_message {

/// Bytes before the values.
inline constexpr std::size_t header = sizeof(Range);

/// Bytes of a message with room for `values` values, and for the words of a failure. Throws `Error`
/// if MPI cannot count as many.
std::size_t bytes(Index values, std::size_t value_bytes);

/// The range. In a failure it has no meaning, but is not empty.
Range range(const std::byte* message);
void set_range(std::byte* message, Range range);

/// Makes `message` a failure. Words that do not fit are cut off.
void fail(std::byte* message, const std::string& words);
bool failed(const std::byte* message);
/// Throws `Error` with the words of a failure.
[[noreturn]] void rethrow(const std::byte* message);

}  // namespace frontier_message

/// The MPI library's `MPI_Allreduce` over one message of each rank, by an operator that is
/// associative but not commutative. A message is one element of a datatype of its own, so that no
/// library splits it.
class NativeReduction {
 public:
  /// right := left ∘ right, where `left` comes from lower ranks. Must not throw, since C calls it.
  using Join = std::function<void(const std::byte* left, std::byte* right)>;

  NativeReduction(std::size_t message_bytes, Join join);
  ~NativeReduction();
  NativeReduction(const NativeReduction&) = delete;
  NativeReduction& operator=(const NativeReduction&) = delete;

  /// `message` := all ranks' messages, joined in the communicator's rank order. Collective.
  void run(const Communicator& communicator, std::byte* message) const;

  /// Begins such a reduction, which is complete when the request is.
  [[nodiscard]] MPI_Request start(const Communicator& communicator, std::byte* message) const;

 private:
  NativeReduction() = default;

  /// Attribute of the datatype, which the operator reads.
  struct Context {
    std::size_t message_bytes = 0;
    Join join;
  };
  static void apply(void* left, void* right, int* count, MPI_Datatype* type) noexcept;
  static int context_key();

  Context context_;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  MPI_Op op_ = MPI_OP_NULL;
};

/// Executes the plan `native`: reduces elements that the ranks of a communicator hold by the MPI
/// library's own `MPI_Allreduce`, with the bits that the order gives on any number of ranks.
/// Messages carry the frontiers of contiguous ranges. Joining frontiers is associative although
/// `Operation`, a `DoubleSum` or a `Reduction`, is not: whichever ranks the library combines first,
/// the same joins take place. Only the library knows the number of messages.
///
/// Make it once and run it as often as you want; a run allocates no memory. Several may exist on
/// one communicator. Destroy them before MPI_Finalize.
template <class Operation = DoubleSum>
class NativeExecutor {
 public:
  using Value = typename Operation::Value;

  /// Collective; every rank must pass the same problem, an all-reduce of numbers. Throws
  /// `CollectiveError` if the problems differ, if the plan `native` refuses the problem, if a
  /// message with room for the order's largest frontier has more bytes than MPI can count, and as
  /// `check_executable` and `check_threads` do.
  NativeExecutor(MPI_Comm communicator, const Problem& problem, const Operation& operation = {},
                 int threads = 1);

  /// Waits for a run under way, since MPI cannot cancel it.
  ~NativeExecutor() {
    if (request_ != MPI_REQUEST_NULL && !mpi_has_ended()) MPI_Wait(&request_, MPI_STATUS_IGNORE);
  }
  NativeExecutor(const NativeExecutor&) = delete;
  NativeExecutor& operator=(const NativeExecutor&) = delete;

  /// Reduces this rank's `elements`, in place and unchanged; `result` has room for one number.
  /// Collective. Throws `Error` on every rank if `Operation` throws, since the joins are the same
  /// for all. Throws `Error` on this rank alone if a span has the wrong size or if MPI fails. With
  /// a wrong size nothing is sent, and the others wait for a run with the right sizes; after a
  /// failure of MPI no run is possible.
  void run(std::span<const Value> elements, std::span<Value> result);

  /// Reduces, and returns the result, which every rank gets.
  Delivered<Value> run(std::span<const Value> elements) {
    Value result{};
    run(elements, std::span(&result, 1));
    return result;
  }

  /// Begins a run, and returns when this rank's elements are folded. Until `test` returns true or
  /// `wait` returns, both spans must exist, and `result` must not be read or written. Throws
  /// `Error` on this rank alone if a span has the wrong size or if a run is under way.
  void start(std::span<const Value> elements, std::span<Value> result);

  /// Returns whether the run is complete; true without a run. Call it now and then. Throws as `run`
  /// does.
  bool test();

  /// Completes the run, if there is one. Throws as `run` does.
  void wait();

  /// Elements that this rank holds.
  [[nodiscard]] Range held() const { return held_; }

  /// Items of the result that this rank gets.
  [[nodiscard]] Range delivered() const { return {0, 1}; }

 private:
  void prepare(std::span<const Value> elements, std::span<Value> result);
  void finish();
  void fold_own(std::span<const Value> elements);
  void join(const std::byte* left, std::byte* right);
  void join_frontiers(const std::byte* left, Range l, std::byte* right, Range r);

  Communicator communicator_;  // ranks in element order, in which the library joins
  std::optional<Folder<Operation>> folder_;
  std::optional<Order> order_;
  Range held_;
  std::vector<Partial> own_;  // the frontier of `held_`
  std::optional<NativeReduction> reduction_;
  std::vector<std::byte> message_;
  MPI_Request request_ = MPI_REQUEST_NULL;  // of the run under way
  std::span<Value> result_;                 // of the run under way
  // Scratch space of a join: frontiers, and the values of two.
  std::vector<Partial> partials_;
  std::vector<Partial> added_;
  std::vector<JoinPair> joins_;
  std::unique_ptr<Value[]> values_;
};

template <class Operation>
NativeExecutor<Operation>::NativeExecutor(MPI_Comm communicator, const Problem& problem,
                                          const Operation& operation, int threads)
    : communicator_(communicator, Communicator::Use::alone) {
  std::uint64_t fingerprint = 0;
  const std::string failure = words_of([&] {
    const auto plan = make_plan("native");
    check_fit(problem, *plan);
    Operation prepared = operation;
    prepared.prepare();
    const auto& [order, distribution, delivery, items, participants] = problem;
    const Schedule outline{header_of(problem, *plan), {}};
    check_executable(outline, order, communicator_, prepared.associative, threads);
    folder_.emplace(prepared, order.chunk_size(), 1, threads);
    fingerprint = digest(outline);
    order_ = order;
    held_ = distribution.range(communicator_.rank());
    own_ = order_->frontier(held_);
    const Index most = order_->most_frontier_values();
    message_.resize(frontier_message::bytes(most, sizeof(Value)));
    values_ = std::make_unique<Value[]>(static_cast<std::size_t>(2 * most));
    constexpr std::size_t two_frontiers = 256;  // each a run and 2 * 63 brackets at most
    for (auto* const list : {&partials_, &added_}) list->reserve(two_frontiers);
    joins_.reserve(two_frontiers);
    reduction_.emplace(message_.size(),
                       [this](const std::byte* left, std::byte* right) { join(left, right); });
  });
  const Agreement agreement{fingerprint, "the ranks ask for different orders or distributions"};
  fail_together(communicator_, failure, {&agreement, 1});
  const Distribution& distribution = problem.distribution;
  if (!distribution.rank_order().empty()) {
    communicator_ =
        communicator_.reordered(static_cast<int>(distribution.position_of(communicator_.rank())));
  }
}

template <class Operation>
void NativeExecutor<Operation>::run(std::span<const Value> elements, std::span<Value> result) {
  prepare(elements, result);
  reduction_->run(communicator_, message_.data());
  finish();
}

template <class Operation>
void NativeExecutor<Operation>::start(std::span<const Value> elements, std::span<Value> result) {
  prepare(elements, result);
  request_ = reduction_->start(communicator_, message_.data());
}

template <class Operation>
bool NativeExecutor<Operation>::test() {
  if (request_ == MPI_REQUEST_NULL) return true;
  if (!bracket::test(request_)) return false;
  finish();
  return true;
}

template <class Operation>
void NativeExecutor<Operation>::wait() {
  if (request_ == MPI_REQUEST_NULL) return;
  bracket::wait(request_);
  finish();
}

/// Writes this rank's message. A failure is written into it, since the others wait for a message.
template <class Operation>
void NativeExecutor<Operation>::prepare(std::span<const Value> elements, std::span<Value> result) {
  check_mpi_runs();
  if (request_ != MPI_REQUEST_NULL) throw Error(run_under_way);
  if (static_cast<Index>(elements.size()) != held_.size()) {
    throw Error(text("this rank holds ", held_.size(), " elements, ", elements.size(), " given"));
  }
  if (result.size() != 1)
    throw Error(text("the result is one number, there is room for ", result.size()));
  result_ = result;
  try {
    fold_own(elements);
  } catch (...) {
    frontier_message::fail(message_.data(), words_of_current_exception());
  }
}

/// Takes the result from the joined message of all ranks.
template <class Operation>
void NativeExecutor<Operation>::finish() {
  const std::byte* const message = message_.data();
  if (frontier_message::failed(message)) frontier_message::rethrow(message);
  const Range whole = frontier_message::range(message);
  if (whole != Range{0, order_->elements()}) {
    throw Error(text("MPI_Allreduce gives the elements ", whole, " in place of all"));
  }
  std::memcpy(result_.data(), message + frontier_message::header, sizeof(Value));
  result_[0] = folder_->operation().finish(result_[0]);
}

template <class Operation>
void NativeExecutor<Operation>::fold_own(std::span<const Value> elements) {
  Value* value = values_.get();
  for (const Partial& partial : own_) {
    const Value* const first = elements.data() + (partial.range.begin - held_.begin);
    if (partial.run) {
      value = std::copy_n(first, partial.range.size(), value);
    } else {
      folder_->fold(Vectors<Operation>{first, 1}, 0, partial.range.size(), 0, 1, value++);
    }
  }
  frontier_message::set_range(message_.data(), held_);
  std::memcpy(message_.data() + frontier_message::header, values_.get(),
              static_cast<std::size_t>(value - values_.get()) * sizeof(Value));
}

template <class Operation>
void NativeExecutor<Operation>::join(const std::byte* left, std::byte* right) {
  const Range l = frontier_message::range(left);
  const Range r = frontier_message::range(right);
  if (l.empty() || frontier_message::failed(right)) return;
  if (r.empty() || frontier_message::failed(left)) {
    std::memcpy(right, left, message_.size());
    return;
  }
  try {
    join_frontiers(left, l, right, r);
  } catch (...) {
    frontier_message::fail(right, words_of_current_exception());
  }
}

template <class Operation>
void NativeExecutor<Operation>::join_frontiers(const std::byte* left, Range l, std::byte* right,
                                               Range r) {
  if (l.end != r.begin) {
    throw Error(text("MPI_Allreduce combines the elements ", l, " with ", r,
                     ": it does not keep the ranks in order"));
  }
  order_->frontier(l, partials_);
  order_->frontier(r, added_);
  std::size_t top = 0;  // of a stack of values, which begins with those of the left frontier
  for (const Partial& partial : partials_) top += static_cast<std::size_t>(partial.count());
  std::memcpy(values_.get(), left + frontier_message::header, top * sizeof(Value));
  const std::byte* next = right + frontier_message::header;
  const auto push = [&](const Partial& partial) {
    const auto count = static_cast<std::size_t>(partial.count());
    std::memcpy(values_.get() + top, next, count * sizeof(Value));
    next += count * sizeof(Value);
    top += count;
  };
  joins_.clear();
  append_to_frontier(*order_, partials_, added_, joins_);
  auto partial = added_.begin();
  for (const JoinPair& pair : joins_) {
    // Each join runs as soon as its operands are pushed, so the right operand is on top.
    while (partial != added_.end() && partial->range.end <= pair.right.range.end) push(*partial++);
    const Value* const operands = values_.get() + top - pair.right.count();
    top -= static_cast<std::size_t>(pair.right.count());
    Value& value = values_[top - 1];
    for (Index i = 0; i < pair.right.count(); ++i)
      value = folder_->operation().join(value, operands[i]);
  }
  while (partial != added_.end()) push(*partial++);
  frontier_message::set_range(right, {l.begin, r.end});
  std::memcpy(right + frontier_message::header, values_.get(), top * sizeof(Value));
}

extern template class NativeExecutor<DoubleSum>;

}  // namespace bracket
