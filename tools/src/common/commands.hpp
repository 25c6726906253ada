// SPDX-License-Identifier: MIT

#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <string>
#include <string_view>
#include <vector>

/// The table of subcommands, and the registration of their code.
namespace bracket::tools {

/// A row of the table of subcommands.
struct Command {
  std::string name;         ///< `run`
  std::string description;  ///< one line
  std::string program{};    ///< the program that has it: `bracket-mpi`; empty: the front, `bracket`
  std::string part{};       ///< component that it belongs to, for messages: `MPI runtime`
  bool on_all_ranks = !program.compare("bracket-mpi");  ///< whether every rank of a launch runs it
};

/// Every subcommand, in the sequence of the help.
const std::vector<Command>& commands();

/// Returns the subcommand of this name. Throws `Error` for an unknown name.
const Command& command_named(std::string_view name);

/// Registers the function that gives a subcommand its options and its callback. Each command's
/// source file defines one object, so a program has the commands whose files it links. `Context` is
/// what all commands of a program need.
template <class... Context>
class CommandCode {
 public:
  using Add = void (*)(CLI::App* command, Context... context);

  CommandCode(std::string_view name, Add code) { all()[name] = code; }

  /// Adds the subcommand to `app` if this program has its code. Returns whether it has.
  static bool add_to(CLI::App& app, const Command& command, Context... context) {
    const auto code = all().find(command.name);
    if (code == all().end()) return false;
    code->second(app.add_subcommand(command.name, command.description), context...);
    return true;
  }

  /// Adds every subcommand whose code this program has to `app`.
  static void add_all_to(CLI::App& app, Context... context) {
    for (const Command& command : commands()) add_to(app, command, context...);
  }

 private:
  static std::map<std::string_view, Add>& all() {
    static std::map<std::string_view, Add> codes;
    return codes;
  }
};

/// Code of a subcommand of a program without MPI, which gets the command line.
using PlainCommand = CommandCode<int, char**>;

}  // namespace bracket::tools
