#include "launch.hpp"
#include "program.hpp"
#include "simulator_commands.hpp"

/// `bracket-simulate`: the subcommands that need the simulators.
int main(int argc, char** argv) {
  using namespace bracket::tools;
  CLI::App app;
  set_up(app);
  add_simulate(app, argc, argv);
  add_tune(app);
  return run_program(app, argc, argv, first_of_launch);
}
