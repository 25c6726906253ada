// SPDX-License-Identifier: MIT

#include "common/commands.hpp"

#include <algorithm>

#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

namespace bracket::tools {

const std::vector<Command>& commands() {
  static const std::vector<Command> all{
      {"list", "List the names that options accept"},
      {"count",
       "Show the largest number of elements on a rank and the score (a simple cost) of each "
       "distribution, and the number of messages of each plan"},
      {"run",
       "Reduce a file, or --synthetic N elements, on the ranks of mpiexec and measure the time",
       "bracket-mpi", "MPI runtime"},
      {"digits",
       "Show how many digits of a sum are correct, by each order and algorithm, and how many "
       "stochastic arithmetic estimates"},
      {"bench",
       "Compare the times of reproducible reductions with the time of an irreproducible sum, on "
       "the ranks of mpiexec",
       "bracket-mpi", "MPI runtime"},
      {"calibrate", "Measure this machine on the ranks of mpiexec and write a machine file",
       "bracket-mpi", "MPI runtime"},
      {"reveal", "Find the order in which the MPI library adds the numbers of the ranks of mpiexec",
       "bracket-mpi", "MPI runtime"},
      {"simulate", "Predict the time of a schedule on a simulated network", "bracket-simulate",
       "simulators"},
      {"tune",
       "Search for the distribution and the plan with the lowest cost, or write rules for an MPI "
       "library (--for)",
       "bracket-simulate", "simulators"},
      {"compare",
       "Predict and measure the time of each plan and distribution; this command starts mpiexec "
       "itself"},
      {"validate",
       "Compare the measured times in a file with predictions by each cost model that needs no "
       "SimGrid"},
      {"fit", "Infer the costs of a machine from measured rows, and write a machine file"},
      {"draw", "Draw the tree or, with --plan or --plan-file, the schedule", "bracket-simulate",
       "simulators"},
      {"verify", "Prove that a schedule is correct without running it"},
      {"record", "Run an MPI program and record its reductions, on the ranks of mpiexec", "", "",
       true},
      {"diff", "Compare the reductions of two recorded runs and name the first that differs"},
      {"cost",
       "Predict what reproducible reductions would cost a recorded program, by replaying its run"},
      {"figures",
       "Make the tables and figures of the papers that Bracket builds on, beside their printed "
       "numbers; this command starts mpiexec itself"},
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
