#include "bracket/runtime/calibrate.hpp"

#include <algorithm>
#include <type_traits>

#include "bracket/model/error.hpp"
#include "bracket/runtime/measure.hpp"
#include "calibration_parts.hpp"

namespace bracket {

namespace {

/// The lowest ranks with which rank 0 can exchange messages; −1 if there is none.
struct Partners {
  Rank elsewhere = -1;    ///< on another node
  Rank inside_node = -1;  ///< on rank 0's
};

Partners find_partners(const Communicator& communicator) {
  MPI_Comm host = MPI_COMM_NULL;
  check_mpi(
      MPI_Comm_split_type(communicator.handle(), MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host),
      "MPI_Comm_split_type");
  const Rank rank = communicator.rank();
  Rank first = rank;  // of this node
  check_mpi(MPI_Bcast(&first, 1, MPI_INT32_T, 0, host), "MPI_Bcast");
  check_mpi(MPI_Comm_free(&host), "MPI_Comm_free");
  const Rank none = communicator.size();
  Rank lowest[2] = {first == 0 ? none : rank, first == 0 && rank > 0 ? rank : none};
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, lowest, 2, MPI_INT32_T, MPI_MIN, communicator.handle()),
            "MPI_Allreduce");
  return {lowest[0] == none ? -1 : lowest[0], lowest[1] == none ? -1 : lowest[1]};
}

/// Rank 0's on every rank.
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

}  // namespace

Machine Calibration::machine() const {
  Machine machine;
  machine.set_between_nodes(fit_loggp(messages, eager_bytes).costs(messages));
  machine.eager_bytes = eager_bytes;
  if (!inside_node.empty()) {
    machine.inside_node = fit_loggp(inside_node, eager_bytes).costs(inside_node);
  }
  machine.work = work;
  machine.seconds_per_addition =
      work.folds.back().seconds / static_cast<double>(work.folds.back().elements);
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
  const auto measure_work = [&](std::string_view part) {
    begin(part);
    rounds.add(calibration::measure_work(communicator, *kernel, elements, method.quick));
  };
  measure_work("folds");
  begin("messages");
  const auto measure_messages = [&](Rank partner) {
    auto measured = calibration::measure_messages(communicator, partner, method.quick);
    share(communicator, measured.times);
    share(communicator, measured.eager_bytes);
    return measured;
  };
  const Partners partners = find_partners(communicator);
  found.partner = partners.elsewhere < 0 ? partners.inside_node : partners.elsewhere;
  auto messages = measure_messages(found.partner);
  found.messages = std::move(messages.times);
  found.eager_bytes = messages.eager_bytes;
  if (partners.elsewhere >= 0 && partners.inside_node >= 0) {
    found.inside_node = measure_messages(partners.inside_node).times;
  }
  begin("kernels");
  found.kernels = calibration::measure_kernels(communicator, elements, method.quick);
  while (!rounds.settled()) measure_work("folds again");
  found.work = rounds.fastest();
  found.rounds = rounds.count();
  found.rounds_apart = rounds.apart();
  begin("the start of a run");
  found.work.start = calibration::measure_start(communicator, found.partner, *kernel,
                                                found.machine(), method.quick);
  share(communicator, found.work.start);
  return found;
}

}  // namespace bracket
