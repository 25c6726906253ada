// SPDX-License-Identifier: MIT

#include <memory>
#include <string>
#include <string_view>

#include "bracket/runtime/measure.hpp"
#include "bracket/support/error.hpp"
#include "common/command_help.hpp"
#include "common/command_line.hpp"
#include "common/launch.hpp"
#include "common/swept_command.hpp"
#include "mpi/mpi_command.hpp"
#include "report/plot_program.hpp"
#include "reveal/library_algorithms.hpp"
#include "sweep/share_sweep.hpp"

namespace {

/// Stands for the communicator where MPI does not run. Nobody may use it.
union NoCommunicator {
  NoCommunicator() : none(0) {}
  ~NoCommunicator() {}
  char none;
  const bracket::Communicator world;
};

/// Prints the help of the subcommands as data, without MPI: a build may be made where MPI cannot
/// run.
int print_help_as_data(int argc, char** argv) {
  using namespace bracket::tools;
  NoCommunicator none;  // a subcommand keeps a reference to it, and uses that when it runs
  CLI::App app;
  set_up(app);
  MpiCommand::add_all_to(app, none.world);
  return run_program(app, argc, argv, [] { return true; });
}

bool asks_for_threads(int argc, char** argv) {
  constexpr std::string_view option = "--threads";
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (!word.starts_with(option)) continue;
    std::string_view value = word.substr(option.size());
    if (value.empty() && i + 1 < argc) value = argv[i + 1];
    if (value != "1" && value != "=1") return true;
  }
  return false;
}

/// Starts MPI for one thread alone unless `--threads` asks for more: with Open MPI 4.1, a short
/// message takes 90 ns longer at any other level of threads. In `MPI_Init`, the variables of the
/// MPI library set the level.
void start_mpi(int argc, char** argv) {
  if (!asks_for_threads(argc, argv)) {
    MPI_Init(&argc, &argv);
    return;
  }
  int offered = MPI_THREAD_SINGLE;  // unused: reducers query the level
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &offered);
}

}  // namespace

/// `bracket-mpi`: the subcommands that need an MPI library.
int main(int argc, char** argv) {
  using namespace bracket::tools;
  if (argc > 1 && argv[1] == std::string_view(help_as_data)) return print_help_as_data(argc, argv);
  auto limit = usual_start_limit(launched_ranks());
  std::string refused;  // reported by the ranks together, once MPI runs
  try {
    limit = start_limit(limit);
    if (first_of_launch()) PlotProgram::start_early(argc, argv);
  } catch (const bracket::Error& failure) {
    refused = failure.what();
  }
  const bool shares = asks_for_sweep("simulate", argc, argv);
  std::unique_ptr<ProgramBeside> simulating;
  if (shares && refused.empty()) {
    try {
      simulating = start_simulating(argv);
    } catch (const bracket::Error& failure) {
      refused = failure.what();
    }
  }
  let_algorithms_be_chosen(argc, argv);
  start_within(limit, [&] { start_mpi(argc, argv); });
  int code = 0;
  if (shares) {
    const bracket::Communicator world(MPI_COMM_WORLD);
    code = share_sweep(world, refused, argc, argv, simulating.get());
  } else {
    const bracket::Communicator world(MPI_COMM_WORLD);
    CLI::App app;
    set_up(app);
    MpiCommand::add_all_to(app, world);
    bool started = false;
    bool speaks = world.rank() == 0;
    app.parse_complete_callback([&] {
      started = true;
      if (world.size() == 1) {
        speaks = first_of_launch();  // for a launcher whose ranks do not see each other
        check_alone(bracket::runtime::environment(world).mpi_library);
        speaks = true;
      }
      start_together(world, refused, app.get_subcommands().front());
    });
    code = run_program(
        app, argc, argv, [&] { return speaks; },
        [&](const std::string& why) {
          if (!started) start_together(world, why, nullptr);
        });
  }
  MPI_Finalize();
  return code;
}
