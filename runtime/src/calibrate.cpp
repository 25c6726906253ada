#include "bracket/runtime/calibrate.hpp"

#include <algorithm>
#include <type_traits>

#include "bracket/model/error.hpp"
#include "bracket/runtime/measure.hpp"
#include "calibration_parts.hpp"

namespace bracket {

namespace {

/// The first rank that is on another node than rank 0, or else rank 1.
Rank find_partner(const Communicator& communicator) {
  MPI_Comm host = MPI_COMM_NULL;
  check_mpi(
      MPI_Comm_split_type(communicator.handle(), MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host),
      "MPI_Comm_split_type");
  Rank first = communicator.rank();  // of this node
  check_mpi(MPI_Bcast(&first, 1, MPI_INT32_T, 0, host), "MPI_Bcast");
  check_mpi(MPI_Comm_free(&host), "MPI_Comm_free");
  const Rank none = communicator.size();
  Rank elsewhere = first == 0 ? none : communicator.rank();
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, &elsewhere, 1, MPI_INT32_T, MPI_MIN, communicator.handle()),
            "MPI_Allreduce");
  return elsewhere == none ? 1 : elsewhere;
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
  fit_loggp(messages, eager_bytes).put_into(machine);
  machine.eager_bytes = eager_bytes;
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
  begin("messages");
  found.partner = find_partner(communicator);
  auto messages = calibration::measure_messages(communicator, found.partner, method.quick);
  share(communicator, messages.times);
  share(communicator, messages.eager_bytes);
  found.messages = std::move(messages.times);
  found.eager_bytes = messages.eager_bytes;
  begin("folds");
  found.work = calibration::measure_work(communicator, *kernel, elements, method.quick);
  begin("the start of a run");
  found.work.start = calibration::measure_start(communicator, found.partner, *kernel,
                                                found.machine(), method.quick);
  share(communicator, found.work.start);
  begin("kernels");
  found.kernels = calibration::measure_kernels(communicator, elements, method.quick);
  return found;
}

}  // namespace bracket
