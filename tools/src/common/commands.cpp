#include "common/commands.hpp"

#include <algorithm>

#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

namespace bracket::tools {

const std::vector<Command>& commands() {
  static const std::vector<Command> all{
      {"list", "List the names that options accept"},
      {"count",
       "Show the messages, the most elements on one rank, and the score (the thesis's cost) for "
       "each distribution and plan"},
      {"run",
       "Reduce a file, or --synthetic N elements, on the ranks of mpiexec and measure the time",
       "bracket-mpi", "MPI runtime"},
      {"bench", "Compare the time of reductions with an irreproducible sum on the ranks of mpiexec",
       "bracket-mpi", "MPI runtime"},
      {"calibrate", "Measure this machine on the ranks of mpiexec and write its file for --machine",
       "bracket-mpi", "MPI runtime"},
      {"simulate", "Predict the time of a schedule on a simulated network", "bracket-simulate",
       "simulators"},
      {"tune", "Search for the distribution and the plan with the lowest cost", "bracket-simulate",
       "simulators"},
      {"compare",
       "Predict the time of each plan and distribution, and measure it: starts mpiexec itself (see "
       "--launcher)"},
      {"validate", "Predict rows that are already measured, and show the errors"},
      {"fit", "Fit a machine file to measured rows"},
      {"draw", "Draw the tree; with --plan or --plan-file, the schedule"},
      {"verify", "Prove that a schedule is correct without running it"},
  };
  return all;
}

const Command& command_named(std::string_view name) {
  const auto found = std::find_if(commands().begin(), commands().end(),
                                  [&](const Command& command) { return command.name == name; });
  if (found == commands().end()) throw Error(text("unknown subcommand '", name, "'"));
  return *found;
}

}  // namespace bracket::tools
