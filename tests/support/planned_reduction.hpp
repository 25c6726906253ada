// SPDX-License-Identifier: MIT

#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bracket/model/plan.hpp"
#include "bracket/model/schedule.hpp"
#include "bracket/runtime/field_reducer.hpp"
#include "bracket/runtime/reductions.hpp"
#include "bracket/runtime/results.hpp"

namespace bracket::testing {

/// A reducer by a plan or a schedule, with any operation of the implementation.
template <class Operation = runtime::DoubleSum>
class PlannedReduction {
 public:
  using Value = typename Operation::Value;

  /// Collective. Throws `CollectiveError` as `make_reducer` does.
  PlannedReduction(MPI_Comm communicator, const Problem& problem, const Plan& plan,
                   const Operation& operation = {}, int threads = 1) {
    make(communicator, header_of(problem, plan), nullptr, {.threads = threads}, operation);
  }
  PlannedReduction(MPI_Comm communicator, const Order& order, const Distribution& distribution,
                   const Plan& plan, Delivery delivery, const Operation& operation = {},
                   int threads = 1)
      : PlannedReduction(communicator, Problem{order, distribution, delivery}, plan, operation,
                         threads) {}
  explicit PlannedReduction(MPI_Comm communicator, const Schedule& schedule,
                            const Operation& operation = {}) {
    make(communicator, schedule, &schedule, {}, operation);
  }

  void run(std::span<const Value> elements, std::span<Value> result) {
    reducer_->run(1, arrays_of(elements), result.data(), result.size());
  }
  Delivered<Value> run(std::span<const Value> elements) {
    Value result{};
    run(elements, {&result, 1});
    return reducer_->delivers() ? Delivered<Value>(result) : Delivered<Value>();
  }
  void start(std::span<const Value> elements, std::span<Value> result) {
    reducer_->start(1, arrays_of(elements), result.data(), result.size());
  }
  bool test() { return reducer_->test(); }
  void wait() { reducer_->wait(); }

  [[nodiscard]] Range held() const { return reducer_->held(0); }
  [[nodiscard]] Range delivered() const { return reducer_->delivered(); }
  [[nodiscard]] Index messages_sent() const { return reducer_->messages_sent(); }

 private:
  static runtime::ReducerKind kind(std::string order, const Operation& operation) {
    return {"elements", "operation", sizeof(Value), std::move(order), operation.associative, false};
  }
  static runtime::FieldOperations operations(const Operation& operation) {
    runtime::FieldOperations operations;
    operations.all.push_back(
        std::make_unique<runtime::FieldOperationOf<Operation, typename Operation::Element>>(
            std::nullopt, operation));
    return operations;
  }
  void make(MPI_Comm communicator, const ScheduleHeader& header, const Schedule* given,
            const Settings& settings, const Operation& operation) {
    reducer_ = std::make_unique<runtime::FieldReducer>(communicator, header, given, settings,
                                                       kind(header.order, operation),
                                                       operations(operation));
  }
  static auto arrays_of(std::span<const Value> elements) {
    return [elements](std::size_t) {
      return FieldArrays{.elements = elements.data(), .element_bytes = elements.size_bytes()};
    };
  }

  std::unique_ptr<AnyReducer> reducer_;
};

}  // namespace bracket::testing
