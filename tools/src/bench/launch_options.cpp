#include "bench/launch_options.hpp"

#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "common/options.hpp"
#include "common/programs.hpp"

namespace bracket::tools {

void LaunchOptions::add_to(CLI::App& command) {
  launcher = default_launcher();
  auto* const counts = add_rank_counts(
      command, ranks,
      "numbers of ranks: bench starts --launcher once for each. Do not start bench itself by "
      "mpiexec then");
  command.add_option("--launcher", launcher, "command that starts the ranks of -p")
      ->capture_default_str()
      ->type_name("COMMAND")
      ->needs(counts);
  command.add_flag("--oversubscribe", oversubscribe, "let -p exceed the number of cores")
      ->needs(counts);
}

void LaunchOptions::refuse(const CLI::App& command) {
  if (command.count("--ranks") == 0) return;
  throw Error(
      "-p: this process is a rank of a launch already: leave out -p, or mpiexec; with -p, bracket "
      "starts the launcher itself");
}

}  // namespace bracket::tools
