#include "bracket/model/error.hpp"
#include "commands.hpp"
#include "launch.hpp"
#include "program.hpp"
#include "programs.hpp"

/// The front: `bracket`. Subcommands that need MPI or SimGrid go to the program that owns them.
int main(int argc, char** argv) {
  using namespace bracket::tools;
  CLI::App app;
  set_up(app);
  add_list(app);
  add_count(app);
  for (const auto& helper : helpers()) {
    // Only its name and line: its options are the helper's own.
    auto* const command = app.add_subcommand(helper.subcommand, helper.description);
    command->prefix_command();
    command->set_help_flag();
    command->callback([&helper, argv] { hand_over(helper, argv); });
  }
  add_compare(app);
  add_draw(app);
  add_verify(app);
  if (launched_ranks() > 1 && !understands(app, argc, argv)) {
    // The other ranks may be started with a right word and wait for this one: MPI's program tells
    // them. Where there is none, none of them waits.
    try {
      hand_over(*helper_for("run"), argv);
    } catch (const bracket::Error&) {
    }
  }
  return run_program(app, argc, argv, first_of_launch);
}
