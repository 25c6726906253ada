// SPDX-License-Identifier: MIT

#include <algorithm>
#include <string_view>
#include <vector>

#include "bench/bench_launches.hpp"
#include "bracket/support/error.hpp"
#include "common/command_line.hpp"
#include "common/commands.hpp"
#include "common/launch.hpp"
#include "common/programs.hpp"
#include "common/swept_command.hpp"
#include "help/help_command.hpp"

namespace {

bool shares_sweep(int argc, char** argv) {
  using namespace bracket::tools;
  return launched_ranks() > 1 && asks_for_sweep("simulate", argc, argv);
}

/// Returns whether the subcommand runs on all ranks of a launch.
bool needs_all_ranks(int argc, char** argv) {
  using namespace bracket::tools;
  if (shares_sweep(argc, argv)) return true;
  return argc >= 2 && std::any_of(commands().begin(), commands().end(), [&](const Command& row) {
           return row.name == argv[1] && row.on_all_ranks;
         });
}

}  // namespace

/// Runs the front, `bracket`. It hands subcommands that need MPI or SimGrid to other programs.
int main(int argc, char** written) {
  using namespace bracket::tools;
  std::vector<char*> words = help_as_option(argc, written);
  char** const argv = words.data();
  CLI::App app;
  set_up(app);
  for (const Command& row : commands()) {
    if (PlainCommand::add_to(app, row, argc, argv)) continue;
    // Only the name and the one-line description: the other program defines the options.
    auto* const command = app.add_subcommand(row.name, row.description);
    if (row.name == "bench" && launches_bench(argc, argv)) {
      add_bench_launches(*command);
      continue;
    }
    command->prefix_command();
    command->set_help_flag();
    command->callback([&row, argc, argv] {
      if (shares_sweep(argc, argv)) {
        Command sharing = command_named("run");
        sharing.name = "simulate --sweep on several ranks";
        hand_over(sharing, argv);
      }
      hand_over(row, argv);
    });
  }
  add_help(app);
  if (launched_ranks() > 1 && !understands(app, argc, argv)) {
    // The other ranks may have a valid subcommand and wait for this one; the MPI program tells
    // them. If this build has no MPI program, no rank waits.
    try {
      hand_over(command_named("run"), argv);
    } catch (const bracket::Error&) {
    }
  } else if (!first_of_launch() && !needs_all_ranks(argc, argv)) {
    return 0;  // the launcher returns the exit code of the first rank
  }
  return run_program(app, argc, argv, first_of_launch);
}
