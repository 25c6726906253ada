#pragma once

#include <mpi.h>

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "bracket/model/plan.hpp"
#include "bracket/model/schedule.hpp"
#include "bracket/runtime/communicator.hpp"
#include "bracket/runtime/messages.hpp"
#include "bracket/runtime/operation.hpp"
#include "bracket/runtime/program.hpp"

namespace bracket {

/// What an executor asks of a schedule, whatever its operation: throws `Error` if the communicator
/// has not its ranks, if the processor's floating-point mode would change the bits, or if the
/// order leaves the bracketing open and the operation is not `associative`.
void check_executable(const Schedule& outline, const Order& order, const Communicator& communicator,
                      bool associative);

/// Executes a schedule: reduces elements that the ranks of a communicator hold, with the bits that
/// the schedule's order gives on any number of ranks. `Operation` is `DoubleSum` or a
/// `Reduction`.
///
/// Made once, run as often as wanted; while it runs it looks nothing up and allocates nothing.
/// Several may exist on one communicator: each has its own duplicate. Ends before MPI does.
template <class Operation = DoubleSum>
class Executor {
 public:
  using Value = typename Operation::Value;

  /// This rank's part is made here, the others' are not. Collective; every rank must ask for
  /// the same order, distribution, plan and delivery. Throws `CollectiveError` if they do not, if
  /// the plan has objections, or as `check_executable` does.
  Executor(MPI_Comm communicator, const Order& order, const Distribution& distribution,
           const Plan& plan, Delivery delivery, Operation operation = {})
      : communicator_(communicator), operation_(operation) {
    const Schedule outline{order.spec(), order.version(), plan.spec(), distribution, delivery, {}};
    set_up(outline, [&](Rank rank) {
      check_fit(order, distribution, plan, delivery);
      return plan.part(order, distribution, delivery, rank);
    });
  }

  /// For a schedule made elsewhere. The same conditions.
  explicit Executor(MPI_Comm communicator, const Schedule& schedule, Operation operation = {})
      : communicator_(communicator), operation_(operation) {
    set_up(schedule, [&](Rank rank) {
      if (schedule.parts.size() != static_cast<std::size_t>(schedule.ranks())) {
        throw Error(text("the schedule has ", schedule.parts.size(), " parts for ",
                         schedule.ranks(), " ranks"));
      }
      return schedule.parts[static_cast<std::size_t>(rank)];
    });
  }

  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  /// Reduces. `elements` are this rank's own, in place and unchanged. The result, on the ranks to
  /// which the schedule delivers it. Collective. Throws `Error` on this rank alone if `elements`
  /// has not its count (before anything was sent: the others wait for a run with the right ones)
  /// or if MPI fails, after which no run is possible.
  std::optional<Value> run(std::span<const Value> elements);

  /// Elements that this rank holds.
  [[nodiscard]] Range held() const { return held_; }

  /// Messages that this rank has sent since it was made, counted where they start.
  [[nodiscard]] Index messages_sent() const { return messages_.sent(); }

 private:
  template <class MakePart>
  void set_up(const Schedule& outline, MakePart make_part);
  void execute(std::span<const Value> elements);

  Communicator communicator_;
  Operation operation_;
  Range held_;
  Index chunk_ = 1;
  Program program_;
  std::vector<Value> values_;  // one for each slot
  Messages messages_;          // over those
};

template <class Operation>
template <class MakePart>
void Executor<Operation>::set_up(const Schedule& outline, MakePart make_part) {
  std::string failure;
  std::uint64_t fingerprint = 0;
  try {
    const auto order = make_order(outline.order, outline.elements());
    operation_.prepare();
    check_executable(outline, *order, communicator_, operation_.associative);
    fingerprint = digest(outline);
    const Rank rank = communicator_.rank();
    held_ = outline.distribution.range(rank);
    chunk_ = order->chunk_size();
    program_ = Program(make_part(rank), held_, outline.elements());
    values_.resize(program_.slots());
    messages_ = Messages(communicator_, program_, values_.data(), sizeof(Value));
  } catch (...) {
    failure = words_of_current_exception();
  }
  fail_together(communicator_, failure, fingerprint,
                "the ranks ask for different orders, distributions, plans or deliveries");
}

template <class Operation>
auto Executor<Operation>::run(std::span<const Value> elements) -> std::optional<Value> {
  if (static_cast<Index>(elements.size()) != held_.size()) {
    throw Error(text("this rank holds ", held_.size(), " elements, ", elements.size(), " given"));
  }
  try {
    execute(elements);
  } catch (...) {
    messages_.abandon();
    throw;
  }
  if (!program_.has_result()) return std::nullopt;
  return operation_.finish(values_[program_.result()]);
}

template <class Operation>
void Executor<Operation>::execute(std::span<const Value> elements) {
  messages_.start_receives();
  Value* const values = values_.data();
  for (const auto& step : program_.instructions()) {
    switch (step.action) {
      case Program::Action::fold_own:
        values[step.target] = operation_.fold(elements.data() + step.offset, step.count, chunk_);
        break;
      case Program::Action::fold_slots:
        values[step.target] = operation_.fold(values + step.right, step.count, chunk_);
        break;
      case Program::Action::join:
        values[step.target] = operation_.join(values[step.left], values[step.right]);
        break;
      case Program::Action::extend: {
        Value value = values[step.left];
        for (Index i = 0; i < step.count; ++i) {
          value = operation_.join(value, values[step.right + static_cast<std::size_t>(i)]);
        }
        values[step.target] = value;
        break;
      }
      case Program::Action::copy_own:
        std::copy_n(elements.data() + step.offset, step.count, values + step.target);
        break;
      case Program::Action::copy_slots:
        std::copy_n(values + step.right, step.count, values + step.target);
        break;
      case Program::Action::send:
        messages_.start_send(step.message);
        break;
      case Program::Action::recv:
        messages_.wait_for_receive(step.message);
        break;
    }
  }
  messages_.wait_for_sends();
}

extern template class Executor<DoubleSum>;

}  // namespace bracket
