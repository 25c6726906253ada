// SPDX-License-Identifier: MIT

#include <string>

#include "common/command_line.hpp"
#include "common/commands.hpp"
#include "common/launch.hpp"
#include "sweep/shared_launch.hpp"

/// `bracket-simulate`: the subcommands that need the simulators.
int main(int argc, char** argv) {
  using namespace bracket::tools;
  CLI::App app;
  set_up(app);
  PlainCommand::add_all_to(app, argc, argv);
  return run_program(app, argc, argv, first_of_launch, [](const std::string& why) {
    auto* const launch = SharedLaunch::of_this_process();
    if (launch != nullptr && !why.empty() && !launch->first()) launch->refuse(why);
  });
}
