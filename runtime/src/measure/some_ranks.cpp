// SPDX-License-Identifier: MIT

#include <chrono>
#include <thread>

#include "bracket/runtime/measure.hpp"
#include "measure/calibration_parts.hpp"

namespace bracket::runtime::calibration {

void rest(const Communicator& communicator) {
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Ibarrier(communicator.handle(), &request), "MPI_Ibarrier");
  while (!test(request)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

void on_some(const Communicator& communicator, bool takes_part,
             const std::function<void(MPI_Comm)>& action) {
  MPI_Comm some = MPI_COMM_NULL;
  check_mpi(MPI_Comm_split(communicator.handle(), takes_part ? 0 : MPI_UNDEFINED,
                           communicator.rank(), &some),
            "MPI_Comm_split");
  if (takes_part) {
    action(some);
    check_mpi(MPI_Comm_free(&some), "MPI_Comm_free");
  }
  rest(communicator);
}

}  // namespace bracket::runtime::calibration
