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

/// Executes a schedule: reduces elements that the ranks of a communicator hold, numbers or vectors
/// of them item by item, with the bits that the schedule's order gives on any number of ranks.
/// `Operation` is `DoubleSum` or a `Reduction`.
///
/// Made once, run as often as wanted; while it runs it looks nothing up and allocates nothing.
/// Several may exist on one communicator: each has its own duplicate. Ends before MPI does.
template <class Operation = DoubleSum>
class Executor {
 public:
  using Value = typename Operation::Value;

  /// This rank's part is made here, the others' are not. Collective; every rank must ask for
  /// the same problem and plan. Throws `CollectiveError` if they do not, if the plan has
  /// objections, or as `check_executable` does.
  Executor(MPI_Comm communicator, const Problem& problem, const Plan& plan,
           Operation operation = {})
      : communicator_(communicator), operation_(operation) {
    const Schedule outline{problem.order.spec(), problem.order.version(), plan.spec(),
                           problem.distribution, problem.delivery,        {},
                           problem.items};
    set_up(outline, [&](Rank rank) {
      check_fit(problem, plan);
      return plan.part(problem, rank);
    });
  }

  Executor(MPI_Comm communicator, const Order& order, const Distribution& distribution,
           const Plan& plan, Delivery delivery, Operation operation = {})
      : Executor(communicator, Problem{order, distribution, delivery}, plan, operation) {}

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

  /// Reduces. `elements` are this rank's own, in place and unchanged, vectors behind each other;
  /// `result` takes the items that the schedule delivers to this rank, as many as `delivered()`
  /// says. Collective. Throws `Error` on this rank alone if either has not its count (before
  /// anything was sent: the others wait for a run with the right ones) or if MPI fails, after which
  /// no run is possible.
  void run(std::span<const Value> elements, std::span<Value> result);

  /// The same of elements that are numbers, not vectors. The result, on the ranks to which the
  /// schedule delivers it.
  std::optional<Value> run(std::span<const Value> elements);

  /// Elements that this rank holds.
  [[nodiscard]] Range held() const { return held_; }

  /// Items of the result that this rank ends with; may be none.
  [[nodiscard]] Range delivered() const { return delivered_; }

  /// Messages that this rank has sent since it was made, counted where they start.
  [[nodiscard]] Index messages_sent() const { return messages_.sent(); }

 private:
  template <class MakePart>
  void set_up(const Schedule& outline, MakePart make_part);
  void execute(std::span<const Value> elements);
  void compute(const Program::Instruction& step, const Value* own);

  Communicator communicator_;
  Operation operation_;
  Range held_;
  Index items_ = 1;
  Range delivered_;
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
    items_ = outline.items;
    delivered_ = outline.delivery.wanted(rank, outline.ranks(), items_);
    program_ = Program(make_part(rank), held_, outline.elements(), delivered_);
    values_.resize(program_.slots());
    messages_ = Messages(communicator_, program_, values_.data(), sizeof(Value));
  } catch (...) {
    failure = words_of_current_exception();
  }
  fail_together(communicator_, failure, fingerprint,
                "the ranks ask for different orders, distributions, plans or deliveries");
}

template <class Operation>
void Executor<Operation>::run(std::span<const Value> elements, std::span<Value> result) {
  if (static_cast<Index>(elements.size()) != held_.size() * items_) {
    throw Error(text("this rank holds ", held_.size(), " elements of ", items_, " item(s), ",
                     elements.size(), " given"));
  }
  if (static_cast<Index>(result.size()) != delivered_.size()) {
    throw Error(text("this rank ends with ", delivered_.size(), " items of the result, there is ",
                     "room for ", result.size()));
  }
  try {
    execute(elements);
  } catch (...) {
    messages_.abandon();
    throw;
  }
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i] = operation_.finish(values_[program_.result() + i]);
  }
}

template <class Operation>
auto Executor<Operation>::run(std::span<const Value> elements) -> std::optional<Value> {
  if (items_ != 1) throw Error(text("the result has ", items_, " items: give a place for them"));
  Value result{};
  run(elements, std::span(&result, static_cast<std::size_t>(delivered_.size())));
  return delivered_.empty() ? std::nullopt : std::optional(result);
}

template <class Operation>
void Executor<Operation>::execute(std::span<const Value> elements) {
  messages_.start_receives();
  for (const auto& step : program_.instructions()) {
    switch (step.action) {
      case Program::Action::send:
        messages_.start_send(step.message);
        break;
      case Program::Action::recv:
        messages_.wait_for_receive(step.message);
        break;
      default:
        compute(step, elements.data());
    }
  }
  messages_.wait_for_sends();
}

template <class Operation>
void Executor<Operation>::compute(const Program::Instruction& step, const Value* own) {
  Value* const values = values_.data();
  Value* const target = values + step.target;
  const Value* const left = values + step.left;
  const Value* const right = values + step.right;
  const auto fold = [&](const Value* elements) {
    if (step.items == 1 && step.stride == 1) {
      *target = operation_.fold(elements, step.count, chunk_);
    } else {
      operation_.fold_items(elements, step.count, step.stride, step.items, chunk_, target);
    }
  };
  const auto copy = [&](const Value* elements) {
    if (step.items == step.stride) {
      std::copy_n(elements, step.count * step.items, target);
      return;
    }
    for (Index i = 0; i < step.count; ++i) {
      std::copy_n(elements + i * step.stride, step.items, target + i * step.items);
    }
  };
  switch (step.action) {
    case Program::Action::fold_own:
      fold(own + step.offset);
      break;
    case Program::Action::fold_slots:
      fold(right);
      break;
    case Program::Action::join:
      for (Index i = 0; i < step.items; ++i) target[i] = operation_.join(left[i], right[i]);
      break;
    case Program::Action::extend:
      std::copy_n(left, step.items, target);
      for (Index k = 0; k < step.count; ++k) {
        const Value* const element = right + k * step.stride;
        for (Index i = 0; i < step.items; ++i) target[i] = operation_.join(target[i], element[i]);
      }
      break;
    case Program::Action::copy_own:
      copy(own + step.offset);
      break;
    default:
      copy(right);
  }
}

extern template class Executor<DoubleSum>;

}  // namespace bracket
