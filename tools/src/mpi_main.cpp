#include "mpi.hpp"
#include "program.hpp"

/// `bracket-mpi`: the subcommands that need an MPI library.
int main(int argc, char** argv) {
  using namespace bracket::tools;
  int thread_level = MPI_THREAD_SINGLE;  // what it is, the executors ask for themselves
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &thread_level);
  int code = 0;
  {
    const bracket::Communicator world(MPI_COMM_WORLD);
    CLI::App app;
    set_up(app);
    add_run(app, world);
    add_bench(app, world);
    add_calibrate(app, world);
    bool started = false;
    app.parse_complete_callback([&] {
      started = true;
      start_together(world, "", app.get_subcommands().front());
    });
    code = run_program(
        app, argc, argv, [&] { return world.rank() == 0; },
        [&](const std::string& why) {
          if (!started) start_together(world, why, nullptr);
        });
  }
  MPI_Finalize();
  return code;
}
