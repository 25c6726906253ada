// SPDX-License-Identifier: MIT

#include "bracket/runtime/calibrate.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <type_traits>

#include "bracket/runtime/measure.hpp"
#include "bracket/support/error.hpp"
#include "measure/caches.hpp"
#include "measure/calibration_parts.hpp"

namespace bracket::runtime {

namespace {

/// The lowest ranks with which rank 0 can exchange messages; −1 if there is none.
struct Partners {
  Rank elsewhere = -1;    ///< on another node
  Rank inside_node = -1;  ///< on rank 0's node
};

Partners find_partners(const Communicator& communicator) {
  MPI_Comm host = MPI_COMM_NULL;
  check_mpi(
      MPI_Comm_split_type(communicator.handle(), MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host),
      "MPI_Comm_split_type");
  const Rank rank = communicator.rank();
  Rank first = rank;  // first rank of this node
  check_mpi(MPI_Bcast(&first, 1, MPI_INT32_T, 0, host), "MPI_Bcast");
  check_mpi(MPI_Comm_free(&host), "MPI_Comm_free");
  const Rank none = communicator.size();
  Rank lowest[2] = {first == 0 ? none : rank, first == 0 && rank > 0 ? rank : none};
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, lowest, 2, MPI_INT32_T, MPI_MIN, communicator.handle()),
            "MPI_Allreduce");
  return {lowest[0] == none ? -1 : lowest[0], lowest[1] == none ? -1 : lowest[1]};
}

/// Copies rank 0's value to every rank.
template <class Value>
void share(const Communicator& communicator, Value& value) {
  static_assert(std::is_trivially_copyable_v<Value>);
  check_mpi(MPI_Bcast(&value, sizeof value, MPI_BYTE, 0, communicator.handle()), "MPI_Bcast");
}

template <class Value>
void share(const Communicator& communicator, std::vector<Value>& values) {
  static_assert(std::is_trivially_copyable_v<Value>);
  auto count = values.size();
  share(communicator, count);
  values.resize(count);
  check_mpi(MPI_Bcast(values.data(), static_cast<int>(count * sizeof(Value)), MPI_BYTE, 0,
                      communicator.handle()),
            "MPI_Bcast");
}

void share(const Communicator& communicator, OperationTimes& times) {
  share(communicator, times.seconds_per_join);
  share(communicator, times.seconds_per_result);
  share(communicator, times.folds);
  share(communicator, times.copies);
  share(communicator, times.joins);
  share(communicator, times.vector_folds);
  share(communicator, times.partial_folds);
  share(communicator, times.complete_folds);
  auto tables = times.folds_together.size();
  share(communicator, tables);
  times.folds_together.resize(tables);
  for (auto& together : times.folds_together) {
    share(communicator, together.ranks);
    share(communicator, together.folds);
    share(communicator, together.vector_folds);
  }
}

/// Measures operations in turns, and the runs of each that `starts` gets.
std::vector<Machine::MeasuredOperation> measure_operations(
    const Communicator& communicator, const CalibrationMethod& method, const Kernel& kernel,
    const std::vector<double>& elements, std::vector<calibration::StartMeasurement>& starts) {
  const std::vector<Operation>& operations = method.operations;
  std::vector<calibration::WorkMeasurement> measurements;
  together(communicator, [&] {
    for (const Operation& operation : operations) {
      auto computation = operation.baseline == Baseline::none
                             ? calibration::measured_operation(operation, kernel)
                             : calibration::measured_baseline(operation, method, kernel);
      measurements.emplace_back(communicator, std::move(computation), elements, true,
                                !method.quick);
      starts.push_back(
          calibration::StartMeasurement::of_reducer(communicator, {}, operation, kernel));
    }
  });
  std::vector<calibration::WorkRounds> rounds(operations.size());
  for (std::size_t round = 0; round < calibration::WorkRounds::least; ++round) {
    for (std::size_t i = 0; i < operations.size(); ++i) {
      OperationTimes times = measurements[i].measure();
      share(communicator, times);
      rounds[i].add(std::move(times));
      starts[i].measure();
    }
  }
  std::vector<Machine::MeasuredOperation> found;
  for (std::size_t i = 0; i < operations.size(); ++i) {
    found.push_back({operations[i], rounds[i].median()});
  }
  return found;
}

}  // namespace

Machine Calibration::machine() const {
  Machine machine;
  machine.set_between_nodes(fit_loggp(messages, eager_bytes).costs(messages, cold_messages));
  machine.library_messages = library_messages;
  machine.eager_bytes = eager_bytes;
  if (!inside_node.empty()) {
    machine.inside_node = fit_loggp(inside_node, eager_bytes).costs(inside_node, cold_inside_node);
    machine.inside_node->library = library_inside_node;
  }
  machine.cache_bytes = cache_bytes;
  machine.work = work;
  machine.operations = operations;
  const auto& folds = work.folds_together.empty() ? work.folds : work.folds_together.back().folds;
  machine.seconds_per_addition = folds.back().seconds / static_cast<double>(folds.back().elements);
  return machine;
}

Calibration calibrate(const Communicator& communicator, const CalibrationMethod& method) {
  const Kernel* kernel = method.kernel;
  std::vector<double> elements;
  const Rank ranks_on_host = environment(communicator).ranks_on_host;
  together(communicator, [&] {
    if (communicator.size() < 2)
      throw Error("messages are measured between two ranks: there is one");
    if (kernel == nullptr) kernel = &select_kernel();
    elements = calibration::make_elements(ranks_on_host);
  });
  const auto begin = [&](std::string_view part) {
    if (method.before) method.before(part);
  };
  Calibration found;
  calibration::WorkRounds rounds;
  calibration::WorkMeasurement work(communicator, calibration::measured_sum(*kernel), elements,
                                    method.quick, !method.quick);
  const auto measure_work = [&](std::string_view part) {
    begin(part);
    OperationTimes round = work.measure();
    share(communicator, round);
    // The rounds are equal on every rank, and so are decisions from them.
    rounds.add(std::move(round));
  };
  const Partners partners = find_partners(communicator);
  found.partner = partners.elsewhere < 0 ? partners.inside_node : partners.elsewhere;
  Index first_cache = first_cache_bytes() / Index{sizeof(double)};
  share(communicator, first_cache);
  calibration::RunStarts starts(communicator, found.partner, *kernel, first_cache,
                                method.operations);
  const auto measure_starts = [&] {
    begin("the start of a run");
    starts.measure(method.quick ? 1 : 3);
  };
  measure_work("folds");
  measure_starts();
  const auto measure_messages = [&](Rank partner) {
    auto measured = calibration::measure_messages(communicator, partner, method.quick);
    share(communicator, measured.times);
    share(communicator, measured.cold);
    share(communicator, measured.library);
    share(communicator, measured.eager_bytes);
    return measured;
  };
  calibration::MeasuredMessages messages;
  for (int attempt = 1;; ++attempt) {
    begin(attempt == 1 ? "messages" : "messages again");
    starts.mark_messages();
    messages = measure_messages(found.partner);
    measure_starts();
    constexpr int most_attempts = 4;
    if (method.quick || starts.steady() || attempt == most_attempts) break;
  }
  found.messages = std::move(messages.times);
  found.cold_messages = std::move(messages.cold);
  found.library_messages = std::move(messages.library);
  found.eager_bytes = messages.eager_bytes;
  if (partners.elsewhere >= 0 && partners.inside_node >= 0) {
    auto inside_node = measure_messages(partners.inside_node);
    found.inside_node = std::move(inside_node.times);
    found.cold_inside_node = std::move(inside_node.cold);
    found.library_inside_node = std::move(inside_node.library);
    measure_starts();
  }
  measure_work("folds again");
  measure_starts();
  begin("kernels");
  found.kernels = calibration::measure_kernels(communicator, elements, method.quick);
  begin("threads");
  auto wakes = calibration::measure_wakes(communicator);
  share(communicator, wakes);
  while (!rounds.settled()) {
    measure_work("folds again");
    measure_starts();
  }
  constexpr std::size_t enough_moments = 6;
  constexpr int most_repetitions = 12;
  for (int k = 0; !method.quick && k < most_repetitions && starts.like_messages() < enough_moments;
       ++k) {
    measure_starts();
  }
  static_cast<OperationTimes&>(found.work) = rounds.median();
  found.work.wakes = std::move(wakes);
  if (!method.operations.empty()) begin("other operations");
  std::vector<calibration::StartMeasurement> operation_starts;
  found.operations = measure_operations(communicator, method, *kernel, elements, operation_starts);
  found.rounds = rounds.count();
  found.rounds_apart = rounds.apart();
  const Index cache = last_cache_bytes();
  found.cache_bytes =
      cache > 0 ? static_cast<double>(cache) : std::numeric_limits<double>::infinity();
  share(communicator, found.cache_bytes);
  found.all_reduce_seconds = starts.usual();
  found.messages_apart = starts.apart();
  starts.find(found.machine(), found.work, found.operations);
  const Machine started = found.machine();
  for (std::size_t i = 0; i < operation_starts.size(); ++i) {
    double& more_start = found.operations[i].times.more_start;
    more_start = operation_starts[i].start(started);
    share(communicator, more_start);
  }
  return found;
}

}  // namespace bracket::runtime
