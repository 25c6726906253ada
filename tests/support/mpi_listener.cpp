// SPDX-License-Identifier: MIT

#include <mpi.h>

#include <cstdlib>

#define CATCH_CONFIG_EXTERNAL_INTERFACES
#include "support/catch.hpp"

namespace mpi_listener {

#if CATCH_VERSION_MAJOR < 3
using Listener = Catch::TestEventListenerBase;
#else
using Listener = Catch::EventListenerBase;
#endif

/// Runs the same tests on every rank. A failure on any rank is a failure of all; each rank reports
/// to its own output. A program that only lists its tests does not start MPI.
class StartsMpi : public Listener {
 public:
  using Listener::Listener;

  void testRunStarting(const Catch::TestRunInfo& info) override {
    Listener::testRunStarting(info);
    int thread_level = MPI_THREAD_SINGLE;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &thread_level);
  }

  void testRunEnded(const Catch::TestRunStats& stats) override {
    Listener::testRunEnded(stats);
    // A rank that failed may have left others waiting in the middle of a test. The ranks can only
    // meet again if no test failed.
    if (!stats.totals.testCases.allOk()) MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    MPI_Finalize();
  }
};

CATCH_REGISTER_LISTENER(StartsMpi)

}  // namespace mpi_listener
