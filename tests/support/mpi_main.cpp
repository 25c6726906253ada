#include <mpi.h>

#include <cstdlib>
#include <string_view>

#define CATCH_CONFIG_RUNNER
#include "support/catch.hpp"

/// Runs the same tests on every rank. A failure anywhere is a failure of all; what one rank
/// reports goes to its own output.
int main(int argc, char** argv) {
  // Asked for a list of tests the program runs without mpiexec.
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]).starts_with("--list")) return Catch::Session().run(argc, argv);
  }
  int thread_level = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &thread_level);
  const int failures = Catch::Session().run(argc, argv);
  // Ranks that failed may have left others waiting in the middle of a test: only if none did is
  // it safe to meet again.
  if (failures != 0) MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  MPI_Finalize();
  return EXIT_SUCCESS;
}
