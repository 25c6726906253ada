#include "bracket/simulator/smpi.hpp"

#include <algorithm>
#include <cstring>

#include "bracket/input/input.hpp"
#include "bracket/runtime/executor.hpp"
#include "bracket/runtime/simulated_time.hpp"
#include "bracket/support/error.hpp"
#include "cost/prediction.hpp"

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

/// Executes a schedule by the runtime, on synthetic numbers.
template <class MakeExecutor>
Prediction execute(Index elements, Index items, MakeExecutor make_executor,
                   const Scenario& scenario) {
  const Workload& workload = scenario.workload();
  const auto& [machine, costs, network, placed, disturbance, timeline] = scenario.conditions();
  std::vector<double> whole(static_cast<std::size_t>(items));
  Index messages = 0;
  const auto input = input::synthetic_input(elements * items, 1);
  const auto program = [&](SimulatedRank& rank) {
    auto executor = make_executor();
    const Range held{executor.held().begin * items, executor.held().end * items};
    std::vector<double> own(static_cast<std::size_t>(held.size()));
    input->read(held, own);
    const Range delivered = executor.delivered();
    std::vector<double> result(static_cast<std::size_t>(delivered.size()));
    Clock& clock = clocks[static_cast<std::size_t>(rank.number())];
    clock = Clock(rank, workload);
    rank.timed([&] {
      executor.run(own, result);
      clock.pass_rest();
    });
    messages += executor.messages_sent();
    std::copy(result.begin(), result.end(), whole.begin() + delivered.begin);
  };
  const auto ranks = static_cast<std::size_t>(workload.ranks());
  clocks.assign(ranks, {});
  runtime::pass_time = pass_time_of_rank;
  // The bytes contain the seconds of each rank, the number of messages and the result.
  const std::string bytes = run_smpi(
      network, workload.leaves_caches() ? machine.out_of_cache() : machine, workload.ranks(),
      program, [&](const std::vector<double>& finish) {
        std::vector<double> all = finish;
        all.push_back(static_cast<double>(messages));
        all.insert(all.end(), whole.begin(), whole.end());
        return std::string(reinterpret_cast<const char*>(all.data()), all.size() * sizeof(double));
      });
  std::vector<double> all(ranks + 1 + whole.size());
  if (bytes.size() != all.size() * sizeof(double)) throw Error("the result did not arrive whole");
  std::memcpy(all.data(), bytes.data(), bytes.size());
  const auto finish_end = all.begin() + static_cast<std::ptrdiff_t>(ranks);
  Prediction prediction;
  prediction.finish.assign(all.begin(), finish_end);
  prediction.makespan = *std::max_element(all.begin(), finish_end);
  prediction.messages = static_cast<Index>(*finish_end);
  prediction.result.assign(finish_end + 1, all.end());
  return prediction;
}

/// Predicts by execution. Each rank makes its own part of a plan's schedule.
Prediction predict_smpi(const Scenario& scenario) {
  if (const Schedule* const given = scenario.given_schedule()) {
    return execute(
        given->elements(), given->items,
        [&] { return runtime::Executor<>(MPI_COMM_WORLD, *given); }, scenario);
  }
  const Problem& problem = *scenario.problem();
  return execute(
      problem.distribution.elements(), problem.items,
      [&] { return runtime::Executor<>(MPI_COMM_WORLD, problem, *scenario.plan()); }, scenario);
}

const Predictor smpi_predictor("smpi", predict_smpi);

}  // namespace

}  // namespace tools

}  // namespace bracket
