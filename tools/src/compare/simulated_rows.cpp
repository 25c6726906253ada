// SPDX-License-Identifier: MIT

#include "compare/simulated_rows.hpp"

#include "bracket/model/machine_json.hpp"
#include "common/command_line.hpp"
#include "common/programs.hpp"
#include "common/spawn.hpp"
#include "models/cost_models.hpp"

namespace bracket::tools {

Rows SimulatedRows::by(const std::string& engine, Rank ranks) const {
  model_of(Role::engine, engine);
  const std::string program = locate(command_named("simulate")).string();
  const FileInMemory figures(to_json({"machine", "", machine}).dump());
  std::vector<std::string> command{program,     "simulate",
                                   "--engine",  engine,
                                   "-N",        std::to_string(elements),
                                   "-p",        std::to_string(ranks),
                                   "--machine", figures.path(),
                                   "--json"};
  if (threads > 1) command.insert(command.end(), {"--threads", std::to_string(threads)});
  if (!platform.empty()) command.insert(command.end(), {"--platform", platform});
  command.insert(command.end(), arguments.begin(), arguments.end());
  try {
    return read_rows(output_of(command), simulated_duration, setting, program);
  } catch (const ProgramFailed& failed) {
    // The program already printed the reason. The user did not write its command line.
    if (failed.code() == exit_code_bad_input) throw SaidError();
    throw;
  }
}

}  // namespace bracket::tools
