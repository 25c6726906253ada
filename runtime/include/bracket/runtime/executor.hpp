#pragma once

#include <mpi.h>

#include "bracket/support/language.hpp"

#include <optional>
#include <span>

#include "bracket/model/plan.hpp"
#include "bracket/model/schedule.hpp"
#include "bracket/runtime/communicator.hpp"
#include "bracket/runtime/delivered.hpp"
#include "bracket/runtime/engine.hpp"
#include "bracket/runtime/operation.hpp"

namespace bracket {

/// What an executor asks of a schedule, whatever its operation: throws `Error` if the communicator
/// has not its ranks, if the processor's floating-point mode would change the bits, if the order
/// leaves the bracketing open and the operation is not `associative`, or if several threads are to
/// fold and MPI was started for one alone (it takes MPI_THREAD_FUNNELED).
void check_executable(const Schedule& outline, const Order& order, const Communicator& communicator,
                      bool associative, int threads);

/// Executes a schedule: reduces elements that the ranks of a communicator hold, numbers or vectors
/// of them item by item, with the bits that the schedule's order gives on any number of ranks.
/// `Operation` is `DoubleSum` or a `Reduction`.
///
/// Made once, run as often as wanted; while it runs it looks nothing up and allocates nothing.
/// Several may exist on one communicator: each has messages of its own. Ends before MPI does; a run
/// under way is then given up, and ranks that need something of this one wait in vain.
template <class Operation = DoubleSum>
class Executor {
 public:
  using Value = typename Operation::Value;

  /// This rank's part is made here, the others' are not; `threads` fold its elements, which changes
  /// no bits. Collective; every rank must ask for the same problem and plan. Throws
  /// `CollectiveError` if they do not, if the plan has objections, or as `check_executable` and
  /// `check_threads` do.
  Executor(MPI_Comm communicator, const Problem& problem, const Plan& plan,
           const Operation& operation = {}, int threads = 1)
      : engine_(communicator) {
    const Schedule outline{problem.order.spec(), problem.order.version(), plan.spec(),
                           problem.distribution, problem.delivery,        {},
                           problem.items};
    set_up(outline, operation, threads, [&](Rank rank) {
      check_fit(problem, plan);
      return plan.part(problem, rank);
    });
  }

  Executor(MPI_Comm communicator, const Order& order, const Distribution& distribution,
           const Plan& plan, Delivery delivery, const Operation& operation = {}, int threads = 1)
      : Executor(communicator, Problem{order, distribution, delivery}, plan, operation, threads) {}

  /// For a schedule made elsewhere. The same conditions.
  explicit Executor(MPI_Comm communicator, const Schedule& schedule,
                    const Operation& operation = {}, int threads = 1)
      : engine_(communicator) {
    set_up(schedule, operation, threads, [&](Rank rank) {
      if (schedule.parts.size() != static_cast<std::size_t>(schedule.ranks())) {
        throw Error(text("the schedule has ", schedule.parts.size(), " parts for ",
                         schedule.ranks(), " ranks"));
      }
      return schedule.parts[static_cast<std::size_t>(rank)];
    });
  }

  /// Reduces. `elements` are this rank's own, in place and unchanged, vectors behind each other;
  /// `result` takes the items that the schedule delivers to this rank, as many as `delivered()`
  /// says. Collective. Throws `Error` on this rank alone if either has not its count or if a run is
  /// under way (before anything was sent: the others wait for a run with the right ones). What
  /// `Operation` throws, and an `Error` of MPI, reach this rank; the others throw
  /// `CollectiveError` with the same words in this run if they still wait for anything, else when
  /// they begin one and have been told. No run is possible any more, nor after MPI's end.
  void run(std::span<const Value> elements, std::span<Value> result);

  /// The same of elements that are numbers, not vectors. The result, on the ranks to which the
  /// schedule delivers it.
  Delivered<Value> run(std::span<const Value> elements);

  /// Begins such a run and returns: this rank's elements are folded as far as nothing from other
  /// ranks is needed, and what others need of it is on its way. Both spans must last, and `result`
  /// is not to be touched, until `test` is true or `wait` returns. Throws as `run` does.
  void start(std::span<const Value> elements, std::span<Value> result);

  /// Does what has become possible since, and says whether the run is complete; true without one.
  /// Others may need this rank's help: to be called now and then. Throws as `run` does, and `Error`
  /// if an earlier run failed.
  bool test();

  /// Completes the run, if there is one, and helps with no other: with several under way all ranks
  /// must wait for them in the same order, or `test` them in turn. Throws as `test` does.
  void wait();

  /// Elements that this rank holds.
  [[nodiscard]] Range held() const { return held_; }

  /// Items of the result that this rank ends with; may be none.
  [[nodiscard]] Range delivered() const { return delivered_; }

  /// Messages that this rank has sent since it was made, counted where they start.
  [[nodiscard]] Index messages_sent() const { return engine_.messages_sent(); }

 private:
  template <class MakePart>
  void set_up(const Schedule& outline, const Operation& operation, int threads, MakePart make_part);
  void finish();

  std::optional<ComputationOf<Operation, Vectors<Operation>>> computation_;
  Engine engine_;
  Range held_;
  Index items_ = 1;
  Range delivered_;
  bool everywhere_ = false;  // as on all other ranks
  std::span<Value> result_;  // of the run under way
};

template <class Operation>
template <class MakePart>
void Executor<Operation>::set_up(const Schedule& outline, const Operation& operation, int threads,
                                 MakePart make_part) {
  const Communicator& communicator = engine_.communicator();
  std::uint64_t fingerprint = 0;
  const std::string failure = words_of([&] {
    const auto order = make_order(outline.order, outline.elements());
    Operation prepared = operation;
    prepared.prepare();
    check_executable(outline, *order, communicator, prepared.associative, threads);
    fingerprint = digest(outline);
    const Rank rank = communicator.rank();
    held_ = outline.distribution.range(rank);
    items_ = outline.items;
    delivered_ = outline.delivery.wanted(rank, outline.ranks(), items_);
    everywhere_ = outline.delivery.collective == Collective::all_reduce;
    const Program::Field field{held_, outline.elements()};
    const RankPart part = make_part(rank);
    computation_.emplace(prepared, order->chunk_size(), items_, threads);
    engine_.set_up(*computation_, part, {&field, 1}, delivered_);
  });
  const Agreement agreement{
      fingerprint, "the ranks ask for different orders, distributions, plans or deliveries"};
  fail_together(communicator, failure, {&agreement, 1});
}

template <class Operation>
void Executor<Operation>::start(std::span<const Value> elements, std::span<Value> result) {
  if (engine_.under_way()) throw Error(run_under_way);
  if (static_cast<Index>(elements.size()) != held_.size() * items_) {
    throw Error(text("this rank holds ", held_.size(), " elements of ", items_, " item(s), ",
                     elements.size(), " given"));
  }
  if (static_cast<Index>(result.size()) != delivered_.size()) {
    throw Error(text("this rank ends with ", delivered_.size(), " items of the result, there is ",
                     "room for ", result.size()));
  }
  engine_.check_idle();
  result_ = result;
  computation_->set_source({elements.data(), items_});
  engine_.start();
}

/// Hands the result of a complete run over.
template <class Operation>
void Executor<Operation>::finish() {
  engine_.deliver(everywhere_, [&] {
    const auto* const values = static_cast<const Value*>(engine_.result());
    for (std::size_t i = 0; i < result_.size(); ++i) {
      result_[i] = computation_->operation().finish(values[i]);
    }
  });
}

template <class Operation>
bool Executor<Operation>::test() {
  const bool due = engine_.under_way();
  if (!engine_.test()) return false;
  if (due) finish();
  return true;
}

template <class Operation>
void Executor<Operation>::wait() {
  const bool due = engine_.under_way();
  engine_.wait();
  if (due) finish();
}

template <class Operation>
void Executor<Operation>::run(std::span<const Value> elements, std::span<Value> result) {
  start(elements, result);
  wait();
}

template <class Operation>
auto Executor<Operation>::run(std::span<const Value> elements) -> Delivered<Value> {
  if (items_ != 1) throw Error(text("the result has ", items_, " items: give a place for them"));
  Value result{};
  run(elements, std::span(&result, static_cast<std::size_t>(delivered_.size())));
  return delivered_.empty() ? Delivered<Value>() : Delivered<Value>(result);
}

extern template class Executor<DoubleSum>;

}  // namespace bracket
