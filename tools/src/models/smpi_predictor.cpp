// SPDX-License-Identifier: MIT

#include "bracket/simulator/smpi.hpp"

#include <algorithm>
#include <cstring>

#include "bracket/input/input.hpp"
#include "bracket/runtime/any_reducer.hpp"
#include "bracket/runtime/program.hpp"
#include "bracket/runtime/simulated_time.hpp"
#include "bracket/support/error.hpp"
#include "common/result.hpp"
#include "common/typed_numbers.hpp"
#include "models/prediction.hpp"

namespace bracket {

namespace {

/// Advances simulated time by the computations of a rank between its messages, from the workload.
class Clock {
 public:
  Clock() = default;
  Clock(SimulatedRank& rank, const Workload& workload)
      : rank_(&rank), operations_(workload.operations(rank.number())) {}

  void pass_before(std::size_t instruction, bool message) {
    if (!message || instruction < next_instruction_) return;
    next_instruction_ = instruction + 1;
    compute();
    if (next_ == operations_.size()) throw Error("more messages than the schedule has");
    const Workload::Operation& operation = operations_[next_++];
    if (operation.kind() == Workload::Kind::send) {
      rank_->begin_send(static_cast<Rank>(operation.peer), operation.amount);
    } else {
      received_ = &operation;
    }
  }

  void pass_rest() {
    compute();
    if (next_ < operations_.size()) throw Error("fewer messages than the schedule has");
  }

 private:
  /// Passes the time of the computations since the last message.
  void compute() {
    if (received_ != nullptr) {
      rank_->end_receive(static_cast<Rank>(received_->peer), received_->amount);
      received_ = nullptr;
    }
    for (; next_ < operations_.size() && operations_[next_].kind() == Workload::Kind::compute;
         ++next_) {
      rank_->pass(operations_[next_].amount);
    }
  }

  SimulatedRank* rank_ = nullptr;
  std::span<const Workload::Operation> operations_;
  const Workload::Operation* received_ = nullptr;
  std::size_t next_ = 0;
  std::size_t next_instruction_ = 0;
};

/// Clock of each rank. A process runs only one program.
std::vector<Clock> clocks;

/// Implements the runtime's `pass_time` for the rank that runs.
void pass_time_of_rank(std::size_t instruction, runtime::Program::Action action) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const bool message =
      action == runtime::Program::Action::send || action == runtime::Program::Action::recv;
  clocks[static_cast<std::size_t>(rank)].pass_before(instruction, message);
}

}  // namespace

namespace tools {

namespace {

/// Elements of a rank, made from synthetic numbers.
std::vector<std::byte> elements_of(const input::Input& input, Range held, Type type) {
  const Index numbers = numbers_in(type);
  std::vector<double> own(static_cast<std::size_t>(held.size() * numbers));
  input.read({held.begin * numbers, held.end * numbers}, own);
  std::vector<std::byte> elements(static_cast<std::size_t>(held.size()) * bytes_of(type));
  convert(own, type, true, elements.data());
  return elements;
}

/// Executes a schedule by a reducer, on synthetic numbers.
Prediction execute(const ScheduleHeader& header, const Schedule* given, const Scenario& scenario) {
  const Workload& workload = scenario.workload();
  const Conditions& conditions = scenario.conditions();
  const Operation& operation = conditions.operation;
  if (operation.baseline != Baseline::none) {
    throw Error(text("smpi executes reducers, which have no ", operation.algorithm_spec(),
                     ": choose another engine"));
  }
  const Items items = header.items;
  const std::size_t bytes_each = result_bytes(operation.type, operation.op);
  std::vector<std::byte> whole(static_cast<std::size_t>(items.count) * bytes_each);
  Index messages = 0;
  const auto input =
      input::synthetic_input(header.elements() * items.count * numbers_in(operation.type), 1);
  Settings settings;
  if (!operation.plain()) settings.algorithm = operation.algorithm.spec();
  settings.widened = operation.widened;
  settings.checked = operation.checked;
  const auto program = [&](SimulatedRank& rank) {
    const auto reducer =
        make_reducer(MPI_COMM_WORLD, operation.type, operation.op, header, given, settings);
    const Range held = reducer->held(0);
    const Index adjacent = items.adjacent();
    std::vector<std::vector<std::byte>> own(reducer->fields());
    for (std::size_t k = 0; k < own.size(); ++k) {
      const Index first = static_cast<Index>(k) * header.elements();
      own[k] = elements_of(*input, {(first + held.begin) * adjacent, (first + held.end) * adjacent},
                           operation.type);
    }
    const Range delivered = reducer->delivered();
    std::vector<std::byte> result(static_cast<std::size_t>(delivered.size()) * bytes_each);
    Clock& clock = clocks[static_cast<std::size_t>(rank.number())];
    clock = Clock(rank, workload);
    rank.timed([&] {
      reducer->run(
          own.size(),
          [&](std::size_t k) {
            return FieldArrays{own[k].data(), nullptr, own[k].size()};
          },
          result.data(), static_cast<std::size_t>(delivered.size()));
      clock.pass_rest();
    });
    messages += reducer->messages_sent();
    std::copy(result.begin(), result.end(),
              whole.begin() + delivered.begin * static_cast<Index>(bytes_each));
  };
  const auto ranks = static_cast<std::size_t>(workload.ranks());
  clocks.assign(ranks, {});
  runtime::pass_time = pass_time_of_rank;
  // The bytes contain the seconds of each rank, the number of messages and the result.
  const Machine& machine = conditions.machine;
  const std::size_t figures = (ranks + 1) * sizeof(double);
  const std::string bytes =
      run_smpi(conditions.network, workload.leaves_caches() ? machine.out_of_cache() : machine,
               workload.ranks(), program, [&](const std::vector<double>& finish) {
                 std::vector<double> all = finish;
                 all.push_back(static_cast<double>(messages));
                 std::string sent(reinterpret_cast<const char*>(all.data()), figures);
                 sent.append(reinterpret_cast<const char*>(whole.data()), whole.size());
                 return sent;
               });
  if (bytes.size() != figures + whole.size()) throw Error("the result did not arrive whole");
  std::vector<double> all(ranks + 1);
  std::memcpy(all.data(), bytes.data(), figures);
  Prediction prediction;
  prediction.messages = static_cast<Index>(all.back());
  all.pop_back();
  prediction.makespan = *std::max_element(all.begin(), all.end());
  prediction.finish = std::move(all);
  tell_result(prediction.result, operation.type, operation.op,
              std::as_bytes(std::span(bytes)).subspan(figures));
  return prediction;
}

/// Predicts by execution. Each rank makes its own part of a plan's schedule.
Prediction predict_smpi(const Scenario& scenario) {
  if (const Schedule* const given = scenario.given_schedule()) {
    return execute(*given, given, scenario);
  }
  return execute(header_of(*scenario.problem(), *scenario.plan()), nullptr, scenario);
}

const Predictor smpi_predictor("smpi", predict_smpi);

}  // namespace

}  // namespace tools

}  // namespace bracket
