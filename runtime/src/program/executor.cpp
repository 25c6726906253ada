// SPDX-License-Identifier: MIT

#include "bracket/runtime/executor.hpp"
#include "bracket/support/text.hpp"

namespace bracket::runtime {

void check_executable(const ScheduleHeader& header, const Order& order,
                      const Communicator& communicator, bool associative, int threads) {
  check_floating_point();
  int thread_level = MPI_THREAD_SINGLE;
  check_mpi(MPI_Query_thread(&thread_level), "MPI_Query_thread");
  if (threads > 1 && thread_level < MPI_THREAD_FUNNELED) {
    throw Error(text(threads, " threads: MPI was initialised for one thread; MPI_Init_thread with ",
                     "MPI_THREAD_FUNNELED allows more"));
  }
  if (header.ranks() != communicator.size()) {
    throw Error(text("the schedule is for ", header.ranks(), " ranks, the communicator has ",
                     communicator.size()));
  }
  if (header.order_version != order.version()) {
    throw Error(text("the schedule is for version ", header.order_version, " of the ", header.order,
                     " order, this is version ", order.version()));
  }
  if (!order.fixed() && !associative) {
    throw Error(text("the ", header.order,
                     " order leaves the bracketing open, and the operator's result depends on it"));
  }
}

template class Executor<DoubleSum>;

}  // namespace bracket::runtime
