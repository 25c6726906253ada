// SPDX-License-Identifier: MIT

#pragma once

#include "bracket/runtime/mpi.hpp"

#include "bracket/support/language.hpp"

#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "bracket/model/explicit_folds.hpp"
#include "bracket/model/plan.hpp"
#include "bracket/model/schedule.hpp"
#include "bracket/runtime/communicator.hpp"
#include "bracket/runtime/execution.hpp"
#include "bracket/runtime/native_execution.hpp"
#include "bracket/runtime/program_execution.hpp"
#include "bracket/runtime/reductions.hpp"
#include "bracket/runtime/results.hpp"
#include "bracket/support/text.hpp"

namespace bracket::runtime {

/// Checks that a schedule can be executed, by any operation. Throws `Error` if the communicator has
/// another number of ranks, if the processor's floating-point mode would change the bits, if the
/// order leaves the bracketing open and the operation is not `associative`, or if several threads
/// are to fold and MPI was not started with MPI_THREAD_FUNNELED at least.
void check_executable(const ScheduleHeader& header, const Order& order,
                      const Communicator& communicator, bool associative, int threads);

/// Executes a schedule, as `Reducer` does for programs, with static types: reduces elements that
/// the ranks of a communicator hold, numbers or vectors of them item by item, with the bits that
/// the schedule's order gives on any number of ranks. `Operation` is `DoubleSum` or a `Reduction`.
///
/// Make it once and run it as often as you want; a run looks nothing up and allocates no memory.
/// Several may exist on one communicator: their messages do not mix. Destroy them before
/// MPI_Finalize. A run under way is then given up, and ranks that need a message of this rank wait
/// forever.
template <class Operation = DoubleSum>
class Executor {
 public:
  using Value = typename Operation::Value;

  /// Makes this rank's part of the schedule, and not the others'. `threads` threads fold its
  /// elements; their number changes no bits. Collective; every rank must pass the same problem and
  /// plan. Throws `CollectiveError` if these differ, if the plan refuses the problem, and as
  /// `check_executable` and `check_threads` do.
  Executor(MPI_Comm communicator, const Problem& problem, const Plan& plan,
           const Operation& operation = {}, int threads = 1) {
    const ScheduleHeader header = header_of(problem, plan);
    if (plan.scheduled()) {
      set_up_program(communicator, header, digest(header), operation, threads, [&](Rank rank) {
        check_fit(problem, plan);
        return plan.part(problem, rank);
      });
      return;
    }
    auto execution = std::make_unique<NativeExecution>(communicator);
    set_up(execution->communicator(), header, digest(header), operation, threads,
           [&](const Order& order) {
             check_fit(problem, plan);
             execution->set_up(*computation_, order, held_);
           });
    execution->settle(problem.distribution);
    execution_ = std::move(execution);
  }

  Executor(MPI_Comm communicator, const Order& order, const Distribution& distribution,
           const Plan& plan, Delivery delivery, const Operation& operation = {}, int threads = 1)
      : Executor(communicator, Problem{order, distribution, delivery}, plan, operation, threads) {}

  /// Executes a schedule that was made elsewhere, under the same conditions.
  explicit Executor(MPI_Comm communicator, const Schedule& schedule,
                    const Operation& operation = {}, int threads = 1) {
    set_up_program(communicator, schedule, digest(schedule), operation, threads, [&](Rank rank) {
      if (schedule.parts.size() != static_cast<std::size_t>(schedule.ranks())) {
        throw Error(text("the schedule has ", schedule.parts.size(), " parts for ",
                         schedule.ranks(), " ranks"));
      }
      return schedule.parts[static_cast<std::size_t>(rank)];
    });
  }

  /// Reduces this rank's `elements`, in place and unchanged, one vector after the other. `result`
  /// has room for the items that the schedule delivers to this rank (`delivered()`). Collective.
  ///
  /// Throws `Error` on this rank alone if a span has the wrong size or if a run is under way;
  /// nothing is sent, and the others wait for a run with the right sizes. If `Operation` throws, or
  /// MPI fails, this rank throws that exception. The others throw `CollectiveError` with the same
  /// message, in this run if they still wait for a message, otherwise in a later one. Then no run
  /// is possible any more; nor is one after MPI_Finalize.
  void run(std::span<const Value> elements, std::span<Value> result);

  /// Reduces elements that are numbers, not vectors. Returns the result on the ranks to which the
  /// schedule delivers it.
  Delivered<Value> run(std::span<const Value> elements);

  /// Begins a run. Folds this rank's elements as far as possible without messages of other ranks,
  /// and starts the messages that the others need. Until `test` returns true or `wait` returns,
  /// both spans must exist, and `result` must not be read or written. Throws as `run` does.
  void start(std::span<const Value> elements, std::span<Value> result);

  /// Makes progress, and returns whether the run is complete; true without a run. Call it now and
  /// then: other ranks may wait for this rank. Throws as `run` does, and `Error` if an earlier run
  /// failed.
  bool test();

  /// Completes the run, if there is one, without progress in other runs. If several are under way,
  /// all ranks must wait for them in the same order, or `test` them in turn. Throws as `test` does.
  void wait();

  /// Elements that this rank holds.
  [[nodiscard]] Range held() const { return held_; }

  /// Items of the result that this rank gets; may be empty.
  [[nodiscard]] Range delivered() const { return delivered_; }

  /// Number of messages that this rank has begun to send in all runs; 0 by the plan `native`, whose
  /// messages only the MPI library knows.
  [[nodiscard]] Index messages_sent() const { return execution_->messages_sent(); }

 private:
  template <class SetUp>
  void set_up(const Communicator& communicator, const ScheduleHeader& header,
              std::uint64_t fingerprint, const Operation& operation, int threads,
              SetUp set_up_execution);
  template <class MakePart>
  void set_up_program(MPI_Comm communicator, const ScheduleHeader& header,
                      std::uint64_t fingerprint, const Operation& operation, int threads,
                      MakePart make_part);
  void take(std::span<const Value> elements, std::span<Value> result);
  void finish();

  std::optional<ComputationOf<Operation, Vectors<Operation>>> computation_;
  std::unique_ptr<Execution> execution_;
  Range held_;
  Index items_ = 1;
  Range delivered_;
  bool everywhere_ = false;  // all ranks get the result
  std::span<Value> result_;  // of the run under way
};

/// Makes the computation, and calls `set_up_execution(order)`. Collective.
template <class Operation>
template <class SetUp>
void Executor<Operation>::set_up(const Communicator& communicator, const ScheduleHeader& header,
                                 std::uint64_t fingerprint, const Operation& operation, int threads,
                                 SetUp set_up_execution) {
  const std::string failure = words_of([&] {
    const auto order = make_order(header.order, header.elements());
    Operation prepared = operation;
    prepared.prepare();
    check_executable(header, order, communicator, prepared.associative, threads);
    if (header.items.fields) {
      throw Error(text(header.items, " fields: an executor reduces one field, a reducer several"));
    }
    const Rank rank = communicator.rank();
    held_ = header.distribution.range(rank);
    items_ = header.items;
    delivered_ = header.delivery.wanted(rank, header.ranks(), items_);
    everywhere_ = header.delivery.collective == Collective::all_reduce;
    computation_.emplace(prepared, order.chunk_size(), items_, threads);
    set_up_execution(order);
  });
  const Agreement agreement{
      fingerprint, "the ranks ask for different orders, distributions, plans or deliveries"};
  fail_together(communicator, failure, {&agreement, 1});
}

template <class Operation>
template <class MakePart>
void Executor<Operation>::set_up_program(MPI_Comm communicator, const ScheduleHeader& header,
                                         std::uint64_t fingerprint, const Operation& operation,
                                         int threads, MakePart make_part) {
  auto execution = std::make_unique<ProgramExecution>(Communicator(communicator));
  set_up(
      execution->communicator(), header, fingerprint, operation, threads, [&](const Order& order) {
        const Program::Item field{held_, header.elements()};
        const RankPart part = with_single_folds(order, make_part(execution->communicator().rank()));
        execution->set_up(*computation_, part, {&field, 1}, delivered_);
      });
  execution_ = std::move(execution);
}

/// Prepares a run, unless the spans have the wrong size.
template <class Operation>
void Executor<Operation>::take(std::span<const Value> elements, std::span<Value> result) {
  if (execution_->under_way()) throw Error(run_under_way);
  if (static_cast<Index>(elements.size()) != held_.size() * items_) {
    throw Error(text("this rank holds ", held_.size(), " elements of ", items_, " item(s), ",
                     elements.size(), " given"));
  }
  if (static_cast<Index>(result.size()) != delivered_.size()) {
    throw Error(text("this rank ends with ", delivered_.size(), " items of the result, there is ",
                     "room for ", result.size()));
  }
  execution_->check_idle();
  result_ = result;
  computation_->set_source({elements.data(), items_});
}

template <class Operation>
void Executor<Operation>::start(std::span<const Value> elements, std::span<Value> result) {
  take(elements, result);
  execution_->start();
}

/// Writes the result of a complete run.
template <class Operation>
void Executor<Operation>::finish() {
  const auto write = [&] {
    const auto* const values = static_cast<const Value*>(execution_->result());
    const Operation& operation = computation_->operation();
    Value* const result = result_.data();
    for (std::size_t i = 0; i < result_.size(); ++i) result[i] = operation.finish(values[i]);
  };
  if (everywhere_) return write();
  execution_->deliver_alone(write);
}

template <class Operation>
bool Executor<Operation>::test() {
  const bool due = execution_->under_way();
  if (!execution_->test()) return false;
  if (due) finish();
  return true;
}

template <class Operation>
void Executor<Operation>::wait() {
  const bool due = execution_->under_way();
  execution_->wait();
  if (due) finish();
}

template <class Operation>
void Executor<Operation>::run(std::span<const Value> elements, std::span<Value> result) {
  take(elements, result);
  execution_->run_together();
  finish();
}

template <class Operation>
auto Executor<Operation>::run(std::span<const Value> elements) -> Delivered<Value> {
  if (items_ != 1) throw Error(text("the result has ", items_, " items: give a place for them"));
  Value result{};
  run(elements, std::span(&result, static_cast<std::size_t>(delivered_.size())));
  return delivered_.empty() ? Delivered<Value>() : Delivered<Value>(result);
}

extern template class Executor<DoubleSum>;

}  // namespace bracket::runtime
